"""Which snapshots of a document a manager may see, whichever the store."""

from dataclasses import dataclass

from connectors.stores import cursor
from connectors.stores.base import ListingPage
from schemas.documents import Snapshot


@dataclass(frozen=True, slots=True)
class Span:
    """The time (epoch ms) for which a manager has had subscriptions of a document."""

    begin: int
    end: int

    def latest(self, at: int | None) -> int:
        """The last time at which a snapshot that held ``at`` a time may have begun."""
        return self.end if at is None else min(self.end, at)


def held(found: Snapshot, at: int | None) -> bool:
    """Whether a snapshot that began by then held at a time; the newest always does."""
    return at is None or found.until is None or at < found.until


def page(found: list[Snapshot], limit: int) -> ListingPage[Snapshot]:
    """A page of what was found, newest first, with one more than it may have."""
    more = len(found) > limit and limit
    return ListingPage(
        tuple(found[:limit]), cursor.written(found[limit - 1].at, "") if more else None
    )
