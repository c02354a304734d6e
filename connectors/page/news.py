"""Notifications of one's receivers as a stream."""

from typing import Any
from urllib.parse import urlencode

from aiohttp import web

from connectors.api.access.middleware import caller
from connectors.api.sending import SENDER
from connectors.page.add_form import HERE
from connectors.page.receivers import receivers_of
from connectors.page.rendering import LATER_PAGE, Views, listed
from connectors.stores.pages import ListingPage
from connectors.stores.ports import FactReader, SubscriptionReader
from schemas.display.entries import shown_entries
from schemas.display.returns import returned_text
from schemas.notifications import Notification
from schemas.times import rfc3339

PER_PAGE = 30
MAX_ENTRIES = 8
"""Entries of a notification that are shown."""
_STATUSES = {
    "timeout": "Could not be read any more, and is no longer watched",
    "failing": "Cannot be read",
    "recovered": "Can be read again",
    "lost": "Lost: the part that is watched is not found any more, or the page asks for a login",
    "found": "Found again",
}


class NewsHandlers:
    """The handler of news."""

    def __init__(self, subscriptions: SubscriptionReader, facts: FactReader, views: Views) -> None:
        """Read as REST does."""
        self._subscriptions = subscriptions
        self._facts = facts
        self._views = views

    async def news(self, request: web.Request) -> web.Response:
        """Answer with the notifications of a receiver, newest first."""
        receivers = await receivers_of(self._subscriptions, caller(request).manager)
        asked = request.query.get("client", "")
        client = asked or next(iter(receivers), "")
        if asked and asked not in receivers:
            receivers = [asked, *receivers]
        after = request.query.get("after") or None
        page: ListingPage[Any] = ListingPage((), None)
        if client:
            manager = caller(request).manager
            found = self._facts.of_client("notification", manager, client, after, PER_PAGE)
            page = await listed(found, LATER_PAGE)
        items = await request.app[SENDER].render(lambda: list(map(shown_notification, page.items)))
        older = {"client": client, "after": page.next}
        return await self._views.page(
            request,
            "news",
            title="News",
            receivers=receivers,
            client=client,
            here=HERE,
            items=items,
            is_first=after is None,
            first_page=f"{request.path}?{urlencode({'client': client})}",
            next_page=f"{request.path}?{urlencode(older)}" if page.next else None,
        )


def shown_notification(fact: Notification) -> dict[str, Any]:
    """Return a notification for people."""
    entries, more = shown_entries(fact.diffs, MAX_ENTRIES)
    note = returned_text(fact.returned) if fact.returned else ""
    return {
        "id": fact.id,
        "subscription": fact.subscription,
        "change": "" if fact.test else fact.change,
        "url": fact.url,
        "title": fact.title,
        "at": rfc3339(fact.at),
        "status": "A test: nothing has changed" if fact.test else _STATUSES.get(fact.status, ""),
        "note": note,
        "entries": entries,
        "more": more,
    }
