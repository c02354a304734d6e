"""The child's end: sends messages with Apprise, and may do nothing else."""

import sys
import time

from connectors.channels.answers import NotedAnswers, note_answers
from connectors.channels.audit_hook import AuditHook, check_requests
from connectors.channels.digest import digest_message
from connectors.channels.message import message
from connectors.channels.services import (
    InvalidAddress,
    load_services,
    open_service,
    room_for_text,
    send,
)
from connectors.channels.templates import TemplateFailed
from connectors.channels.work import Answer, Work, decode_work, encode
from connectors.languages.texts import LANGUAGES, spoken


class Worker:
    """Does an item of work at a time, in a process for this work only."""

    def __init__(self, proxy: str) -> None:
        """Let an audit hook decide the rights of this process from now on."""
        load_services()
        self._hook = AuditHook(proxy)
        self._noted = NotedAnswers()
        note_answers(self._noted, time.time)
        check_requests(self._hook)
        sys.addaudithook(self._hook)

    def do(self, work: bytes) -> bytes:
        """Do a piece of work, and return the answer."""
        return encode(self.answer(decode_work(work)))

    def answer(self, work: Work) -> Answer:
        """Send a notification, or say whether an address is usable."""
        self._hook.set_egress(work.egress)
        self._noted.clear()
        try:
            done = self._done(work)
        except (InvalidAddress, TemplateFailed) as error:
            return Answer(self._hook.refusal or str(error))
        except MemoryError:
            return Answer("it takes too much memory")
        # A plug-in may raise anything, with secrets in it.
        except (Exception, SystemExit) as error:  # noqa: BLE001
            return Answer(self._hook.refusal or f"Apprise failed with {type(error).__name__}")
        if done:
            return self._noted.success()
        return Answer(self._hook.refusal) if self._hook.refusal else self._noted.failure()

    def _done(self, work: Work) -> bool:
        webhooks = work.egress.webhooks
        service = open_service(work.address, webhooks=webhooks)
        with spoken(LANGUAGES[work.language]):
            if work.digest:
                most, is_html = room_for_text(service)
                made = digest_message(
                    work.digest, work.title, work.body, most=most, is_html=is_html
                )
            elif work.notification is None:
                return True  # only the address was to be checked
            else:
                made = message(work.notification, work.title, work.body, work.links)
        return send(open_service(work.address, webhooks=webhooks, hints=made.hints), made)
