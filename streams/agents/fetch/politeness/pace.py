"""The pace of visits to a page, by its own changes, within a least and a longest interval.

A visit every I seconds sees a change I/2 late on average. For a given number of visits in all,
the mean lateness of all changes is least if each page's interval is in proportion to one over the
square root of its rate of change (Lagrange multipliers). So a page gets the geometric mean of the
least interval and the mean time between its changes.

The rate is estimated as for a page that is polled, whose changes are seen only at visits: half a
change more than were seen, so that a page without any has a rate, too (Cho and Garcia-Molina,
"Estimating frequency of change", ACM TOIT 3(3), 2003). The half is forgotten as changes are.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from math import sqrt

from streams.agents.fetch.state.recurring_texts import times_of

REMEMBERED = 0.9
"""The share of the weight of earlier changes that each change leaves: the last ten or so count."""

LONGEST_S = 86_400
"""A failing page is asked at least once a day, or at its own interval if that is longer."""
_MOST_COUNTED = 64
"""Failures after which the interval grows no more, long past ``LONGEST_S``."""


@dataclass(frozen=True, slots=True)
class Pace:
    """Changes that were seen, and the seconds up to the last one; later ones count more.

    ``last`` is the time (epoch ms) of the last change or, without one, of the first visit.
    ``prior`` is the weight of what is assumed of a page of which nothing is known.
    """

    changes: float = 0.0
    seconds: float = 0.0
    last: int = 0
    prior: float = 0.5


def pace_of(past: bytes) -> Pace:
    """Compute the pace of a page from its last texts (``Document.past``), to the minute.

    >>> pace_of(b"")
    Pace(changes=0.0, seconds=0.0, last=0, prior=0.5)
    """
    times = times_of(past)
    return pace_after(Pace(last=times[0]), times[1:]) if times else Pace()


def pace_after(before: Pace, times: Iterable[int]) -> Pace:
    """Return the pace after changes that were seen at some times (epoch ms)."""
    changes, seconds, last, prior = before.changes, before.seconds, before.last, before.prior
    for at in times:
        changes = REMEMBERED * changes + 1
        seconds = REMEMBERED * seconds + max(0, at - last) / 1000
        last, prior = at, REMEMBERED * prior
    return Pace(changes, seconds, last, prior)


def interval_at(pace: Pace, at: int, least: int, longest: int) -> float:
    """Return the seconds between the visit ``at`` a time (epoch ms) and the one after it.

    From ``least`` to ``longest``; a page of which nothing is known begins with their geometric
    mean, and one that stays the same is visited less and less often.

    >>> round(interval_at(Pace(), 0, 60, 86_400))
    2277
    >>> hourly = Pace(changes=10, seconds=36_000, last=0)
    >>> 460 < interval_at(hourly, 0, 60, 86_400) < 700
    True
    """
    calm = max(0, at - pace.last) / 1000 if pace.last else 0.0
    observed = pace.seconds + calm + pace.prior * longest
    between = observed / (pace.changes + pace.prior)
    return min(max(sqrt(least * between), least), longest)


def pause_ms(failures: int, interval: int, factor: float) -> int:
    """Return for how long (ms) after a failed slot the slots that follow are left out.

    ``interval`` (s) is multiplied by ``factor`` for each of ``failures`` in a row. A factor
    of 1 leaves out none.

    >>> pause_ms(3, 60, 2.0)  # the next slot is 480 s after the failed one
    420000
    """
    grown = interval * factor ** min(failures, _MOST_COUNTED)
    return round((min(grown, max(LONGEST_S, interval)) - interval) * 1000)
