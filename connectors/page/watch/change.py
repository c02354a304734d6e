"""A change of a watch: in its context, with its notifications, and its origin."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

from aiohttp import web

from connectors.access.callers import caller
from connectors.languages.texts import gettext, msgid
from connectors.page.rendering import PageRefused, Views
from connectors.page.watch.asked_watch import (
    PAGE,
    AskedPage,
    WatchPorts,
    change_address,
    has_change,
    layout_of,
    layouts,
    one_watch,
    page_of,
)
from connectors.page.watch.pictures import Pictures, kept_pictures
from connectors.page.watch.shown_changes import arrivals
from connectors.page.watch.timeline import WHOLE, Arrival, ShownChange, shown_change
from connectors.reads.page_changes import (
    HashedSnapshot,
    SnapshotsAround,
    hashed_snapshot,
    load_change_of_page,
    load_snapshots_around,
)
from connectors.serving.sending import SENDER, send_json
from connectors.stores.pages import ListedSubscription
from schemas.codec.body import share_json
from schemas.codec.times import rfc3339
from schemas.records.changes import DocumentChanged
from schemas.records.pages import is_pages
from schemas.records.subscriptions import Subscription
from schemas.records.urls import canonical

NOTIFIED = "notified"
"""In the query of a change's address: a notified subscription to another page."""
LoadEvidence = Callable[[str, str], Awaitable[Callable[[], dict[str, Any]] | None]]
"""Loads the evidence of a manager's notification (its id), if kept: built by a function."""
MAX_RECEIVERS = 20
"""The most subscriptions shown with their notifications."""
LOOK_AGAIN_S = 4
"""Seconds until a browser asks again for a record not yet kept: a notification can arrive before
its change is written down."""
_NO_CHANGE = msgid(
    "There is no such change, or it is not kept yet, or not any more. "
    "This page looks again every few seconds."
)
_NO_NOTIFICATION = msgid(
    "There is no such notification, or it is not kept yet, or not any more. "
    "This page looks again every few seconds."
)


@dataclass(frozen=True, slots=True)
class Lineage:
    """A change with its visit and its snapshots, as in evidence; deleted snapshots are None."""

    change: str
    slot: str
    part: int
    view: str
    body_sha256: str
    before: HashedSnapshot | None
    after: HashedSnapshot | None


@dataclass(frozen=True, slots=True)
class Notified:
    """A subscription concerned by a change, and the outcome of its notification."""

    subscription: str
    client: str
    notification: str
    arrival: Arrival
    is_this: bool


class ChangeHandlers:
    """The handlers of a change."""

    def __init__(self, ports: WatchPorts, evidence: LoadEvidence, views: Views) -> None:
        """Read as REST does; ``evidence`` is built in a thread."""
        self._ports = ports
        self._evidence = evidence
        self._views = views

    async def change(self, request: web.Request) -> web.Response:
        """Answer with a change."""
        one = await one_watch(self._ports, request)
        subscription, name = one.subscription, request.match_info["change"]
        url = canonical(request.query.get(PAGE, "")) or subscription.url
        page = page_of(subscription, url, self._ports.notification_id)
        fact = await self._ports.facts.change(subscription.manager, page.url, name, subscription.id)
        if fact is None:
            if address := await _address_in_watch_of_page(self._ports, subscription, name):
                raise web.HTTPSeeOther(address)
            raise PageRefused(404, gettext(_NO_CHANGE), LOOK_AGAIN_S)
        shown, lineage = await self._shown(request, subscription, fact)
        title = one.called or subscription.document_url
        return await self._views.page(
            request,
            "change",
            title=f"{shown.title}: {page.url if page.is_covered else title}",
            watch=subscription.id,
            page="" if page.is_covered else one.called or "",
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
            raise PageRefused(404, gettext(_NO_NOTIFICATION), LOOK_AGAIN_S)
        if not has_change(fact):
            raise web.HTTPSeeOther(f"/watch/{fact.subscription}")
        raise web.HTTPSeeOther(change_address(fact.subscription, fact.change, fact.document))

    async def evidence(self, request: web.Request) -> web.StreamResponse:
        """Answer with the signed evidence of a notification, a file for other programs."""
        build = await self._evidence(caller(request).manager, request.match_info["id"])
        if build is None:
            raise PageRefused(404, gettext(_NO_NOTIFICATION))
        return await send_json(request, await request.app[SENDER].render(build))

    async def _pictures(
        self, subscription: Subscription, page: AskedPage, lineage: Lineage
    ) -> Pictures:
        """Find the pictures of a change; pictures of covered pages are not shown."""
        if page.is_covered:
            return Pictures()
        sides = lineage.before, lineage.after
        before, after = (each["at"] if each else "" for each in sides)
        return await kept_pictures(self._ports, subscription, (before, after))

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
        outcomes = await arrivals(self._ports.facts, manager, clients, ids)
        notified = []
        for each, name, arrival in zip(known, ids, outcomes, strict=True):
            subscription = each.subscription
            is_this = subscription.id == this
            if arrival.text or is_this:
                client = subscription.receiver.name
                notified.append(Notified(subscription.id, client, name, arrival, is_this))
        return sorted(notified, key=lambda each: not each.is_this)


async def _address_in_watch_of_page(
    ports: WatchPorts, subscription: Subscription, change: str
) -> str | None:
    """Return the address of a change in the watch of its page; None if not kept.

    None, too, for a subscription of a single page, where both watches are the same.
    """
    if not is_pages(subscription.url):
        return None
    name = ports.notification_id(change, subscription.id)
    notified = await ports.facts.notification(subscription.manager, name)
    found = notified and await load_change_of_page(ports.subscriptions, ports.facts, notified)
    if not found:
        return None
    one, fact = found
    page = "" if one.url == fact.url else fact.url
    return change_address(one.id, change, page, **{NOTIFIED: subscription.id})


def lineage_of(fact: Any, around: SnapshotsAround) -> Lineage:
    """Return the lineage of a fact of ``changes``."""
    is_change = isinstance(fact, DocumentChanged)
    return Lineage(
        change=fact.id,
        slot=rfc3339(fact.slot),
        part=fact.part + 1 if is_change else 0,
        view=fact.view,
        body_sha256=fact.body_sha256 if is_change else "",
        before=hashed_snapshot(around.before),
        after=hashed_snapshot(around.after),
    )
