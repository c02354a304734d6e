"""Counts of a page's changes by day, as a small chart; a single read for all charts of a list."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from itertools import chain, islice

from connectors.languages.formats import day, number
from connectors.languages.texts import gettext, ngettext
from connectors.stores.pages import (
    DAY_MS,
    MAX_COUNTED,
    DocumentSpan,
    ListedSubscription,
)
from connectors.stores.ports import FactReader
from connectors.stores.span import SubscribedTime, spans_of

MOST_DAYS = 30
STEP, BAR, HEIGHT, LEAST = 4, 3, 20, 4
"""Pixels: from a day to the next, of a bar, and of the highest and the lowest bar."""
_DAY = timedelta(days=1)
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Sparkline:
    """A chart of ``width`` pixels; ``text`` describes the chart, ``label`` is the sum.

    ``path`` draws a bar for each day with a change, as SVG's paths are written. The ``last`` change
    is a time in epoch ms.
    """

    width: int
    path: str
    label: str
    text: str
    last: int | None = None


def sparkline(counts: Mapping[int, int], now: int, days: int) -> Sparkline:
    """Return a chart of the last days before ``now`` (epoch ms), today's included.

    ``counts`` are the changes of each day since 1970, UTC.

    >>> sparkline({0: 1, 2: 4}, now=2 * DAY_MS, days=3).text
    '5 changes in 3 days, most on 3 January (4)'
    """
    first = now // DAY_MS - days + 1
    each = [counts.get(first + at, 0) for at in range(days)]
    most = max(each)
    heights = (LEAST + (HEIGHT - LEAST) * count // most if count else 0 for count in each)
    bars = (
        f"M{STEP * at} {HEIGHT}v-{height}h{BAR}v{height}z"
        for at, height in enumerate(heights)
        if height
    )
    total = sum(each)
    busiest = _EPOCH + _DAY * (first + each.index(most))
    label = f"{number(total)}{'+' if total >= MAX_COUNTED else ''}"
    return Sparkline(STEP * days, "".join(bars), label, _text(total, days, most, busiest))


def _text(total: int, days: int, most: int, busiest: datetime) -> str:
    """Return the description of a chart: its days, their changes, and the busiest days."""
    span = ngettext("in %(num)s day", "in %(num)s days", days)
    values = {"days": span, "day": day(busiest), "most": number(most)}
    if not most:
        return gettext("0 changes %(days)s", days=span)
    if total >= MAX_COUNTED:
        return gettext(
            "%(num)s or more changes %(days)s, most on %(day)s (%(most)s)",
            num=number(total),
            **values,
        )
    return ngettext(
        "%(num)s change %(days)s, most on %(day)s (%(most)s)",
        "%(num)s changes %(days)s, most on %(day)s (%(most)s)",
        total,
        **values,
    )


class Sparklines:
    """Counts the changes of documents in the last days."""

    def __init__(self, facts: FactReader, clock: Callable[[], float], kept_days: int) -> None:
        """``clock`` returns epoch seconds; changes are kept for ``kept_days``."""
        self._facts = facts
        self._clock = clock
        self._days = max(1, min(MOST_DAYS, kept_days))

    async def of(self, watches: Sequence[ListedSubscription]) -> list[Sparkline]:
        """Return the chart of each watch, from its begin to its end."""
        now = int(1000 * self._clock())
        first = (now // DAY_MS - self._days + 1) * DAY_MS
        spans = [_spans(each, first, now) for each in watches]
        counts = iter(await self._facts.change_counts([*chain.from_iterable(spans)]))
        charts = []
        for of_watch in spans:
            days = Counter[int]()
            last: int | None = None
            for each in islice(counts, len(of_watch)):
                days.update(each.days)
                last = max(last or 0, each.last) if each.last is not None else last
            charts.append(replace(sparkline(days, now, self._days), last=last))
        return charts


def _spans(watch: ListedSubscription, first: int, now: int) -> list[DocumentSpan]:
    """Return the spans of a watch's view, and of its views in these days."""
    one, end = watch.subscription, now if watch.ended is None else watch.ended
    of_view = SubscribedTime(one.view_id, one.created, end)
    return [
        DocumentSpan(one.url, each.view, max(first, each.begin), each.end)
        for each in spans_of(of_view, one)
        if each.end >= first or each is of_view
    ]
