"""The interests that match knows of subscriptions for several pages: the changes that they want."""

from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING

from schemas.records.percolations import Interest, TermFilter
from streams.matching.terms.term_filters import contains_any, opened
from streams.matching.terms.terms import Terms
from streams.values.steps import Steps

if TYPE_CHECKING:
    from pybloom_live import BloomFilter


class Interests:
    """The interests of managers, by the partition of percolate that has them."""

    def __init__(self) -> None:
        self._of: dict[str, dict[int, Interest]] = {}
        self._filters: dict[tuple[str, int], tuple[int, BloomFilter | None]] = {}

    def __len__(self) -> int:
        """The number of managers with an interest."""
        return len(self._of)

    def put(self, interest: Interest) -> None:
        """Replace what a partition has of a manager."""
        if has_any(interest):
            self._of.setdefault(interest.manager, {})[interest.partition] = interest
        elif known := self._of.get(interest.manager):
            known.pop(interest.partition, None)
            if not known:
                del self._of[interest.manager]

    def put_filter(self, message: TermFilter) -> None:
        """Replace the filter of a manager's terms in a partition."""
        self._filters[message.manager, message.partition] = message.made, opened(message)

    def drop_filter(self, interest: Interest) -> bool:
        """Forget the filter of a manager's terms in a partition; return whether there was one."""
        return self._filters.pop((interest.manager, interest.partition), None) is not None

    def managers(self, watching: Collection[str]) -> frozenset[str]:
        """Return those of a page's managers that have an interest."""
        return frozenset(self._of.keys() & watching if self._of else ())

    def looks_into_blocks(self, managers: Collection[str]) -> bool:
        """Whether one of them wants changes with a word that is only in the same block."""
        return any(each.blocks for name in managers for each in self._of.get(name, _NONE).values())

    def partitions(self, manager: str, terms: Terms, blocks: Terms) -> Steps[list[int]]:
        """Return the partitions that want a change for a manager, by its terms, in steps.

        ``blocks`` are the terms of the blocks of what changed.
        """
        found = []
        # Others may come between two steps.
        for each in tuple(self._of.get(manager, _NONE).values()):
            of_change = (blocks if each.blocks else terms).get(each.partition, set())
            if each.everything or (yield from self._wants(each, of_change)):
                found.append(each.partition)
        return found

    def _wants(self, interest: Interest, terms: set[int]) -> Steps[bool]:
        if interest.many or not terms:
            return bool(terms)
        if not terms.isdisjoint(interest.terms):
            return True
        if interest.filter_made is None:
            return False
        made, known = self._filters.get((interest.manager, interest.partition), (None, None))
        if made != interest.filter_made or known is None:
            return True  # its filter is on the way, or cannot be read: it may have any term
        return (yield from contains_any(terms, known))


def has_any(interest: Interest) -> bool:
    """Whether an interest is one at all."""
    has_terms = bool(interest.terms) or interest.filter_made is not None
    return has_terms or interest.many or interest.everything


_NONE: Mapping[int, Interest] = {}
