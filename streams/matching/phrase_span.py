"""Where the phrases of a keyword are closest to each other in a unit."""

from collections.abc import Iterable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

Bounds = tuple[int, int]
"""Start and end of a span."""
Positions = NDArray[np.int64]

MAX_TRIED = 10_000
"""Occurrences of the rarest phrase from which the closest ones are sought, times the phrases."""


def near_rarest(found: Sequence[Positions]) -> list[Positions]:
    """Keep, of the sorted positions of each phrase, those next to one of the rarest phrase.

    The smallest span with all phrases is among them::

        near_rarest([np.array([5]), np.array([1, 4, 9, 12])])  # [[5], [4, 9]]
    """
    rarest = min(found, key=len)[: MAX_TRIED // len(found) + 1]
    return [_next_to(each, rarest) for each in found]


def _next_to(positions: Positions, others: Positions) -> Positions:
    after = np.searchsorted(positions, others)
    which = np.unique(np.concatenate((after - 1, after)))
    return positions[which[(which >= 0) & (which < len(positions))]]


def smallest_span(phrases: Sequence[Iterable[Bounds]]) -> Bounds:
    """Return the first of the smallest spans that have a span of each phrase.

    smallest_span([[(0, 2), (9, 10)], [(5, 8)]]) is ``(5, 10)``.
    """
    found = sorted((start, end, n) for n, spans in enumerate(phrases) for start, end in spans)
    return min(_covering(found, len(phrases)), default=(0, 0), key=_length)


def _covering(found: Iterable[tuple[int, int, int]], count: int) -> Iterator[Bounds]:
    """Yield, at each occurrence, the span back to the latest one of every phrase."""
    latest: dict[int, Bounds] = {}
    for start, end, phrase in found:
        # Inserted again, so that the first entry is always the oldest.
        latest.pop(phrase, None)
        latest[phrase] = start, end
        if len(latest) == count:
            oldest = next(iter(latest.values()))
            yield oldest[0], max(end for _, end in latest.values())


def _length(span: Bounds) -> int:
    return span[1] - span[0]
