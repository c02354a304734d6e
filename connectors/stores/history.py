"""The read side, whichever the store: which rows a fact brings about."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from connectors.stores import cursor
from connectors.stores.base import ListingPage
from connectors.stores.packing import fact_of, history_name
from schemas.facts import Cancelled, Expired, Fact, Rejected, Subscribed, SubscriptionFact

Operation = TypeVar("Operation")
MAX_PAGE = 1_000_000
"""Compressed bytes of a page, but for one row that is larger by itself."""


@dataclass(frozen=True, slots=True)
class Rows(Generic[Operation]):
    """How a store writes its rows; each gives an operation that may be done again.

    ``end`` takes the fact, the state and the reason, ``note`` the kind, the id, what the
    fact is listed under, and the fact.
    """

    watch: Callable[[SubscriptionFact], Operation]
    begin: Callable[[Subscribed], Operation]
    end: Callable[[Cancelled | Expired, str, str | None], Operation]
    note: Callable[[str, str, str, Any], Operation]

    def operations(self, facts: Sequence[Fact]) -> list[Operation]:
        """Give what is to be written for these facts, in order; slow for large changes."""
        return [operation for fact in facts for operation in self._of(fact)]

    def _of(self, fact: Fact) -> Iterator[Operation]:
        if isinstance(fact, SubscriptionFact):
            yield self.watch(fact)
            yield from self._life(fact)
        elif name := history_name(fact):
            yield self.note(*name, fact)

    def _life(self, fact: SubscriptionFact) -> Iterator[Operation]:
        match fact:
            case Subscribed():
                yield self.begin(fact)
            case Cancelled():
                yield self.end(fact, "cancelled", None)
            case Expired():
                yield self.end(fact, "expired", fact.reason)
            case Rejected():
                return


class HistoryPage:
    """A page of the history, filled with one row after another."""

    def __init__(self, limit: int) -> None:
        """Take how many rows it has at most."""
        self._limit = limit
        self._rows: list[tuple[int, str, bytes]] = []
        self._size = 0
        self._is_last = True

    def add(self, at: int, name: str, packed: bytes) -> bool:
        """Take a row if there is room for it, else say so; the first one always has."""
        self._size += len(packed)
        is_full = len(self._rows) == self._limit or (self._rows and self._size > MAX_PAGE)
        if is_full:
            self._is_last = False
            return False
        self._rows.append((at, name, packed))
        return True

    def page(self) -> ListingPage[Any]:
        """Give what was taken; slow for large changes."""
        items = tuple(fact_of(packed) for _, _, packed in self._rows)
        return ListingPage(items, None if self._is_last else cursor.written(*self._rows[-1][:2]))
