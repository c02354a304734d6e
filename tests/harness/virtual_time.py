"""An event loop with a clock that jumps to the next timer when nothing else is left to do."""

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

T = TypeVar("T")


class VirtualLoop(asyncio.SelectorEventLoop):
    """Waits for no timer; for coroutines that wait for nothing but timers and each other."""

    _ready: Any
    _scheduled: Any

    def __init__(self) -> None:
        super().__init__()
        self._passed = 0.0

    def time(self) -> float:
        return self._passed

    def _run_once(self) -> None:
        if not self._ready and self._scheduled:
            self._passed = max(self._passed, self._scheduled[0].when())
        super()._run_once()  # type: ignore[misc]  # private, hence not annotated


def in_virtual_time(work: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine to its end, however many seconds it waits."""
    with asyncio.Runner(loop_factory=VirtualLoop) as runner:
        return runner.run(work)
