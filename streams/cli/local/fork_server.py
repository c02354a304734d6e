"""A process which forks those of ``vokter up``: their common imports are in memory once.

The server is forked from ``vokter up`` itself, after these imports and before the event loop or a
thread begins, and shares its memory. The server has a single thread and no lock, so its forks may
go on. This holds on Linux: libraries of macOS may crash in a forked process (python/cpython#77906).
"""

import asyncio
import gc
import json
import os
import select
import signal
import socket
import struct
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from importlib import import_module
from pathlib import Path
from typing import IO, Never

from streams.cli.forked import RunAs
from streams.cli.options import STOPS

IS_SAFE = sys.platform == "linux"
"""Whether processes may be forked; elsewhere each of them imports its modules."""

SHARED = (
    "connectors.plain_structlog",
    "streams.cli.local.deployment",
    "streams.cli.local.running",
    "streams.cli.local.serving",
    "streams.effects.crawl",
    "streams.effects.deliver",
    "streams.effects.fetch",
    "streams.effects.history",
    "streams.effects.judge",
    "streams.effects.record",
    "streams.effects.render",
    "streams.effects.reprocess",
    "streams.effects.rules",
    "streams.effects.stemmers",
    "streams.effects.ticker",
)
"""Modules imported before the first fork, with all their imports.

Match and percolate alone need numpy, 11 MB."""
FAUST_EXTENSIONS = (
    ("faust.fixups", "django"),
    ("faust.stores", "rocksdb"),
    ("faust.transport", "aiokafka"),
)
"""The first use of each of these reads the metadata of all packages, in search of extensions."""
SIZE = struct.Struct("!I")
LOST = -signal.SIGKILL
"""The status of a process whose end the server did not live to report."""
START_TIMEOUT_S = 30.0
"""A server that forks no process within these seconds stands still."""
REAP_TRIES, REAP_PAUSE_S = 20, 0.01
"""Checks for the end of a server without a connection, and the pause between two of them."""


class ForkedProcess:
    """A process forked by the server: the part of asyncio's Process for the supervisor."""

    def __init__(self, pid: int, reports: asyncio.StreamReader, stdin: int) -> None:
        """``stdin`` is the pipe for its end; ``reports`` has its status."""
        self.pid = pid
        self.returncode: int | None = None
        self._stdin = stdin
        self._ended = asyncio.create_task(self._end(reports))

    async def wait(self) -> int:
        """Wait for its end, and return its status: -n for an end by signal n."""
        return await asyncio.shield(self._ended)

    def send_signal(self, number: int) -> None:
        """Send a signal, unless ended."""
        if self.returncode is None:
            with suppress(ProcessLookupError):
                os.kill(self.pid, number)

    def kill(self) -> None:
        """Kill the process at once."""
        self.send_signal(signal.SIGKILL)

    async def _end(self, reports: asyncio.StreamReader) -> int:
        status = int(await reports.readline() or LOST)
        self.returncode = status
        os.close(self._stdin)  # one whose server has ended ends too
        return status


class ForkServer:
    """The end of ``vokter up`` of the connection to the server, which ends with the connection."""

    def __init__(self, control: socket.socket, pid: int) -> None:
        """``control`` is connected to ``_serve``, which runs in the process ``pid``."""
        self._control = control
        self._pid = pid

    async def start(
        self, name: str, arguments: Sequence[str], env: Mapping[str, str], log: IO[bytes]
    ) -> ForkedProcess:
        """Fork a process of ``vokter`` with these arguments and more variables.

        Its output goes to the log, and its standard input ends with this process. Raises OSError if
        the server has ended or stands still, or the system lets the server fork nothing.
        """
        stdin, ours = os.pipe()
        reported, reports = os.pipe()
        try:
            message = json.dumps([name, list(arguments), dict(env)]).encode()
            sent = [SIZE.pack(len(message)), message]
            socket.send_fds(self._control, sent, [stdin, log.fileno(), reports])
        except OSError:
            os.close(ours)
            os.close(reported)
            await self._reap()
            raise
        finally:
            os.close(stdin)
            os.close(reports)
        try:
            async with asyncio.timeout(START_TIMEOUT_S):
                lines = await _lines(reported)
                pid = await lines.readline()
        except BaseException:
            os.close(ours)  # a process that nobody waits for ends
            raise
        if not pid:
            os.close(ours)
            await self._reap()
            raise BrokenPipeError("the server has forked no process")
        return ForkedProcess(int(pid), lines, ours)

    async def _reap(self) -> None:
        """Let the system forget the ended server: its connections are gone before its process."""
        for _ in range(REAP_TRIES):
            if self._is_reaped():
                return
            await asyncio.sleep(REAP_PAUSE_S)

    def _is_reaped(self) -> bool:
        try:
            return os.waitpid(self._pid, os.WNOHANG) != (0, 0)
        except ChildProcessError:  # that was done before
            return True


