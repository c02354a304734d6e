"""Runs a command that must not outlive its owner; a script of its own, started by path.

Its standard input is a pipe from the owner. When that ends, however the owner died, or when
SIGTERM comes, the command gets SIGTERM, and SIGKILL if it still runs after a while. This works
on every system and from every thread, which Linux's parent-death signal does not.
"""

import os
import signal
import subprocess
import sys
import threading

PATIENCE = 20  # seconds from SIGTERM to SIGKILL


def main(command: list[str]) -> int:
    """Returns the command's exit status, 128 + n if signal n ended it."""
    # Also into the child: Ctrl-C in a terminal reaches whole groups, the owner decides.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    asked = threading.Event()
    signal.signal(signal.SIGTERM, lambda *_: asked.set())
    child = subprocess.Popen(command, stdin=subprocess.DEVNULL, close_fds=False)
    threading.Thread(target=_await_owner, args=(asked,), daemon=True).start()
    threading.Thread(target=_await_order, args=(asked, child), daemon=True).start()
    status = child.wait()
    return status if status >= 0 else 128 - status


def _await_owner(asked: threading.Event) -> None:
    while os.read(sys.stdin.fileno(), 1):
        pass
    asked.set()


def _await_order(asked: threading.Event, child: subprocess.Popen[bytes]) -> None:
    asked.wait()
    child.terminate()
    try:
        child.wait(PATIENCE)
    except subprocess.TimeoutExpired:
        child.kill()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
