"""Processes that do one piece of work each at a time, and may be ended in the midst of it."""

import asyncio
import multiprocessing
import pickle
import resource
import signal
import socket
import struct
import sys
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import Any, Self, TypeVar

T = TypeVar("T")

TASKS = 1_000
"""After so many a process makes way for a new one, whatever it has piled up."""
MEMORY = 2 * 2**30
"""Bytes of address space of a process, where the system can bound it."""
_BUFFER = 2**18
_SIZE = struct.Struct("!Q")


class TooHard(Exception):
    """Work on a document had to be ended; the text is a short reason for people."""


class Processes:
    """A few processes, each at the other end of a socket; an async context manager.

    The socket is read by the event loop itself: no thread or lock takes part, and the end
    of a process is the end of its stream.
    """

    def __init__(
        self, count: int, seconds: float, preload: Iterable[str], begin: Callable[[], None]
    ) -> None:
        """End what takes longer than ``seconds``.

        ``preload`` names modules that are imported once for all processes; each calls
        ``begin``, which can be pickled, before its first work.
        """
        self._seconds = seconds
        self._begin = begin
        # A fork server's children have none of our threads, locks and open files.
        self._context = multiprocessing.get_context("forkserver")
        self._context.set_forkserver_preload([__name__, *preload])
        self._room = asyncio.Semaphore(count)
        self._idle: list[_Process] = []
        self._ends: set[asyncio.Task[None]] = set()

    async def __aenter__(self) -> Self:
        self._idle.append(await self._started())
        return self

    async def __aexit__(self, *_: object) -> None:
        for process in self._idle:
            self._end(process)
        await asyncio.gather(*self._ends)

    async def call(self, function: Callable[..., T], arguments: Any) -> tuple[T, float]:
        """Have a free process call a function that can be pickled; waits for one.

        Gives its result and the seconds that it took. Raises what the function raises,
        TooHard if it took too much time or memory, and OSError if there is no process.
        """
        async with self._room:
            process = await self._taken()
            work = pickle.dumps((self._seconds, function, arguments))
            try:
                answer = await process.answer(work)
            except asyncio.IncompleteReadError:
                raise TooHard(self._why(await process.status())) from None
            except BaseException:
                self._end(process)
                raise
            self._free(process)
        is_done, result = pickle.loads(answer)  # noqa: S301  # made by our own process
        if is_done:
            done: tuple[T, float] = result
            return done
        raise result

    async def _taken(self) -> "_Process":
        while self._idle:
            process = self._idle.pop()
            if not process.has_ended:
                return process
            self._end(process)
        return await self._started()

    async def _started(self) -> "_Process":
        ours, theirs = socket.socketpair()
        process = self._context.Process(target=_serve, args=(theirs, self._begin), daemon=True)
        try:
            with theirs:
                await asyncio.to_thread(process.start)
            streams = await asyncio.open_unix_connection(sock=ours, limit=_BUFFER)
        except (OSError, EOFError) as error:
            ours.close()
            raise OSError("the processes that read documents have broken") from error
        return _Process(process, ours, *streams)

    def _free(self, process: "_Process") -> None:
        if process.works < TASKS:
            self._idle.append(process)
        else:
            self._end(process)

    def _end(self, process: "_Process") -> None:
        process.kill()
        end = asyncio.create_task(_gone(process))
        self._ends.add(end)
        end.add_done_callback(self._ends.discard)

    def _why(self, status: int) -> str:
        if status == -signal.SIGALRM:
            return f"it takes longer than {self._seconds:g} s to be read"
        return f"what reads it was ended by it ({status})"


class _Process:
    """One process, and our end of its socket."""

    def __init__(
        self,
        process: Any,
        ours: socket.socket,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
    ) -> None:
        self.works = 0
        self._process = process
        self._ours = ours
        self._reader = reader
        self._writer = writer

    @property
    def has_ended(self) -> bool:
        """Whether it is gone: an idle one says nothing, so what can be read is its end."""
        try:
            self._ours.recv(1, socket.MSG_PEEK)
        except BlockingIOError:
            return self._reader.at_eof()
        except OSError:  # closed since
            return True
        return True

    async def answer(self, work: bytes) -> bytes:
        """Give what it answers; asyncio.IncompleteReadError if it ends instead."""
        self.works += 1
        self._writer.writelines((_SIZE.pack(len(work)), work))
        (size,) = _SIZE.unpack(await self._read(_SIZE.size))
        return await self._read(size)

    async def _read(self, size: int) -> bytes:
        try:
            return await self._reader.readexactly(size)
        except ConnectionError:  # it went with work unread
            raise asyncio.IncompleteReadError(b"", size) from None

    async def status(self) -> int:
        """Wait for its end and give its exit status, negative for a signal."""
        self._writer.close()
        await asyncio.to_thread(self._process.join)
        status = int(self._process.exitcode)
        self._process.close()
        return status

    def kill(self) -> None:
        """Have it end at once."""
        self._process.kill()


async def _gone(process: _Process) -> None:
    await process.status()


def _serve(theirs: socket.socket, begin: Callable[[], None]) -> None:
    """Be a process: answer each piece of work, until the other end of the socket is closed."""
    _settle(begin)
    with theirs, theirs.makefile("rb") as works, suppress(ConnectionError):
        while len(size := works.read(_SIZE.size)) == _SIZE.size:
            answer = _answer(works.read(*_SIZE.unpack(size)))
            theirs.sendall(_SIZE.pack(len(answer)) + answer)


def _settle(begin: Callable[[], None]) -> None:
    """Prepare to be ended at any moment, by nothing that has to wait for Python."""
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if sys.platform == "linux":
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    begin()


def _answer(work: bytes) -> bytes:
    """Call a function, and give its result with the seconds that it took, or its error.

    The system's own alarm ends a process that takes too long: that works in the midst
    of a parser, for an orphan, and without any lock.
    """
    begun = time.monotonic()
    try:
        seconds, function, arguments = pickle.loads(work)  # noqa: S301  # made by our own worker
        signal.setitimer(signal.ITIMER_REAL, seconds)
        return pickle.dumps((True, (function(*arguments), time.monotonic() - begun)))
    except MemoryError:
        return _failure(TooHard("it takes too much memory to be read"))
    except (SystemExit, KeyboardInterrupt) as error:  # a plug-in may raise anything
        return _failure(TooHard(f"its reader ended with {error!r}"))
    except Exception as error:  # noqa: BLE001  # it is that of whoever waits for the result
        return _failure(error)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


def _failure(error: Exception) -> bytes:
    """Give an error to be raised at the other end, where it can be made again there."""
    try:
        answer = pickle.dumps((False, error))
        pickle.loads(answer)  # noqa: S301  # our own
    except Exception:  # noqa: BLE001  # an error may be anything
        return pickle.dumps((False, TooHard(f"its reader failed: {error!r}"[:1000])))
    return answer
