"""A process for work, and our end of its socket."""

import asyncio
import socket
from contextlib import suppress
from typing import Any

from connectors.processes.child import SIZE, WORK, ChildLimits

END_TIMEOUT_S = 10.0
"""Seconds for the end of a process after its socket is closed."""
GRACE_S = 30.0
"""Seconds of grace; an event loop at a standstill for longer ends its worker, so no answer waits.
"""


class Process:
    """A process, and our end of its socket."""

    def __init__(
        self,
        process: Any,
        ours: socket.socket,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
    ) -> None:
        """``process`` is from ``multiprocessing``; the others are our end of its socket."""
        self.works = 0
        self._process = process
        self._ours = ours
        self._reader = reader
        self._writer = writer

    @property
    def has_ended(self) -> bool:
        """Whether the process is gone: an idle process sends nothing, so its data is its end."""
        try:
            self._ours.recv(1, socket.MSG_PEEK)
        except BlockingIOError:
            return self._reader.at_eof()
        except OSError:  # closed since
            return True
        return True

    async def answer(self, work: bytes, limits: ChildLimits) -> bytes:
        """Send work and return the answer; asyncio.IncompleteReadError if the process ends.

        The process is ended after an oversized answer or a missed limit: its input may have
        compromised the process.
        """
        self.works += 1
        head = WORK.pack(len(work), limits.cpu_s, limits.wall_s)
        self._writer.writelines((head, work))
        with suppress(TimeoutError):
            async with asyncio.timeout(limits.wall_s + GRACE_S):
                (size,) = SIZE.unpack(await self._read(SIZE.size))
                if size <= limits.answer_bytes:
                    return await self._read(size)
        self.kill()
        raise asyncio.IncompleteReadError(b"", None)

    async def _read(self, size: int) -> bytes:
        try:
            return await self._reader.readexactly(size)
        except ConnectionError:  # it ended before it had read all its work
            raise asyncio.IncompleteReadError(b"", size) from None

    async def status(self) -> int:
        """Wait for its end and return its exit status, negative for a signal.

        A slow process is ended: its input may have compromised the process.
        """
        self._writer.close()
        await asyncio.to_thread(self._process.join, END_TIMEOUT_S)
        self.kill()
        await asyncio.to_thread(self._process.join)
        status = int(self._process.exitcode)
        self._process.close()
        return status

    def kill(self) -> None:
        """Kill the process at once."""
        self._process.kill()
