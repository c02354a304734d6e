"""One change of a watch: in its context, who was notified, and where it comes from."""

from typing import Any

from aiohttp import web

from connectors.api.access.middleware import caller
from connectors.api.history.lineage import load_snapshots_around
from connectors.api.sending import SENDER
from connectors.page.changes_of_pages import NOTIFIED, address_of_change
from connectors.page.covered import AskedPage, asked_page, change_address, has_change
from connectors.page.lineage import Lineage, Notified, lineage_of, notified_of
from connectors.page.pictures import Pictures, kept_pictures
from connectors.page.rendering import PageRefused, Views
from connectors.page.timeline import WHOLE, Arrival, ShownChange, shown_change
from connectors.page.watching import WatchPorts, layout_of, layouts, one_watch
from connectors.stores.pages import ListedSubscription
from schemas.codec.body import share_json
from schemas.records.subscriptions import Subscription

MAX_RECEIVERS = 20
"""Subscriptions of which it is shown whether they were notified."""
LOOK_AGAIN_S = 4
"""Until a browser asks again for what may not be kept yet: a notification can arrive before its
change is written down."""
_GONE = (
    "There is no such {}, or it is not kept yet, or not any more (VOKTER_RETENTION). "
    "This page looks again every few seconds."
)


class ChangeHandlers:
    """The handlers of one change."""

    def __init__(self, ports: WatchPorts, views: Views) -> None:
        """Read as REST does."""
        self._ports = ports
        self._views = views

    async def change(self, request: web.Request) -> web.Response:
        """Answer with a change."""
        one = await one_watch(self._ports, request)
        subscription, name = one.subscription, request.match_info["change"]
        page = asked_page(request, subscription, self._ports.notification_id)
        fact = await self._ports.facts.change(subscription.manager, page.url, name, subscription.id)
        if fact is None:
            if address := await address_of_change(self._ports, subscription, name):
                raise web.HTTPSeeOther(address)
            raise PageRefused(404, _GONE.format("change"), LOOK_AGAIN_S)
        shown, lineage = await self._shown(request, subscription, fact)
        title = one.title or subscription.document_url
        return await self._views.page(
            request,
            "change",
            title=f"{shown.title}: {page.url if page.is_covered else title}",
            watch=subscription.id,
            page="" if page.is_covered else one.title or "",
            url=page.url if page.is_covered else subscription.document_url,
            is_covered=page.is_covered,
            change=shown,
            lineage=lineage,
            notified=await self._notified(one, page, fact, request.query.get(NOTIFIED, "")),
            pictures=await self._pictures(subscription, page, lineage),
            picture_change=share_json(getattr(fact, "picture_change", None)),
            layout=layout_of(request),
            layouts=layouts(request),
        )

    async def notification(self, request: web.Request) -> web.Response:
        """Lead from the id of a notification to its change."""
        manager, name = caller(request).manager, request.match_info["id"]
        fact = await self._ports.facts.notification(manager, name)
        if fact is None:
            raise PageRefused(404, _GONE.format("notification"), LOOK_AGAIN_S)
        if not has_change(fact):
            raise web.HTTPSeeOther(f"/watch/{fact.subscription}")
        raise web.HTTPSeeOther(change_address(fact.subscription, fact.change, fact.document))

    async def _pictures(
        self, subscription: Subscription, page: AskedPage, lineage: Lineage
    ) -> Pictures:
        """Find the pictures of a change; those of pages that are covered are not shown."""
        if page.is_covered:
            return Pictures()
        return await kept_pictures(self._ports, subscription, _times(lineage))

    async def _shown(
        self, request: web.Request, subscription: Subscription, fact: Any
    ) -> tuple[ShownChange, Lineage]:
        around = await load_snapshots_around(self._ports.texts, subscription, fact)

        def shown() -> tuple[ShownChange, Lineage]:
            change = shown_change(fact, self._ports.rows, WHOLE, Arrival())
            return change, lineage_of(fact, around)

        return await request.app[SENDER].render(shown)

    async def _notified(
        self, one: ListedSubscription, page: AskedPage, fact: Any, wider: str
    ) -> list[Notified]:
        """Return who was notified, also a ``wider`` subscription (its id): for several pages."""
        manager, this = one.subscription.manager, one.subscription.id
        others = await self._ports.subscriptions.of_document(manager, page.url, MAX_RECEIVERS)
        asked = await self._ports.subscriptions.get(manager, wider) if wider else None
        first = {this: one} | ({wider: asked} if asked else {})
        rest = (each for each in others if each.subscription.id not in first)
        known = [*first.values(), *rest][:MAX_RECEIVERS]
        by = [page.subscription if each is one else each.subscription.id for each in known]
        ids = [self._ports.notification_id(fact.id, each) for each in by]
        clients = {each.subscription.receiver.name for each in known}
        load = self._ports.facts.with_ids
        notified = await load("notification", manager, clients, ids)
        deliveries = await load("delivery", manager, clients, ids)
        return notified_of(known, ids, notified.items, deliveries.items, this)


def _times(lineage: Lineage) -> tuple[str, str]:
    sides = lineage.before, lineage.after
    before, after = (each.at if each else "" for each in sides)
    return before, after
