"""Waiting for what must come true, with a deadline instead of a guess."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeVar

T = TypeVar("T")

TIMEOUT_S = 120.0
"""Seconds: many times what is usual, for a machine that does other things too."""
PAUSE = 0.02


async def until(found: Callable[[], T | None], what: str, timeout_s: float = TIMEOUT_S) -> T:
    """Give the first true value of ``found``; AssertionError when none comes in time."""

    async def now() -> T | None:
        return found()

    return await eventually(now, what, timeout_s)


async def eventually(
    found: Callable[[], Awaitable[T | None]],
    what: str,
    timeout_s: float = TIMEOUT_S,
    pause: float = PAUSE,
) -> T:
    """As ``until``, for what must be asked for, every ``pause`` s."""
    result: T | None = None
    try:
        async with asyncio.timeout(timeout_s):
            # ASYNC110: other processes have no event to wait for
            while not (result := await found()):  # noqa: ASYNC110
                await asyncio.sleep(pause)
    except TimeoutError:
        raise AssertionError(f"not within {timeout_s:g} s: {what} (last: {result!r})") from None
    return result
