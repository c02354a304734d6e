"""Returns freed memory to the system.

A worker keeps the memory of many pages read at once: glibc returns only free memory at the end of
its heap.
"""

import asyncio
import ctypes
from collections.abc import Callable
from functools import cache


async def returning_free_memory(every_s: float) -> None:
    """Return free memory every so often, until cancelled.

    The work is done in a thread, taking milliseconds for a large heap.
    """
    while _malloc_trim() is not None:
        await asyncio.sleep(every_s)
        await asyncio.to_thread(return_free_memory)


def return_free_memory() -> None:
    """Return free memory now, if this C library can."""
    if (trim := _malloc_trim()) is not None:
        trim(0)


@cache
def _malloc_trim() -> Callable[[int], int] | None:
    """Return the function of glibc (malloc_trim(3)), None with another C library."""
    try:
        trim: Callable[[int], int] = ctypes.CDLL(None).malloc_trim
    except (AttributeError, OSError):
        return None
    return trim
