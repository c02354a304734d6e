"""The processes that send, as their parent sees them: started when there is work, and killed."""

import asyncio
import os
import sys
from collections.abc import Mapping
from contextlib import suppress
from typing import Self

from msgspec import DecodeError

from connectors.channels.work import PROXY, READY, SECONDS, Answer, Work, decode_answer, encode
from connectors.turns import TooManyWaiting, Turns

COUNT = 4
"""Messages that are sent at a time."""
COUNT_PER_MANAGER = 3
MAX_WAITING = 100
"""Messages of one manager that wait in memory for their turn."""
MAX_WORKS = 500
"""Pieces of work after which a process is replaced."""
REST_AFTER_S = 300.0
"""Without work for so long the processes end (50 MB each)."""
START_TIMEOUT_S = 30.0
_MAX_LINE = 65_536
_KEPT = ("LANG", "LC_ALL", "LD_LIBRARY_PATH", "PATH", "SSL_CERT_DIR", "SSL_CERT_FILE", "TZ")


class SendingProcesses:
    """A few processes that send one message at a time each; an async context manager."""

    def __init__(self, proxy: str | None = None, seconds: float = SECONDS) -> None:
        """Start none yet. Kill one that works for more than so many ``seconds``.

        A ``proxy`` (URL) makes all connections.
        """
        self._proxy = proxy
        self._seconds = seconds
        self._turns = Turns(COUNT, COUNT_PER_MANAGER, MAX_WAITING)
        self._idle: list[_Process] = []
        self._ends: set[asyncio.Task[None]] = set()
        self._works = 0
        self._timer: asyncio.TimerHandle | None = None

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._rest()
        await asyncio.gather(*self._ends)

    async def answer(self, manager: str, work: Work) -> Answer:
        """Let a process do a piece of work of a manager; raises OSError if there is none."""
        try:
            async with self._turns.turn(manager):
                return await self._answer(work)
        except TooManyWaiting:
            raise BlockingIOError(f"{MAX_WAITING} messages of this manager wait already") from None

    async def _answer(self, work: Work) -> Answer:
        if self._timer is not None:
            self._timer.cancel()
        self._works += 1
        try:
            process = await self._take()
            try:
                answer = await process.answer(work, self._seconds)
            except BaseException:
                self._end(process)
                raise
            self._release(process)
            return answer
        finally:
            self._works -= 1
            if self._works == 0:
                self._timer = asyncio.get_running_loop().call_later(REST_AFTER_S, self._rest)

    async def _take(self) -> "_Process":
        while self._idle:
            process = self._idle.pop()
            if process.is_usable:
                return process
            self._end(process)
        return await _start(self._proxy)

    def _release(self, process: "_Process") -> None:
        if process.is_usable:
            self._idle.append(process)
        else:
            self._end(process)

    def _rest(self) -> None:
        while self._idle:
            self._end(self._idle.pop())

    def _end(self, process: "_Process") -> None:
        end = asyncio.create_task(process.end())
        self._ends.add(end)
        end.add_done_callback(self._ends.discard)


class _Process:
    """One process, and our ends of its pipes."""

    def __init__(
        self,
        process: asyncio.subprocess.Process,
        writer: asyncio.StreamWriter,
        reader: asyncio.StreamReader,
    ) -> None:
        self._process = process
        self._writer = writer
        self._reader = reader
        self._works = 0
        self._has_failed = False

    @property
    def is_usable(self) -> bool:
        is_alive = self._process.returncode is None and not self._has_failed
        return is_alive and self._works < MAX_WORKS

    async def ready(self) -> None:
        """Wait until it has imported all that it needs; raises OSError if it cannot."""
        async with asyncio.timeout(START_TIMEOUT_S):
            if await self._reader.readline() != READY:
                raise OSError("a process that sends messages cannot be started")

    async def answer(self, work: Work, seconds: float) -> Answer:
        """Send work and return the answer, or why there is none."""
        self._works += 1
        try:
            async with asyncio.timeout(seconds):
                self._writer.write(encode(work))
                return decode_answer(await self._reader.readline())
        except TimeoutError:
            reason = f"timed out after {seconds:g} s"
        except (ConnectionError, DecodeError, ValueError):
            reason = "its message takes too much time or memory"
        self._has_failed = True
        return Answer(reason)

    async def end(self) -> None:
        """End it at once."""
        with suppress(ProcessLookupError):
            self._process.kill()
        await self._process.communicate()  # which closes the pipes, too


async def _start(proxy: str | None) -> _Process:
    process = await asyncio.create_subprocess_exec(
        # -P: modules in the current directory are not those of this program.
        *(sys.executable, "-P", "-m", "connectors.channels.child"),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
        env=_environment(os.environ, proxy),
        limit=_MAX_LINE,
        start_new_session=True,
    )
    assert process.stdin is not None, "it was started with pipes"
    assert process.stdout is not None, "it was started with pipes"
    started = _Process(process, process.stdin, process.stdout)
    try:
        await started.ready()
    except BaseException:
        await started.end()
        raise
    return started


def _environment(ours: Mapping[str, str], proxy: str | None) -> dict[str, str]:
    """Return the variables of a process: none has a secret, or names a proxy but ours."""
    kept = {name: ours[name] for name in _KEPT if name in ours}
    return kept | {"HOME": "/nonexistent", "NETRC": os.devnull} | ({PROXY: proxy} if proxy else {})
