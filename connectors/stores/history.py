"""The read side, whichever the store: which rows a fact brings about."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from connectors.stores.packing import history_name
from schemas.facts import Cancelled, Expired, Fact, Rejected, Subscribed, SubscriptionFact

Operation = TypeVar("Operation")


@dataclass(frozen=True, slots=True)
class Rows(Generic[Operation]):
    """How a store writes its rows; each gives an operation that may be done again.

    ``end`` takes the fact, the state and the reason, ``note`` the kind, the id and the fact.
    """

    watch: Callable[[SubscriptionFact], Operation]
    begin: Callable[[Subscribed], Operation]
    end: Callable[[Cancelled | Expired, str, str | None], Operation]
    note: Callable[[str, str, Any], Operation]

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
