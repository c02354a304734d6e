"""The inbox of a manager: its notifications on the topic."""

import dataclasses
import logging
from collections.abc import Awaitable, Callable, Iterable, Sequence
from functools import partial

from aiokafka import ConsumerRecord

from connectors.client.handlers import NotificationHandlers
from connectors.dead_letters.writing import PublishDeadLetter, dead_letter_of
from connectors.registry.codec import Codec
from schemas.codec.wire import Undecodable
from schemas.records.notifications import Notification
from schemas.records.topic_names import MOVED
from schemas.records.topics import NOTIFICATIONS

log = logging.getLogger("vokter")

Sleep = Callable[[float], Awaitable[None]]


class NotHandled(Exception):
    """A handler returned False."""


class Inbox:
    """Passes a manager's notifications for sessions to its handlers.

    If the handler of a notification fails at every attempt, the notification becomes a dead letter.
    """

    def __init__(
        self,
        manager: str,
        handlers: NotificationHandlers,
        pauses: Sequence[float],
        publish_dead_letter: PublishDeadLetter,
        sleep: Sleep,
        codec: Codec,
    ) -> None:
        """Retry after each of ``pauses`` (s)."""
        self._codec = codec
        self._manager = manager
        self._handlers = handlers
        self._pauses = pauses
        self._publish_dead_letter = publish_dead_letter
        self._sleep = sleep

    async def handle(self, message: ConsumerRecord) -> bool:
        """Handle a message to its end, and return whether the message was for this manager.

        An undecodable message is skipped: the agents of this topic make a dead letter. So is a copy
        made when partitions were added: its original is handled.
        """
        if any(name == MOVED for name, _ in message.headers):
            return False
        await self._codec.learn(message.value)
        try:
            notification: Notification = self._codec.decode(message.value, Notification)
        except Undecodable as why:
            log.info("%s:%s skipped: %s", message.partition, message.offset, why)
            return False
        if notification.receiver.session is None or notification.manager != self._manager:
            return False
        call, what = partial(self._handlers.call, notification), f"notification {notification.id}"
        error = await attempted(call, self._pauses, self._sleep, what)
        if error is not None:
            log.error("%s becomes a dead letter because its handler failed: %r", what, error)
            found = dataclasses.replace(message, topic=NOTIFICATIONS.name)
            await self._publish_dead_letter(dead_letter_of(self._manager, found, error))
        return True


async def attempted(
    call: Callable[[], Awaitable[object]], pauses: Iterable[float], sleep: Sleep, what: str
) -> Exception | None:
    """Call until a result other than False; returns the last error if all attempts fail.

    There is an attempt more than there are ``pauses`` (s).
    """
    left = iter(pauses)
    while True:
        try:
            if await call() is not False:
                return None
            error: Exception = NotHandled("the handler returned False")
        except Exception as failure:  # noqa: BLE001 - a handler may raise anything
            error = failure
        pause = next(left, None)
        if pause is None:
            return error
        log.warning("%s: the handler failed and is called again in %g s: %r", what, pause, error)
        await sleep(pause)
