"""What match knows of the subscriptions for several pages: of which changes they want to hear."""

from collections.abc import Collection, Iterator, Mapping

from schemas.records.percolations import Interest
from streams.matching.terms.change_terms import Terms


class Interests:
    """The interests of managers, by the partition of percolate that has them."""

    def __init__(self) -> None:
        """Start empty."""
        self._of: dict[str, dict[int, Interest]] = {}

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

    def managers(self, watching: Collection[str]) -> frozenset[str]:
        """Return those of a page's managers that have an interest."""
        return frozenset(self._of.keys() & watching if self._of else ())

    def looks_into_blocks(self, managers: Collection[str]) -> bool:
        """Whether one of them wants changes with a word that is only in the same block."""
        return any(each.blocks for name in managers for each in self._of[name].values())

    def partitions(self, manager: str, terms: Terms, blocks: Terms, count: int) -> Iterator[int]:
        """Yield the partitions, of ``count``, that want a change for a manager, by its terms.

        ``blocks`` are the terms of the blocks of what changed.
        """
        for partition, each in self._of.get(manager, _NONE).items():
            if each.everything or _wants(each, blocks if each.blocks else terms, count):
                yield partition


def has_any(interest: Interest) -> bool:
    """Whether an interest is one at all."""
    return bool(interest.terms) or interest.many or interest.everything


def _wants(interest: Interest, terms: Terms, count: int) -> bool:
    if not interest.many:
        return not terms.isdisjoint(interest.terms)
    return any(term % count == interest.partition for term in terms)


_NONE: Mapping[int, Interest] = {}
