"""An answer shared by all callers: a single question at a time, none while the last is fresh."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Generic, TypeVar

import structlog

log = structlog.get_logger()

Value = TypeVar("Value")


class SharedAnswer(Generic[Value]):
    """Asks at most once in ``fresh_s`` seconds, however many want to know."""

    def __init__(
        self, ask: Callable[[], Awaitable[Value]], fresh_s: float, clock: Callable[[], float]
    ) -> None:
        """``ask`` is slow or costly; ``clock`` is monotonic, in seconds."""
        self._ask = ask
        self._fresh_s = fresh_s
        self._clock = clock
        self._known: tuple[float, Value] | None = None
        self._asking: asyncio.Task[Value] | None = None

    async def get(self) -> Value:
        """Return a fresh answer; raises the question's error, to all its waiters."""
        if self._known is not None and not self._is_old(self._known[0]):
            return self._known[1]
        self._asking = self._begin()
        # Shielded, because others may wait for it when this caller is cancelled.
        return await asyncio.shield(self._asking)

    def latest(self) -> Value | None:
        """Return the last answer at once, None before the first, and refresh an old answer."""
        if self._known is None or self._is_old(self._known[0]):
            self._asking = self._begin()
        return None if self._known is None else self._known[1]

    def drop(self) -> None:
        """Forget the answer, just become untrue."""
        self._known = None

    def _begin(self) -> "asyncio.Task[Value]":
        if self._asking is not None and not self._asking.done():
            return self._asking
        task = asyncio.create_task(self._answer())
        task.add_done_callback(_note_failure)
        return task

    async def _answer(self) -> Value:
        value = await self._ask()
        self._known = self._clock(), value
        return value

    def _is_old(self, at: float) -> bool:
        return self._clock() - at >= self._fresh_s


def _note_failure(task: "asyncio.Task[Value]") -> None:
    """Log why a question failed: nobody may have waited for its answer."""
    if not task.cancelled() and (error := task.exception()) is not None:
        log.warning("a question of the page failed", error=repr(error), once_a_minute="question")
