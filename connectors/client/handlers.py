"""The handlers of a manager."""

import inspect
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from connectors.client.session import Matches, Session
from schemas.records.notifications import Notification

log = logging.getLogger("vokter")

OnNotification = Callable[[str, str, Session, Matches], Awaitable[bool | None]]
"""Called with URL (as added), content type, session and matches; returns False for a retry."""
OnTimeout = Callable[[str, str, Session], Awaitable[bool | None]]
"""Called with URL, content type (empty if never known) and session."""
OnPage = Callable[[str, str, Session], Awaitable[bool | None]]
"""Called with URL (as added), the URL of a page of a crawl, and session."""
OnLost = Callable[[str, str, Session], Awaitable[bool | None]]
"""Called with URL, reason and session."""


@dataclass
class NotificationHandlers:
    """The registered functions of a program."""

    on_notification: OnNotification | None = None
    on_timeout: OnTimeout | None = None
    on_failing: OnTimeout | None = None
    on_recovered: OnTimeout | None = None
    on_lost: OnLost | None = None
    on_found: OnTimeout | None = None
    on_page_added: OnPage | None = None
    on_page_removed: OnPage | None = None

    async def call(self, notification: Notification) -> bool | None:
        """Pass a notification to its handler; raises the handler's error."""
        session = Session(notification.receiver.session or "")
        if notification.status == "ok" and self.on_notification is not None:
            matches = Matches(
                notification.diffs,
                title=notification.title,
                returned=notification.returned,
                number=notification.number,
                stood=notification.stood,
                history=notification.history,
                document=notification.document or notification.url,
            )
            matches.name = notification.name
            matches.verdict, matches.because = notification.verdict, notification.because
            matches.summary = notification.summary
            return await self.on_notification(
                notification.url, notification.content_type, session, matches
            )
        if notification.status == "lost" and self.on_lost is not None:
            return await self.on_lost(notification.url, notification.reason, session)
        pages = {"pageAdded": self.on_page_added, "pageRemoved": self.on_page_removed}
        if (on_page := pages.get(notification.status)) is not None:
            return await on_page(notification.url, notification.document, session)
        others = {
            "timeout": self.on_timeout,
            "failing": self.on_failing,
            "recovered": self.on_recovered,
            "found": self.on_found,
        }
        if (handler := others.get(notification.status)) is not None:
            return await handler(notification.url, notification.content_type, session)
        log.warning("no handler for '%s' of %s: skipped", notification.status, notification.url)
        return None


def require_async(handler: object) -> None:
    """Raise TypeError unless a handler is an async function."""
    call = getattr(handler, "__call__", None)  # noqa: B004 - an object may define it
    if not (inspect.iscoroutinefunction(handler) or inspect.iscoroutinefunction(call)):
        raise TypeError(f"a handler must be an async function, not {handler!r}")
