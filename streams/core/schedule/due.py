"""When documents are due: pure arithmetic, so nothing is kept per fetch.

A slot is a due time: phase + k·interval in epoch milliseconds. The phase is a
stable hash of the URL, so that load spreads evenly over the interval and two
owners of a partition agree on every slot.
"""

from zlib import crc32

STEP = 100
"""Milliseconds between slots: what is read together costs less than one by one."""
TICK = 1000
"""Milliseconds: a tick hands over what falls due until the next."""
AHEAD = 60_000
"""Milliseconds that the clock of another machine may be ahead of ours."""


def newest_slot(url: str, interval: int, time: int) -> int:
    """Give the last slot at or before ``time`` (ms) of a URL watched every ``interval`` s."""
    period = interval * 1000
    phase = crc32(url.encode()) * STEP % period
    return time - (time - phase) % period


def next_slot(url: str, interval: int, time: int) -> int:
    """Give the first slot (ms) after ``time`` (ms)."""
    return newest_slot(url, interval, time) + interval * 1000
