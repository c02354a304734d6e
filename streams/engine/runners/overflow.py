"""Make outcomes that take long durable outside of the lane that their events came on."""

import asyncio
from collections.abc import Awaitable, Callable


class OverflowLanes:
    """Work of one partition in lines: one after another in a line, and all lines at once."""

    def __init__(self) -> None:
        """Start with nothing at work."""
        self._last: dict[str, asyncio.Task[None]] = {}
        self._tasks: set[asyncio.Task[None]] = set()

    def begin(self, line: str, work: Callable[[], Awaitable[None]]) -> None:
        """Start work when all before it in its line is done; ``work`` must not raise."""
        task = asyncio.create_task(self._do(line, self._last.get(line), work))
        self._last[line] = task
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def __contains__(self, line: str) -> bool:
        """Whether a line has work that is not done."""
        return line in self._last

    async def done(self, line: str) -> None:
        """Wait until a line has no work."""
        while line in self._last:
            await asyncio.wait([self._last[line]])

    def stop(self) -> None:
        """Cancel all that is not done."""
        for task in self._tasks:
            task.cancel()
        self._last.clear()

    async def _do(
        self,
        line: str,
        before: "asyncio.Task[None] | None",
        work: Callable[[], Awaitable[None]],
    ) -> None:
        if before is not None:
            await before
        await work()
        # Only the last one of the line clears it.
        if self._last.get(line) is asyncio.current_task():
            del self._last[line]
