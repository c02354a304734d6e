"""The terms that a manager has in a partition, and what of them match is to know."""

from collections import Counter
from collections.abc import Collection, Iterable

from pybloom_live import BloomFilter

from streams.matching.terms.term_filters import MAX_FILTERED, copied, filled, filter_for
from streams.values.steps import Steps

MAX_TERMS = 64
"""Terms that match knows one by one; of more it gets a filter."""
MAX_ADDED = 256
"""Terms beyond a filter that match knows one by one: they are sent again with each new one."""
PAUSE_MS = 10_000
"""Time between two filters."""


class ManagerTerms:
    """The terms of one manager, and how many of its subscriptions have each.

    Match knows up to ``MAX_TERMS`` one by one. Of more it has a filter, and those that were added
    since one by one. It gets a filter again when the terms have grown or shrunk by more than a
    tenth, or more than ``MAX_ADDED`` were added. Until then it is to expect any term::

        terms    match knows
        ─────    ───────────
          40     40 terms
         500     many, then a filter of 500
         540     the filter of 500, and 40 terms
         560     the filter of 500, and 60 terms, then a filter of 560
    """

    def __init__(self) -> None:
        self._counts = Counter[int]()
        self._filter: BloomFilter | None = None
        self._added = set[int]()
        self._begun: int | None = None
        self.filter_made: int | None = None
        """The time (epoch ms) of the filter that match has, None if it needs none."""

    def add(self, terms: Iterable[int]) -> None:
        """Count the terms of a subscription."""
        for term in terms:
            is_new = term not in self._counts
            if is_new and self._filter is not None and term not in self._filter:
                self._added.add(term)
            self._counts[term] += 1

    def remove(self, terms: Iterable[int]) -> None:
        """Count the terms of a subscription no more."""
        for term in terms:
            self._counts[term] -= 1
            if not self._counts[term]:
                del self._counts[term]
                self._added.discard(term)
        if len(self._counts) <= MAX_TERMS:
            self._filter = self.filter_made = None
            self._added.clear()

    @property
    def is_many(self) -> bool:
        """Whether match is to expect any term."""
        return len(self._beyond) > (MAX_TERMS if self._filter is None else MAX_ADDED)

    @property
    def listed(self) -> tuple[int, ...]:
        """The terms that match knows one by one."""
        return () if self.is_many else tuple(sorted(self._beyond))

    def is_filter_due(self, now: int) -> bool:
        """Return whether a filter is to be made at a time (epoch ms)."""
        if not MAX_TERMS < len(self._counts) <= MAX_FILTERED:
            return False
        # A time before the last one is that of another clock.
        if self._begun is not None and self._begun <= now < self._begun + PAUSE_MS:
            return False
        is_outgrown = self._filter is None or self._is_outgrown(self._filter)
        return is_outgrown or len(self._added) > MAX_ADDED

    def make_filter(self, now: int) -> Steps[BloomFilter]:
        """Make the filter of all terms, in steps, and return it for match.

        Those that are added meanwhile are beyond it.
        """
        self._begun = now
        covered = frozenset(self._counts)
        if self._filter is None or self._is_outgrown(self._filter):
            found = yield from filled(filter_for(len(covered)), covered)
        else:
            found = yield from filled(copied(self._filter), tuple(self._added))
        if len(self._counts) > MAX_TERMS:
            # Not before: terms that came meanwhile are not listed if the former filter has them.
            self._filter, self.filter_made = found, now
            self._added = self._counts.keys() - covered
        return found

    @property
    def _beyond(self) -> Collection[int]:
        return self._counts.keys() if self._filter is None else self._added

    def _is_outgrown(self, known: BloomFilter) -> bool:
        """Whether more than a tenth has been added to the terms of a filter, or forgotten."""
        size, added = len(known), len(self._added)
        forgotten = size - (len(self._counts) - added)
        return size + added > known.capacity or forgotten * 10 > size