@contextmanager
def fork_server() -> Iterator[ForkServer]:
    """Import the common modules of processes, and run a server until left.

    Call this before there is an event loop or a thread. In the forked processes RunAs is raised,
    for ``main`` to catch.
    """
    load_shared()
    gc.freeze()  # a collection in a forked process would copy what it shares
    if sys.stdout is not None:  # it was closed at the start of the program
        sys.stdout.flush()
    ours, theirs = socket.socketpair()
    pid = os.fork()
    if pid == 0:
        ours.close()
        _serve(theirs)
    theirs.close()
    with ours:
        yield ForkServer(ours, pid)


def load_shared() -> None:
    """Import the common modules, and load what each process would otherwise load itself."""
    for module in SHARED:
        import_module(module)
    import_module("schemas.codec.versions").schemas()
    import_module("connectors.http.get_client").trusting()
    for extensions, used in FAUST_EXTENSIONS:
        import_module(extensions).by_name(used)


async def _lines(pipe: int) -> asyncio.StreamReader:
    reader = asyncio.StreamReader()
    await asyncio.get_running_loop().connect_read_pipe(
        lambda: asyncio.StreamReaderProtocol(reader), os.fdopen(pipe, "rb", 0)
    )
    return reader


def _serve(control: socket.socket) -> Never:
    """Fork on request and report ends, until the other end of ``control`` is closed."""
    _show_as("forks")
    os.setsid()  # Ctrl-C reaches `vokter up`, which decides when its processes end
    # systemd sends SIGTERM to all processes of a service. The ends that follow must be reported.
    signal.pthread_sigmask(signal.SIG_BLOCK, STOPS)
    ended, woken = socket.socketpair()
    ended.setblocking(False)
    woken.setblocking(False)
    signal.set_wakeup_fd(woken.fileno())
    signal.signal(signal.SIGCHLD, lambda *_: None)
    reports: dict[int, int] = {}
    while True:
        ready, _, _ = select.select([control, ended], [], [])
        if ended in ready:
            ended.recv(4096)
            _report_ends(reports)
        if control in ready:
            name, arguments, env, fds = _request(control)
            pid = _forked(fds)
            if pid == 0:
                for number in (
                    *reports.values(),
                    *(each.detach() for each in (control, ended, woken)),
                ):
                    os.close(number)
                _become(name, env, fds)
                raise RunAs(arguments)
            if pid is not None:
                reports[pid] = _begun(pid, fds)


def _request(control: socket.socket) -> tuple[str, list[str], dict[str, str], list[int]]:
    """Receive a request of ``ForkServer.start``; ends this process if there is nothing more."""
    begun, fds, _, _ = socket.recv_fds(control, SIZE.size, 3)
    if not fds:
        os._exit(0)
    (size,) = SIZE.unpack(begun)
    name, arguments, env = json.loads(control.recv(size, socket.MSG_WAITALL))
    return name, arguments, env, fds


def _forked(fds: Sequence[int]) -> int | None:
    """Fork; returns None if the system has no room for a process, whose pipes then end."""
    try:
        return os.fork()
    except OSError:
        for number in fds:
            os.close(number)
        return None


def _begun(pid: int, fds: Sequence[int]) -> int:
    """Report the id of a process, and return the pipe for its end."""
    stdin, log, report = fds
    os.close(stdin)
    os.close(log)
    with suppress(BrokenPipeError):  # a start that was cancelled
        os.write(report, b"%d\n" % pid)
    return report


def _report_ends(reports: dict[int, int]) -> None:
    with suppress(ChildProcessError):
        while True:
            pid, status = os.waitpid(-1, os.WNOHANG)
            if pid == 0:
                return
            report = reports.pop(pid)
            with suppress(BrokenPipeError):
                os.write(report, b"%d\n" % os.waitstatus_to_exitcode(status))
            os.close(report)


def _become(name: str, env: Mapping[str, str], fds: Sequence[int]) -> None:
    """Make this process the process of its name, with its session, input, output and variables."""
    signal.set_wakeup_fd(-1)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    # What has come since the fork ends this process now.
    signal.pthread_sigmask(signal.SIG_UNBLOCK, STOPS)
    os.setsid()
    stdin, log, report = fds
    os.close(report)
    for source, target in ((stdin, 0), (log, 1), (log, 2)):
        os.dup2(source, target)
    os.close(stdin)
    os.close(log)
    os.environ.update(env)
    _show_as(name)


def _show_as(name: str) -> None:
    """Set the name for ``top`` and ``ps -e``, on Linux."""
    with suppress(OSError):
        Path("/proc/self/comm").write_text(f"vokter {name}")
