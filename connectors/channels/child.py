"""A process that sends messages, one after another, until its parent is gone.

``python -m connectors.channels.child``: work comes from standard input, answers go to standard
output, a line each.
"""

import os
import resource
import signal
import sys
import time
from typing import BinaryIO

from apprise.plugins.base import NotifyBase

from connectors.channels.answers import NotedAnswers, note_answers
from connectors.channels.audit_hook import Doors, check_requests
from connectors.channels.digest import digest_message
from connectors.channels.message import Message, message
from connectors.channels.services import (
    InvalidAddress,
    load_services,
    open_service,
    room_for_text,
    send,
)
from connectors.channels.templates import TemplateFailed
from connectors.channels.work import (
    CPU_SECONDS,
    PROXY,
    READY,
    SECONDS,
    Answer,
    Work,
    decode_work,
    encode,
)

MEMORY_LIMIT = 768 * 2**20
"""Bytes of address space, where the system can limit it."""
GRACE_SECONDS = 5
"""What the parent gets to end this process before it ends itself."""


class Worker:
    """Does one piece of work at a time."""

    def __init__(self, doors: Doors) -> None:
        """``doors`` must be an audit hook of this process."""
        self._doors = doors
        self._noted = NotedAnswers()
        note_answers(self._noted, time.time)
        check_requests(doors)

    def answer(self, work: Work) -> Answer:
        """Send a notification, or say whether an address is usable."""
        self._doors.set_egress(work.egress)
        self._noted.clear()
        try:
            done = self._done(work)
        except (InvalidAddress, TemplateFailed) as error:
            return Answer(self._doors.refusal or str(error))
        except MemoryError:
            return Answer("it takes too much memory")
        except Exception as error:  # noqa: BLE001  # a plug-in may raise anything, with secrets in it
            return Answer(self._doors.refusal or f"Apprise failed with {type(error).__name__}")
        if done:
            return self._noted.success()
        return Answer(self._doors.refusal) if self._doors.refusal else self._noted.failure()

    def _done(self, work: Work) -> bool:
        service = open_service(work.address, webhooks=work.egress.webhooks)
        if work.digest:
            return send(service, self._digest(service, work))
        if work.notification is None:
            return True
        return send(service, message(work.notification, work.title, work.body))

    @staticmethod
    def _digest(service: NotifyBase, work: Work) -> Message:
        most, is_html = room_for_text(service)
        return digest_message(work.digest, work.title, work.body, most=most, is_html=is_html)


def main() -> None:
    """Answer each line of standard input."""
    # What plug-ins print must not come between the answers.
    with os.fdopen(os.dup(1), "wb", 0) as out:
        os.dup2(2, 1)
        _prepare()
        doors = Doors(_set_proxy())
        worker = Worker(doors)
        sys.addaudithook(doors)
        _serve(worker, out)


def _serve(worker: Worker, out: BinaryIO) -> None:
    out.write(READY)
    for line in sys.stdin.buffer:
        # The system's own timers end this process: in the middle of a regular expression, for
        # an orphan, and without any lock.
        signal.setitimer(signal.ITIMER_PROF, CPU_SECONDS)
        signal.setitimer(signal.ITIMER_REAL, SECONDS + GRACE_SECONDS)
        answer = encode(worker.answer(decode_work(line)))
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.setitimer(signal.ITIMER_REAL, 0)
        out.write(answer)


def _prepare() -> None:
    sys.dont_write_bytecode = True
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if sys.platform == "linux":
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY_LIMIT, MEMORY_LIMIT))
    load_services()


def _set_proxy() -> str:
    proxy = os.environ.get(PROXY, "")
    if proxy:
        os.environ["HTTP_PROXY"] = os.environ["HTTPS_PROXY"] = proxy
    return proxy


if __name__ == "__main__":
    main()
