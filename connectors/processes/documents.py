"""Processes for reading strangers' documents."""

import pickle
import signal
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any, TypeVar

from connectors.processes.child import Called, ChildLimits, begin_calls
from connectors.processes.errors import Interrupted, ProcessEnded, TooHard
from connectors.processes.pickling import pickled
from connectors.processes.pool import ProcessPool

T = TypeVar("T")

MEMORY_LIMIT = 2 * 2**30
"""Bytes of address space of a process, where the system has such a limit."""
WALL_FACTOR = 6
"""The limit of elapsed time as a multiple of the CPU seconds."""

GROUP_SHARE = 0.2
"""Share of a call's time for several in a message: a hard call holds up the others no longer."""


class DocumentProcesses(ProcessPool):
    """A few processes for calls of functions; an async context manager."""

    def __init__(
        self, count: int, seconds: float, preload: Iterable[str], prepare: Callable[[], None]
    ) -> None:
        """Kill work after so many ``seconds`` of CPU.

        ``preload`` names modules imported once for all processes; each calls ``prepare``, which can
        be pickled, before its first work.
        """
        limits = ChildLimits(
            seconds, seconds * WALL_FACTOR, MEMORY_LIMIT, answer_bytes=MEMORY_LIMIT
        )
        super().__init__(count, limits, partial(begin_calls, prepare), preload)

    async def call(self, function: Callable[..., T], arguments: Sequence[Any]) -> tuple[T, float]:
        """Wait for a free process, and call a function there which can be pickled.

        Returns its result and its CPU seconds. Raises the errors of the function, and of
        ``call_each``.
        """
        ((result, error, seconds),) = await self.call_each([(function, arguments)])
        if error is not None:
            raise error
        return result, seconds

    async def call_each(
        self, calls: Sequence[tuple[Callable[..., Any], Sequence[Any]]]
    ) -> Sequence[Called]:
        """Wait for a free process, and call some functions there with their arguments.

        Raises TooHard if they took too much time or memory, Interrupted if this machine was too
        busy or killed the process, and OSError if there is no process. Several have only a fifth of
        the time of a single call.
        """
        share = 1.0 if len(calls) == 1 else GROUP_SHARE
        cpu_s, wall_s, *others = self.limits
        limits = ChildLimits(cpu_s * share, wall_s * share, *others)
        try:
            answer = await self.answer(pickled(calls), limits)
        except ProcessEnded as end:
            raise self._failure(end.status) from None
        done: Sequence[Called] | Exception = pickle.loads(answer)  # noqa: S301  # made by our own process
        if isinstance(done, Exception):
            raise done
        return done

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
