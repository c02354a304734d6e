"""Sparklines of watches: what they count, with one read of the store."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import chain, islice

from connectors.page.sparkline import MOST_DAYS, Sparkline, sparkline
from connectors.stores.pages import DAY_MS, DocumentSpan, ListedSubscription
from connectors.stores.ports import FactReader
from connectors.stores.span import Span, spans_of


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
        spans = [_spans(each, first, now) for each in watches]
        counts = iter(await self._facts.change_counts([*chain.from_iterable(spans)]))
        sums = [_summed(islice(counts, len(each))) for each in spans]
        return [sparkline(each, now, self._days) for each in sums]


def _summed(counts: Iterable[Mapping[int, int]]) -> Counter[int]:
    total = Counter[int]()
    for each in counts:
        total.update(each)
    return total


def _spans(watch: ListedSubscription, first: int, now: int) -> list[DocumentSpan]:
    """Return the spans of a watch's view, and of those that it had in these days."""
    one, end = watch.subscription, now if watch.ended is None else watch.ended
    of_view = Span(one.view_id, one.created, end)
    return [
        DocumentSpan(one.url, each.view, max(first, each.begin), each.end)
        for each in spans_of(of_view, one)
        if each.end >= first or each is of_view
    ]
