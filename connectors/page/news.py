"""Notifications of one's receivers as a stream, and what became of them."""

from collections.abc import Callable
from typing import Any
from urllib.parse import urlencode

from aiohttp import web

from connectors.api.access.middleware import caller
from connectors.api.sending import SENDER
from connectors.page.add_form import HERE
from connectors.page.rendering import LATER_PAGE, Views, listed
from connectors.stores.pages import ListingPage, SubscriptionSearch
from connectors.stores.ports import ClientFacts, FactReader, SubscriptionReader
from schemas.deliveries import DeliveryFailed
from schemas.display.entries import shown_entries
from schemas.display.returns import returned_text
from schemas.notifications import Notification
from schemas.times import rfc3339

PER_PAGE = 30
MAX_ENTRIES = 8
"""Entries of a notification that are shown."""
MAX_RECEIVERS = 200
"""Of the newest so many subscriptions, the receivers can be chosen."""
_STATUSES = {
    "timeout": "Could not be read any more, and is no longer watched",
    "failing": "Cannot be read",
    "recovered": "Can be read again",
    "lost": "Lost: the part that is watched is not found any more, or the page asks for a login",
    "found": "Found again",
}


class NewsHandlers:
    """The handlers of news and deliveries."""

    def __init__(self, subscriptions: SubscriptionReader, facts: FactReader, views: Views) -> None:
        """Read as REST does."""
        self._subscriptions = subscriptions
        self._facts = facts
        self._views = views

    async def news(self, request: web.Request) -> web.Response:
        """Answer with the notifications of a receiver, newest first."""
        receivers = await self._receivers(request)
        return await self._list(request, "notification", receivers, shown_notification)

    async def deliveries(self, request: web.Request) -> web.Response:
        """Answer with what became of the notifications of a webhook, newest first."""
        receivers = [each for each in await self._receivers(request) if "://" in each]
        return await self._list(request, "delivery", receivers, shown_delivery)

    async def _list(
        self,
        request: web.Request,
        kind: ClientFacts,
        receivers: list[str],
        shown: Callable[[Any], dict[str, Any]],
    ) -> web.Response:
        asked = request.query.get("client", "")
        client = asked or next(iter(receivers), "")
        if asked and asked not in receivers:
            receivers = [asked, *receivers]
        after = request.query.get("after") or None
        page: ListingPage[Any] = ListingPage((), None)
        if client:
            manager = caller(request).manager
            found = self._facts.of_client(kind, manager, client, after, PER_PAGE)
            page = await listed(found, LATER_PAGE)
        items = await request.app[SENDER].render(lambda: list(map(shown, page.items)))
        older = {"client": client, "after": page.next}
        return await self._views.page(
            request,
            "news" if kind == "notification" else "deliveries",
            title="News" if kind == "notification" else "Deliveries",
            receivers=receivers,
            client=client,
            here=HERE,
            items=items,
            is_first=after is None,
            first_page=f"{request.path}?{urlencode({'client': client})}",
            next_page=f"{request.path}?{urlencode(older)}" if page.next else None,
        )

    async def _receivers(self, request: web.Request) -> list[str]:
        """Return the receivers of the newest subscriptions, each once."""
        found = await self._subscriptions.search(
            caller(request).manager, SubscriptionSearch(ended=True), None, MAX_RECEIVERS
        )
        every = (listed.subscription.receiver for listed in found.items)
        return list(dict.fromkeys(each.client_url or each.session or "" for each in every))


def shown_notification(fact: Notification) -> dict[str, Any]:
    """Return a notification for people."""
    entries, more = shown_entries(fact.diffs, MAX_ENTRIES)
    note = returned_text(fact.returned) if fact.returned else ""
    return {
        "id": fact.id,
        "subscription": fact.subscription,
        "url": fact.url,
        "title": fact.title,
        "at": rfc3339(fact.at),
        "status": "A test: nothing has changed" if fact.test else _STATUSES.get(fact.status, ""),
        "note": note,
        "entries": entries,
        "more": more,
    }


def shown_delivery(fact: Any) -> dict[str, Any]:
    """Return the outcome of a notification for people."""
    has_failed = isinstance(fact, DeliveryFailed)
    return {
        "subscription": fact.subscription,
        "at": rfc3339(fact.at),
        "attempts": fact.attempts,
        "status": fact.status,
        "reason": fact.reason if has_failed else "",
        "label": "Given up" if has_failed else "Delivered",
        "tone": "bad" if has_failed else "good",
    }
