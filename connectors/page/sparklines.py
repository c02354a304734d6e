"""Sparklines of watches: what they count, with one read of the store."""

from collections.abc import Callable, Sequence

from connectors.page.sparkline import MOST_DAYS, Sparkline, sparkline
from connectors.stores.pages import DAY_MS, DocumentSpan, ListedSubscription
from connectors.stores.ports import FactReader


class Sparklines:
    """Counts the changes of documents in the last days."""

    def __init__(self, facts: FactReader, clock: Callable[[], float], kept_days: int) -> None:
        """``clock`` returns epoch seconds; changes are kept for ``kept_days``."""
        self._facts = facts
        self._clock = clock
        self._days = max(1, min(MOST_DAYS, kept_days))

    async def of(self, watches: Sequence[ListedSubscription]) -> list[Sparkline]:
        """Return that of each watch, from when it began until it ended."""
        now = int(1000 * self._clock())
        first = (now // DAY_MS - self._days + 1) * DAY_MS
        spans = [_span(each, first, now) for each in watches]
        counts = await self._facts.change_counts(spans)
        return [sparkline(each, now, self._days) for each in counts]


def _span(watch: ListedSubscription, first: int, now: int) -> DocumentSpan:
    subscription = watch.subscription
    end = now if watch.ended is None else watch.ended
    begin = max(first, subscription.created)
    return DocumentSpan(subscription.url, subscription.view_id, begin, end)
