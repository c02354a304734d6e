"""The pool: starts processes, hands them work, and replaces ended processes."""

import asyncio
import multiprocessing
import multiprocessing.forkserver
import os
import socket
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import asynccontextmanager
from multiprocessing import resource_tracker
from typing import Any, Self

from connectors.processes.child import ChildLimits, Do, serve
from connectors.processes.errors import ProcessEnded
from connectors.processes.process import Process

MAX_WORKS = 1_000
"""Items of work before a process is replaced, for the sake of its memory."""
REST_AFTER_S = 300.0
"""Seconds without work before the processes end, and with them their shared modules (76 MB)."""
SETTINGS = ("VOKTER_", "SCHEMA_REGISTRY_", "OTEL_")
"""Prefixes of variables with settings of Vokter, or of the library for traces."""
_BUFFER = 2**18


_forking: set["ProcessPool"] = set()
"""Pools with started processes. All in this process share a fork server, which must outlive them:
only the fork server knows the exit status of a process."""


class ProcessPool:
    """A few processes, each at the other end of a socket; an async context manager.

    The event loop itself reads the sockets: no thread or lock takes part, and the end of
    a process is the end of its stream. The first work starts the first process.
    """

    def __init__(
        self, count: int, limits: ChildLimits, begin: Callable[[], Do], preload: Iterable[str] = ()
    ) -> None:
        """Let at most ``count`` processes work; each calls ``begin``, which can be pickled, first.

        ``preload`` names modules imported once for all processes.
        """
        self.limits = limits
        self._begin = begin
        # The fork server would start a tracker of semaphores and shared memory, of which our
        # processes have none: another Python with 6 MB, as long-lived as this process. The
        # tracker counts as running while what it is sent can be written.
        tracker: Any = resource_tracker._resource_tracker  # noqa: SLF001 - it has no public switch
        if tracker._fd is None:  # noqa: SLF001 - as above
            tracker._fd = os.open(os.devnull, os.O_WRONLY)  # noqa: SLF001 - as above
        # The children of a fork server have none of our threads, locks and open files.
        self._context = multiprocessing.get_context("forkserver")
        if preload:
            self._context.set_forkserver_preload([serve.__module__, *preload])
        self._free_processes = asyncio.Semaphore(count)
        self._idle: list[Process] = []
        self._ends: set[asyncio.Task[int]] = set()
        self._starting = asyncio.Lock()
        self._works = 0
        self._timer: asyncio.TimerHandle | None = None
        self._resting: asyncio.Task[None] | None = None

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._timer is not None:
            self._timer.cancel()
        if self._resting is not None:
            await self._resting
        async with self._starting:
            await self._end_idle()
        _forking.discard(self)

    async def answer(self, work: bytes, limits: ChildLimits | None = None) -> bytes:
        """Wait for a free process, and let the process do its work; ``limits`` replace its own.

        Raises ProcessEnded if the work ended the process, and OSError if there is no process.
        """
        async with self._free_processes, self._at_work():
            process = await self._take()
            try:
                answer = await process.answer(work, limits or self.limits)
            except asyncio.IncompleteReadError:
                raise ProcessEnded(await process.status()) from None
            except BaseException:
                self._end(process)
                raise
            if process.works < MAX_WORKS:
                self._idle.append(process)
            else:
                self._end(process)
            return answer

    async def _take(self) -> Process:
        if (found := self._idle_one()) is not None:
            return found
        await self._starting.acquire()
        # One may have started meanwhile for work that was cancelled.
        if (found := self._idle_one()) is not None:
            self._starting.release()
            return found
        # To its end, also for cancelled work: a cancelled start would end the fork server, and
        # with this server the starts of others.
        start = asyncio.create_task(self._started())
        start.add_done_callback(lambda _: self._starting.release())
        try:
            return await asyncio.shield(start)
        except asyncio.CancelledError:
            start.add_done_callback(self._keep)
            raise

    def _idle_one(self) -> Process | None:
        while self._idle:
            process = self._idle.pop()
            if not process.has_ended:
                return process
            self._end(process)
        return None

    @asynccontextmanager
    async def _at_work(self) -> AsyncIterator[None]:
        """Count a piece of work, after the last of which the processes may rest."""
        self._works += 1
        if self._timer is not None:
            self._timer.cancel()
        try:
            yield
        finally:
            self._works -= 1
            if self._works == 0:
                self._timer = asyncio.get_running_loop().call_later(REST_AFTER_S, self._rest)

    def _rest(self) -> None:
        self._resting = asyncio.create_task(self._end_all())

    async def _end_all(self) -> None:
        """End all processes, and the fork server unless others need the server.

        New work starts both again.
        """
        async with self._starting:
            await self._end_idle()
            if self._works == 0:
                _forking.discard(self)
            if not _forking:
                server: Any = multiprocessing.forkserver._forkserver  # noqa: SLF001 - it has no public end
                # In a thread, for it waits until the server has ended.
                await asyncio.to_thread(server._stop)  # noqa: SLF001 - as above

    async def _end_idle(self) -> None:
        while self._idle:
            self._end(self._idle.pop())
        await asyncio.gather(*self._ends)

    def _keep(self, start: "asyncio.Task[Process]") -> None:
        if not start.cancelled() and start.exception() is None:
            self._idle.append(start.result())

    async def _started(self) -> Process:
        _forking.add(self)
        ours, theirs = socket.socketpair()
        process = self._context.Process(
            target=serve, args=(theirs, self._begin, self.limits.memory_bytes), daemon=True
        )
        try:
            _run_fork_server()
            with theirs:
                await asyncio.to_thread(process.start)
            streams = await asyncio.open_unix_connection(sock=ours, limit=_BUFFER)
        except (OSError, EOFError) as error:
            ours.close()
            cause = str(error) or "the fork server has broken"
            raise OSError(f"a process cannot be started: {cause}") from error
        return Process(process, ours, *streams)

    def _end(self, process: Process) -> None:
        process.kill()
        end = asyncio.create_task(process.status())
        self._ends.add(end)
        end.add_done_callback(self._ends.discard)


def _run_fork_server() -> None:
    """Start the fork server, unless running, without the settings of Vokter: some are secrets.

    All forked processes have its environment, in ``/proc`` too, and read pages of strangers.
    """
    ours = {name: os.environ.pop(name) for name in list(os.environ) if name.startswith(SETTINGS)}
    try:
        multiprocessing.forkserver.ensure_running()
    finally:
        os.environ.update(ours)
