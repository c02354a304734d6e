"""Send a notification again that the read side still has."""

from collections.abc import Awaitable, Callable

import structlog

from connectors.stores.ports import FactReader
from schemas.records.deliveries import Redeliver
from schemas.records.log_ids import trail

log = structlog.get_logger()

SendCommand = Callable[[Redeliver], Awaitable[None]]
"""Publishes a command on ``attempts``, and returns once the broker has it."""


class Redelivery:
    """Commands the redelivery of a manager's own notifications."""

    def __init__(self, facts: FactReader, send: SendCommand) -> None:
        """Look notifications up in ``facts``, as they were matched."""
        self._facts = facts
        self._send = send

    async def redeliver(self, manager: str, client: str, name: str, seen: int) -> bool:
        """Command that a notification (its id) is sent to a client URL again.

        Nothing happens if it has ended after ``seen`` (epoch ms), so a repeated call has one
        effect. Returns False if the manager has no such notification for that client any more.
        """
        found = await self._facts.with_ids("notification", manager, [client], [name])
        for notification in found.items:
            if notification.receiver.client_url is not None:
                await self._send(Redeliver(notification, seen))
                log.info("redelivering", client=client, **trail(notification))
                return True
        return False
