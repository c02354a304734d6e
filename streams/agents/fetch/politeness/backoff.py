"""How long a page that cannot be read is left alone: each failure doubles its interval."""

LONGEST_S = 86_400
"""A failing page is asked at least once a day, or at its own interval if that is longer."""
_MOST_COUNTED = 64
"""Failures after which the interval grows no more, long past ``LONGEST_S``."""


def pause_ms(failures: int, interval: int, factor: float) -> int:
    """Return for how long (ms) after a failed slot the slots that follow are left out.

    ``interval`` (s) is multiplied by ``factor`` for each of ``failures`` in a row. A factor
    of 1 leaves out none.

    >>> pause_ms(3, 60, 2.0)  # the next slot is 480 s after the failed one
    420000
    """
    grown = interval * factor ** min(failures, _MOST_COUNTED)
    return round((min(grown, max(LONGEST_S, interval)) - interval) * 1000)
