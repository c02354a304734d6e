"""Waiting for a condition, with a deadline instead of a fixed pause."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeVar

T = TypeVar("T")

TIMEOUT_S = 200.0
"""Many times what is usual, for a machine that is busy, and longer than the 120 s after which a
worker that stands still ends itself and is started again."""
PAUSE, LONG_PAUSE = 0.02, 0.1
"""For a look at memory, and for a call, which takes the processes of a deployment CPU time."""


async def until(found: Callable[[], T | None], what: str, timeout_s: float = TIMEOUT_S) -> T:
    """Return the first true value of ``found``; raises AssertionError if none comes in time."""

    async def now() -> T | None:
        return found()

    return await eventually(now, what, timeout_s, PAUSE)


async def eventually(
    found: Callable[[], Awaitable[T | None]],
    what: str,
    timeout_s: float = TIMEOUT_S,
    pause: float = LONG_PAUSE,
) -> T:
    """Do the same as ``until`` with a coroutine, every ``pause`` s."""
    result: T | None = None
    try:
        async with asyncio.timeout(timeout_s):
            # ASYNC110: other processes have no event to wait for
            while not (result := await found()):  # noqa: ASYNC110
                await asyncio.sleep(pause)
    except TimeoutError:
        raise AssertionError(f"not within {timeout_s:g} s: {what} (last: {result!r})") from None
    return result
