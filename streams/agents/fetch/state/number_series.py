"""The series of a number: what a page has said, and since when.

A point is added when the number changes, so the series is complete until it is full. Then, of
the older half, every second point is left out: of two neighbours the one that is nearer to
the point before them. Peaks stay, and so do the first point and the newer half.
"""

from collections.abc import Sequence

from schemas.records.numbers import MAX_POINTS, NumberPoint


def series_after(series: tuple[NumberPoint, ...], point: NumberPoint) -> tuple[NumberPoint, ...]:
    """Return a series with one more point, unless the number is the one that it has.

    >>> first = NumberPoint(1, "5", "EUR")
    >>> series_after((first,), NumberPoint(2, "5", "EUR")) == (first,)
    True
    """
    last = series[-1] if series else None
    if last is not None and (last.value, last.unit) == (point.value, point.unit):
        return series
    longer = (*series, point)
    return longer if len(longer) <= MAX_POINTS else thinned(longer)


def thinned(series: Sequence[NumberPoint]) -> tuple[NumberPoint, ...]:
    """Return a series with half of the points in its older half."""
    half = len(series) // 2
    kept, older = [series[0]], series[1:half]
    for first, second in zip(older[::2], older[1::2], strict=False):
        kept.append(max(first, second, key=lambda each: abs(each.amount - kept[-1].amount)))
    kept.extend(older[len(older) // 2 * 2 :])
    return (*kept, *series[half:])
