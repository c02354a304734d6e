"""The processes to send messages: a pool with a limit for each manager."""

import os
import signal
import sys
from collections.abc import Mapping
from functools import partial
from pathlib import Path

from msgspec import DecodeError

from connectors.channels.work import Answer, Work, decode_answer, encode
from connectors.processes.child import ChildLimits, Do
from connectors.processes.errors import ProcessEnded
from connectors.processes.pool import ProcessPool
from connectors.turns import TooManyWaiting, Turns

COUNT = 4
"""Messages sent at a time."""
COUNT_PER_MANAGER = 3
MAX_WAITING = 100
"""The most messages of a manager in wait for their turn in memory."""
SEND_TIMEOUT_S = 15.0
CPU_S = 1.0
MEMORY_LIMIT = 768 * 2**20
"""Bytes of address space of a process, where the system has such a limit."""
MAX_ANSWER = 2**16
"""Bytes; an answer is a status and a reason, or a digest's setting."""
_KEPT = ("LANG", "LC_ALL", "LD_LIBRARY_PATH", "PATH", "SSL_CERT_DIR", "SSL_CERT_FILE", "TZ")
_TOO_MUCH = "its message takes too much time or memory"


class SendingProcesses(ProcessPool):
    """A few processes which send a message at a time each; an async context manager."""

    def __init__(self, proxy: str | None = None, timeout_s: float = SEND_TIMEOUT_S) -> None:
        """Kill a process after more than ``timeout_s``.

        A ``proxy`` (URL) makes all connections.
        """
        limits = ChildLimits(CPU_S, timeout_s, MEMORY_LIMIT, MAX_ANSWER)
        super().__init__(COUNT, limits, partial(begin_sending, proxy))
        self._turns = Turns(COUNT, COUNT_PER_MANAGER, MAX_WAITING)

    async def send(self, manager: str, work: Work) -> Answer:
        """Let a process do a piece of work of a manager; raises OSError if there is none."""
        try:
            async with self._turns.turn(manager):
                return decode_answer(await self.answer(encode(work)))
        except TooManyWaiting:
            raise BlockingIOError(f"{MAX_WAITING} messages of this manager wait already") from None
        except ProcessEnded as end:
            if end.status > 0:
                raise OSError("a process that sends messages cannot be started") from None
            if end.status == -signal.SIGALRM:
                return Answer(f"timed out after {self.limits.wall_s:g} s")
            return Answer(_TOO_MUCH)
        except DecodeError:
            return Answer(_TOO_MUCH)


def begin_sending(proxy: str | None) -> Do:
    """Prepare a process for sending: from now on an audit hook decides its rights.

    A ``proxy`` (URL) makes all connections.
    """
    variables = environment(os.environ, proxy)
    os.environ.clear()
    os.environ.update(variables)
    sys.dont_write_bytecode = True
    with Path(os.devnull).open("wb") as nowhere:  # what plug-ins print may have an address in it
        os.dup2(nowhere.fileno(), 1)
        os.dup2(nowhere.fileno(), 2)
    # Apprise (50 MB) is for this process alone, and finds the variables above.
    from connectors.channels.child import Worker  # noqa: PLC0415

    return Worker(proxy or "").do


def environment(ours: Mapping[str, str], proxy: str | None) -> dict[str, str]:
    """Return the variables of a process: none has a secret, or names a proxy but ours."""
    kept = {name: ours[name] for name in _KEPT if name in ours}
    proxies = dict.fromkeys(("HTTP_PROXY", "HTTPS_PROXY"), proxy) if proxy else {}
    return kept | proxies | {"HOME": "/nonexistent", "NETRC": os.devnull}
