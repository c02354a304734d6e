"""Work that goes on as long as an agent lives."""

import asyncio
from collections.abc import AsyncIterator, Coroutine
from contextlib import asynccontextmanager, suppress
from typing import Any

from streams.engine.life.loop_watch import end_process


@asynccontextmanager
async def running(work: Coroutine[Any, Any, None]) -> AsyncIterator[None]:
    """Run work until the end; an error of it ends the process, for nobody would miss the work."""
    task = asyncio.create_task(work)
    task.add_done_callback(_end_process_at_error)
    try:
        yield
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task


def _end_process_at_error(task: "asyncio.Task[None]") -> None:
    if not task.cancelled() and (error := task.exception()) is not None:
        end_process("what goes on in the background has ended", error)
