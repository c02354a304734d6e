"""One message of the notifications topic: whose it is, and what becomes of it."""

import dataclasses
import logging
from collections.abc import Sequence
from functools import partial

from aiokafka import ConsumerRecord

from connectors.client.attempts import Sleep, attempted
from connectors.client.handlers import NotificationHandlers
from connectors.dead_letters.publishing import PublishDeadLetter
from connectors.dead_letters.writing import dead_letter_of
from connectors.registry.codec import Codec
from schemas import topics as topic_names
from schemas.facts import Notification
from schemas.wire import Undecodable

log = logging.getLogger("vokter")


class Inbox:
    """Passes a manager's notifications for sessions to its handlers.

    What a handler refuses again and again becomes a dead letter.
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
        """Take the pauses (s) between attempts."""
        self._codec = codec
        self._manager = manager
        self._handlers = handlers
        self._pauses = pauses
        self._publish_dead_letter = publish_dead_letter
        self._sleep = sleep

    async def handle(self, message: ConsumerRecord) -> bool:
        """Return when nothing is left to do, and whether it was ours.

        What cannot be read is a dead letter of the stages that read this topic, too.
        """
        await self._codec.learn(message.value)
        try:
            told: Notification = self._codec.decode(message.value, Notification)
        except Undecodable as why:
            log.info("%s:%s passed over: %s", message.partition, message.offset, why)
            return False
        if told.receiver.session is None or told.manager != self._manager:
            return False
        call, what = partial(self._handlers.call, told), f"notification {told.id}"
        error = await attempted(call, self._pauses, self._sleep, what)
        if error is not None:
            log.error("%s becomes a dead letter, for the handler failed: %r", what, error)
            found = dataclasses.replace(message, topic=topic_names.NOTIFICATIONS)
            await self._publish_dead_letter(dead_letter_of(self._manager, found, error))
        return True
