"""The handlers of a manager, and which notifications are theirs."""

import inspect
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from connectors.client.session import Match, Session
from schemas.facts import Notification

log = logging.getLogger("vokter")

OnNotification = Callable[[str, str, Session, tuple[Match, ...]], Awaitable[bool | None]]
"""Takes URL (as it was added), content type, session and matches; False means: not handled."""
OnTimeout = Callable[[str, str, Session], Awaitable[bool | None]]
"""Takes URL, content type (empty where it was never known) and session."""


@dataclass
class NotificationHandlers:
    """What a program has registered."""

    on_notification: OnNotification | None = None
    on_timeout: OnTimeout | None = None

    async def call(self, told: Notification) -> bool | None:
        """Have a notification of a session handled; raises what the handler raises."""
        session = Session(told.receiver.session or "")
        if told.status == "ok" and self.on_notification is not None:
            return await self.on_notification(told.url, told.content_type, session, told.diffs)
        if told.status == "timeout" and self.on_timeout is not None:
            return await self.on_timeout(told.url, told.content_type, session)
        log.warning("no handler for '%s' of %s: passed over", told.status, told.url)
        return None


def require_async(handler: object) -> None:
    """Raise TypeError for what is no async function."""
    call = getattr(handler, "__call__", None)  # noqa: B004 - an object's own method is asked about
    if not (inspect.iscoroutinefunction(handler) or inspect.iscoroutinefunction(call)):
        raise TypeError(f"a handler is an async function, not {handler!r}")
