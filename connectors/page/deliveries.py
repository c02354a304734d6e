"""What became of the notifications of one's webhooks."""

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
from schemas.deliveries import DeliveryFailed
from schemas.times import rfc3339

PER_PAGE = 30


class DeliveriesHandlers:
    """The handler of deliveries."""

    def __init__(self, subscriptions: SubscriptionReader, facts: FactReader, views: Views) -> None:
        """Read as REST does."""
        self._subscriptions = subscriptions
        self._facts = facts
        self._views = views

    async def deliveries(self, request: web.Request) -> web.Response:
        """Answer with what became of the notifications of a webhook, newest first."""
        manager = caller(request).manager
        found = await receivers_of(self._subscriptions, manager)
        receivers = [each for each in found if "://" in each]
        asked = request.query.get("client", "")
        client = asked or next(iter(receivers), "")
        if asked and asked not in receivers:
            receivers = [asked, *receivers]
        after = request.query.get("after") or None
        page: ListingPage[Any] = ListingPage((), None)
        if client:
            facts = self._facts.of_client("delivery", manager, client, after, PER_PAGE)
            page = await listed(facts, LATER_PAGE)
        items = await request.app[SENDER].render(lambda: list(map(shown_delivery, page.items)))
        older = {"client": client, "after": page.next}
        return await self._views.page(
            request,
            "deliveries",
            title="Deliveries",
            receivers=receivers,
            client=client,
            here=HERE,
            items=items,
            is_first=after is None,
            first_page=f"{request.path}?{urlencode({'client': client})}",
            next_page=f"{request.path}?{urlencode(older)}" if page.next else None,
        )


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
