"""A process that has imported Vokter, and that forks workers: imports are most of their start.

That ``vokter`` imports what it needs when it starts alone is shown by the processes of the demo,
by commands of the manual that are started, not run, and by tests/cli/test_start_up.py.
"""

import asyncio
import gc
import json
import os
import runpy
import signal
import socket
import subprocess
import sys
from collections.abc import Mapping, Sequence
from concurrent.futures import Future
from contextlib import suppress
from functools import cache
from importlib import import_module
from pathlib import Path
from threading import Lock, Thread
from typing import IO

from streams.cli.local.fork_server import load_shared

FORKED = ("streams.cli", "tests.harness.forgetful")
"""Modules that are run without importing Vokter once more."""
ROOT = Path(__file__).parents[2]
IMPORTED = ("streams.cli.app", "streams.effects.match", "streams.effects.percolate")
"""Modules beyond those that processes of ``vokter up`` share."""
KILLED = -signal.SIGKILL


class Forked:
    """A process that the template forked, with that part of Popen that tests use."""

    def __init__(self, stdin: IO[bytes] | None, reports: IO[str]) -> None:
        """Read its id from ``reports``, where its status comes at its end."""
        self.stdin = stdin
        self.pid = int(reports.readline())
        self._status = Future[int]()
        Thread(target=self._watch, args=(reports,), daemon=True).start()

    def poll(self) -> int | None:
        """Return its exit status, None while it runs."""
        return self._status.result() if self._status.done() else None

    def wait(self, timeout: float | None = None) -> int:
        """Wait for its end; raises TimeoutExpired."""
        with suppress(TimeoutError):
            return self._status.result(timeout)
        raise subprocess.TimeoutExpired(str(self.pid), timeout or 0)

    async def ended(self) -> int:
        """Wait for its end without a thread, of which an event loop has few."""
        return await asyncio.shield(asyncio.wrap_future(self._status))

    def send_signal(self, number: int) -> None:
        """Send a signal, unless it has ended."""
        if not self._status.done():
            with suppress(ProcessLookupError):
                os.kill(self.pid, number)

    def _watch(self, reports: IO[str]) -> None:
        with reports:
            self._status.set_result(int(reports.readline() or KILLED))


class Template:
    """The process that forks; it ends with this one."""

    def __init__(self) -> None:
        self._control, theirs = socket.socketpair()
        self._lock = Lock()
        code = f"from tests.harness.template import serve; serve({theirs.fileno()})"
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, "-c", code],
                cwd=ROOT,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                pass_fds=[theirs.fileno()],
            )

    def fork(
        self, line: Sequence[str], env: Mapping[str, str], stdin: int, out: int, err: int
    ) -> Forked:
        """Run a module as ``python -m`` does, with its arguments, these variables and files.

        Standard input may be a pipe, as with Popen.
        """
        ours = None
        if stdin == subprocess.PIPE:
            stdin, end = os.pipe()
            ours = os.fdopen(end, "wb", buffering=0)
        else:
            stdin, ours = os.open(os.devnull, os.O_RDONLY), None
        reports, theirs = os.pipe()
        with self._lock:
            socket.send_fds(self._control, [b"\n"], [stdin, out, err, theirs])
            self._control.sendall(json.dumps([line, dict(env)]).encode() + b"\n")
            for sent in (stdin, theirs):
                os.close(sent)
            return Forked(ours, os.fdopen(reports))


@cache
def template() -> Template:
    """Return the template of this process."""
    return Template()


def spawn(
    line: Sequence[str], env: Mapping[str, str], stdin: int, out: int, err: int
) -> subprocess.Popen[bytes] | Forked:
    """Start a program, forked if it is Vokter; standard input is a pipe or the null device."""
    if tuple(line[:2]) == (sys.executable, "-m") and line[2] in FORKED:
        return template().fork(line[2:], env, stdin, out, err)
    return subprocess.Popen(line, env=dict(env), cwd=ROOT, stdin=stdin, stdout=out, stderr=err)


def serve(control: int) -> None:
    """Fork a process for each request until the end of requests; returns in each of those."""
    # Forked processes are waited for by a process each, and nobody waits for those.
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    load_shared()
    for module in IMPORTED:
        import_module(module)
    gc.freeze()  # a collection in a forked process would copy all that it shares
    with socket.socket(fileno=control) as requests, requests.makefile("rb") as lines:
        while True:
            sent, fds, _, _ = socket.recv_fds(requests, 1, 4)
            if not sent:
                return
            arguments, env = json.loads(lines.readline())
            if os.fork() == 0:
                break
            for fd in fds:
                os.close(fd)
    _watch(arguments, env, fds)


def _watch(line: Sequence[str], env: Mapping[str, str], fds: Sequence[int]) -> None:
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    stdin, out, err, reports = fds
    worker = os.fork()
    if worker == 0:
        os.close(reports)
        for source, target in ((stdin, 0), (out, 1), (err, 2)):
            os.dup2(source, target)
        os.environ.clear()
        os.environ.update(env)
        sys.argv = list(line)
        runpy.run_module(line[0], run_name="__main__", alter_sys=True)
        return
    os.close(stdin)
    os.write(reports, b"%d\n" % worker)
    _, status = os.waitpid(worker, 0)
    os.write(reports, b"%d\n" % os.waitstatus_to_exitcode(status))
    os._exit(0)
