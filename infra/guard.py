"""Runs a command which must not outlive its owner; a standalone script, started by its path.

Its standard input is a pipe from the owner. When the pipe ends, by any death of the owner, or when
SIGTERM arrives, the command gets SIGTERM, and SIGKILL after a while. This works on every system and
from every thread, unlike Linux's parent-death signal.
"""

import os
import signal
import subprocess
import sys
import threading

KILL_AFTER_S = 20.0


def main(command: list[str]) -> int:
    """Return the command's exit status, or 128 + n if signal n ended the command."""
    # The command inherits this: Ctrl-C reaches the whole group, but the owner decides when to stop.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    stopping = threading.Event()
    signal.signal(signal.SIGTERM, lambda *_: stopping.set())
    child = subprocess.Popen(command, stdin=subprocess.DEVNULL, close_fds=False)
    threading.Thread(target=_await_owner_end, args=(stopping,), daemon=True).start()
    threading.Thread(target=_stop_when_asked, args=(stopping, child), daemon=True).start()
    status = child.wait()
    return status if status >= 0 else 128 - status


def _await_owner_end(stopping: threading.Event) -> None:
    while os.read(sys.stdin.fileno(), 1):
        pass
    stopping.set()


def _stop_when_asked(stopping: threading.Event, child: subprocess.Popen[bytes]) -> None:
    stopping.wait()
    child.terminate()
    try:
        child.wait(KILL_AFTER_S)
    except subprocess.TimeoutExpired:
        child.kill()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
