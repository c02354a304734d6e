"""Notifications suppressed by a language model: listed, and sent after all."""

from collections.abc import Awaitable, Callable
from typing import Any

import structlog

from connectors.stores.packing import OF_MANAGER
from connectors.stores.pages import ListingPage
from connectors.stores.ports import FactReader
from schemas.records.judgements import SendSuppressed, Suppressed
from schemas.records.log_ids import trail

log = structlog.get_logger()

SendCommand = Callable[[SendSuppressed], Awaitable[None]]
"""Publishes a command on ``judgements``, and returns after the broker's acknowledgement."""


class SuppressedNews:
    """The suppressed notifications of managers."""

    def __init__(self, facts: FactReader, send: SendCommand) -> None:
        """Look them up in ``facts``."""
        self._facts = facts
        self._send = send

    async def page(self, manager: str, after: str | None, limit: int) -> ListingPage[Any]:
        """List those of a manager, newest first."""
        return await self._facts.of_client("suppressed", manager, OF_MANAGER, after, limit)

    async def send(self, manager: str, notification: str) -> bool:
        """Command the delivery of a suppressed notification (its id), unless already sent.

        Returns False if the manager has no such notification any more.
        """
        found = await self._facts.with_ids("suppressed", manager, [OF_MANAGER], [notification])
        suppressed: Suppressed | None = next(iter(found.items), None)
        if suppressed is not None and not suppressed.sent:
            await self._send(SendSuppressed(suppressed.notification))
            log.info("sending what was suppressed", **trail(suppressed.notification))
        return suppressed is not None
