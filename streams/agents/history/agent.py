"""history: notifies afterwards of kept changes, and reads kept pages again.

Both wait on the store and on work outside of the event loop, a backfill on a thread and a page on
processes and another thread. The pool of the engine begins a request when it has come, unless one
with the same key is at work: a backfill has none, and pages of a partition are read one by one. So
neither kind waits for the other, as long as a worker has room for more requests. It has, for
``vokter reprocess`` has at most 100 pages in hand at a time, and backfills of a manager wait for
each other and are refused beyond 100.

Nothing is stored by the agent: a crash repeats a request, with the same ids and the same result.
"""

from collections.abc import Awaitable, Callable, Sequence

from schemas.records.backfills import BackfillEnded, BackfillGranted
from schemas.records.reprocessing import Reprocess, Reprocessed
from schemas.records.topics import REPROCESSED
from streams.agents.history.backfill import Backfills
from streams.values.judging import send_to
from streams.values.outcome import Event, Lookup, Outcome, Owned, Send


class HistoryProcessor:
    """The agent."""

    def __init__(
        self, backfills: Backfills, reprocess: Callable[[Reprocess], Awaitable[Reprocessed]]
    ) -> None:
        """``reprocess`` reads a page again."""
        self._backfills = backfills
        self._reprocess = reprocess

    def key(self, event: Event) -> str | None:
        """Let backfills run in any order: those of a manager wait for each other.

        Of the pages of a partition one is read at a time: a large page must not be waited for
        with all others in hand.
        """
        return str(event.partition) if isinstance(event.fact, Reprocess) else None

    def sizes(self) -> dict[str, int]:
        """Return nothing: what waits is in flight, which is counted for every agent."""
        return {}

    async def assigned(self, partitions: Sequence[Owned]) -> None:
        """Load nothing: all that is known is in the store."""

    def released(self) -> None:
        """Forget the backfills that were under way."""
        self._backfills.forget()

    async def handle(self, event: Event, lookup: Lookup) -> Outcome:
        """Notify of kept changes, the oldest first, or read one page again."""
        match event.fact:
            case BackfillGranted():
                new = await self._backfills.notifications(
                    event.fact, (event.partition, event.offset)
                )
                subscription = event.fact.subscription
                return Outcome([send_to(subscription, each, subscription.url) for each in new])
            case BackfillEnded():
                self._backfills.end(event.fact.subscription)
                return Outcome()
            case Reprocess():
                result = await self._reprocess(event.fact)
                return Outcome((Send(REPROCESSED.name, result.url, result),))
        raise TypeError(f"history does not read facts of type {type(event.fact).__name__}")
