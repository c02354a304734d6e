"""Send a notification again from the read side."""

from collections.abc import Awaitable, Callable

import structlog

from connectors.stores.ports import FactReader
from schemas.records.deliveries import Redeliver
from schemas.records.log_ids import trail

log = structlog.get_logger()

SendCommand = Callable[[Redeliver], Awaitable[None]]
"""Publishes a command on ``attempts``, and returns after the broker's acknowledgement."""


class Redelivery:
    """Commands the redelivery of a manager's own notifications."""

    def __init__(self, facts: FactReader, send: SendCommand) -> None:
        """Look notifications up in ``facts``, as they were matched."""
        self._facts = facts
        self._send = send

    async def redeliver(self, manager: str, client: str, name: str, seen: int) -> bool:
        """Command another delivery of a notification (its id) to a client URL.

        Nothing happens after an end later than ``seen`` (epoch ms), so a repeated call has a single
        effect. Returns False without such a notification of the manager for this client.
        """
        found = await self._facts.with_ids("notification", manager, [client], [name])
        for notification in found.items:
            if notification.receiver.client_url is not None:
                await self._send(Redeliver(notification, seen))
                log.info("redelivering", client=client, **trail(notification))
                return True
        return False
