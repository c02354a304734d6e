"""The due times of documents: pure arithmetic, so nothing is stored per fetch.

A slot is a due time: phase + k·interval in epoch milliseconds. The phase is a stable hash of the
URL, so load spreads evenly over the interval, and two owners of a partition agree on every slot.
"""

from zlib import crc32

SLOT_STEP_MS = 20
"""Time between slots. Documents due together wait for each other on their way to the webhook."""
TICK_MS = 1000
"""Time between ticks. A tick commands all fetches due until the next."""
LEAD_MS = 300
"""Time from a tick to its first slot: late commands are fetched all at once."""
FURTHEST_MS = TICK_MS + LEAD_MS
"""Milliseconds before its slot at which a fetch is commanded, at most."""
MAX_AHEAD_MS = 60_000
"""The most milliseconds of another machine's clock ahead of ours."""


def newest_slot(url: str, interval: int, time: int) -> int:
    """Return the last slot, at or before ``time`` (ms), of a URL fetched every ``interval`` s."""
    period = interval * 1000
    phase = crc32(url.encode()) * SLOT_STEP_MS % period
    return time - (time - phase) % period


def next_slot(url: str, interval: int, time: int) -> int:
    """Return the first slot (ms) after ``time`` (ms)."""
    return newest_slot(url, interval, time) + interval * 1000


def hold_back_ms(interval: int) -> int:
    """Return the time before a slot at which the slot is left to the next tick.

    A page with an interval of a second has no lead: its next command would come while this command
    waits for its slot, and of two waiting commands only the newest is fetched.

    >>> hold_back_ms(1), hold_back_ms(2)
    (300, 0)
    """
    return LEAD_MS if interval * 1000 < FURTHEST_MS else 0
