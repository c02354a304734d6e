"""Processes that read strangers' documents."""

import pickle
import signal
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any, TypeVar

from connectors.processes.child import Limits, begin_calls
from connectors.processes.errors import Interrupted, ProcessEnded, TooHard
from connectors.processes.pool import ProcessPool

T = TypeVar("T")

MEMORY_LIMIT = 2 * 2**30
"""Bytes of address space of a process, where the system can limit it."""
WALL_FACTOR = 6
"""Work is ended after so many times its CPU seconds even if it had less of the CPU."""


class DocumentProcesses(ProcessPool):
    """A few processes that call functions, one each at a time; an async context manager."""

    def __init__(
        self, count: int, seconds: float, preload: Iterable[str], prepare: Callable[[], None]
    ) -> None:
        """Kill what takes more than so many ``seconds`` of CPU.

        ``preload`` names modules that are imported once for all processes; each calls
        ``prepare``, which can be pickled, before its first work.
        """
        limits = Limits(seconds, seconds * WALL_FACTOR, MEMORY_LIMIT, answer_bytes=MEMORY_LIMIT)
        super().__init__(count, limits, partial(begin_calls, prepare), preload)

    async def call(self, function: Callable[..., T], arguments: Any) -> tuple[T, float]:
        """Wait for a free process, and call in it a function that can be pickled.

        Returns its result and the CPU seconds that it took. Raises what the function raises,
        TooHard if it took too much time or memory, Interrupted if this machine was too busy
        or killed the process, and OSError if there is no process.
        """
        try:
            answer = await self.answer(pickle.dumps((function, arguments)))
        except ProcessEnded as end:
            raise self._failure(end.status) from None
        is_done, result = pickle.loads(answer)  # noqa: S301  # made by our own process
        if is_done:
            done: tuple[T, float] = result
            return done
        raise result

    def _failure(self, status: int) -> Exception:
        if status == -signal.SIGALRM:
            waited = f"{self.limits.wall_s:g} s"
            return Interrupted(f"this machine was too busy to read it in {waited}")
        if status == -signal.SIGKILL:
            return Interrupted("the process that read it was killed, perhaps for lack of memory")
        return TooHard(self._why(status))

    def _why(self, status: int) -> str:
        if status == -signal.SIGPROF:
            seconds = self.limits.cpu_s
            return f"the page took longer than {seconds:g} s to read (VOKTER_PARSE_TIMEOUT)"
        return f"the process that read the page crashed ({status})"
