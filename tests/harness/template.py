"""A process that has imported Vokter, and that forks workers: imports are most of their start.

That ``vokter`` imports what it needs when it starts alone is shown by the tests of the
supervisor, of the manual and of commands.
"""

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

ROOT = Path(__file__).parents[2]
IMPORTED = ("streams.cli.app", "streams.cli.local.running", "streams.cli.local.serving")
KILLED = -signal.SIGKILL


class Forked:
    """A process that the template forked, with that part of Popen that tests use."""

    def __init__(self, stdin: int, reports: IO[str]) -> None:
        """Read its id from ``reports``, where its status comes at its end."""
        self.stdin = os.fdopen(stdin, "wb", buffering=0)
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

    def fork(self, line: Sequence[str], env: dict[str, str], log: int) -> Forked:
        """Run a module as ``python -m`` does, with its arguments, these variables and a log."""
        stdin, ours = os.pipe()
        reports, theirs = os.pipe()
        with self._lock:
            socket.send_fds(self._control, [b"\n"], [stdin, log, theirs])
            self._control.sendall(json.dumps([line, env]).encode() + b"\n")
            for sent in (stdin, theirs):
                os.close(sent)
            return Forked(ours, os.fdopen(reports))


@cache
def template() -> Template:
    """Return the template of this process."""
    return Template()


def serve(control: int) -> None:
    """Fork a process for each request until the end of requests; returns in each of those."""
    # Forked processes are waited for by a process each, and nobody waits for those.
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    for module in IMPORTED:
        import_module(module)
    with socket.socket(fileno=control) as requests, requests.makefile("rb") as lines:
        while True:
            sent, fds, _, _ = socket.recv_fds(requests, 1, 3)
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
    stdin, log, reports = fds
    worker = os.fork()
    if worker == 0:
        os.close(reports)
        for source, target in ((stdin, 0), (log, 1), (log, 2)):
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
