"""Deliveries to webhooks: their outcomes, and sending them again."""

from collections import Counter
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from aiohttp import web

from connectors.access.callers import caller
from connectors.display.reasons import shown_reason
from connectors.languages.texts import gettext
from connectors.page.asking import accepted
from connectors.page.filters import newest_subscriptions, webhooks_of
from connectors.page.rendering import LATER_PAGE, PageRefused, Views, listed
from connectors.page.watch.receivers import Receivers, is_failing, shown_receiver
from connectors.page.watch.states import ShownState
from connectors.requests.identity import request_about
from connectors.requests.outcomes import ClientRequests
from connectors.requests.redelivery import Redelivery
from connectors.serving.sending import SENDER
from connectors.stores.pages import ListingPage
from connectors.stores.ports import FactReader, SubscriptionReader
from schemas.codec.times import rfc3339
from schemas.records.channels import answer_name, channel_name
from schemas.records.deliveries import (
    AttemptFailed,
    Delivered,
    DeliveryFailed,
    DeliveryHeld,
    DeliveryOutcome,
)
from schemas.records.notifications import Notification

PER_PAGE = 30
_NONE: ListingPage[Any] = ListingPage((), None)


@dataclass(frozen=True, slots=True)
class ShownDelivery:
    """The outcome of a notification; ``seen`` is its time in epoch ms.

    ``next`` is the due time of the next attempt, None if there is none, and ``held`` the end of its
    wait. ``answer`` is the beginning of the receiver's answer, unchanged. ``can_repeat`` says
    whether the notification is kept, so it can be sent again.
    """

    notification: str
    subscription: str
    title: str
    url: str
    at: str
    seen: int
    attempts: int
    next: str | None
    held: str | None
    status: int | None
    status_name: str
    answer: str
    reason: str
    label: str
    tone: str
    can_repeat: bool


@dataclass(frozen=True, slots=True)
class ShownReceiver:
    """A receiver with its state, if known, and the number of its ``watches``."""

    client: str
    state: ShownState | None
    address: str
    watches: int


class DeliveriesHandlers:
    """The handlers of deliveries."""

    def __init__(
        self,
        subscriptions: SubscriptionReader,
        facts: FactReader,
        receivers: Receivers,
        jobs: ClientRequests,
        redelivery: Redelivery,
        views: Views,
    ) -> None:
        """Read and ask as REST does; ``redelivery`` sends notifications again."""
        self._subscriptions = subscriptions
        self._facts = facts
        self._receivers = receivers
        self._jobs = jobs
        self._redelivery = redelivery
        self._views = views

    async def deliveries(self, request: web.Request) -> web.Response:
        """Answer with the deliveries of a webhook, newest first."""
        manager, asked = caller(request).manager, request.query.get("client", "")
        newest = await newest_subscriptions(self._subscriptions, manager)
        active = webhooks_of(each for each in newest if each.ended is None)
        webhooks = list(dict.fromkeys([*active, *webhooks_of(newest), *([asked] if asked else [])]))
        states = await self._receivers.states(manager, webhooks)
        # Each sort keeps the order before: those that fail are first, those without state last.
        webhooks.sort(key=lambda each: (not is_failing(states.get(each)), each not in states))
        client = asked or next(iter(webhooks), "")
        after = request.query.get("after") or None
        page, notified, gone, proofs = await self._facts_of(manager, client, after)

        def shown() -> list[ShownDelivery]:
            by_id = {fact.id: fact for fact in notified.items}
            return [shown_delivery(fact, by_id.get(fact.notification)) for fact in page.items]

        watches = Counter(
            each.subscription.receiver.client_url for each in newest if each.ended is None
        )
        # The messages of a channel are not signed.
        signed = newest if channel_name(client) is None else ()
        older = {"client": client, "after": page.next}
        return await self._views.page(
            request,
            "deliveries",
            title=gettext("Deliveries"),
            receivers=[
                ShownReceiver(each, states.get(each), _address(client=each), watches[each])
                for each in webhooks
            ],
            client=client,
            receiver=None if after else shown_receiver(page.items, gone.items, proofs.items),
            watches=[
                each
                for each in signed
                if each.ended is None and each.subscription.receiver.client_url == client
            ],
            sent="sent" in request.query,
            items=await request.app[SENDER].render(shown),
            is_first=after is None,
            first_page=_address(client=client),
            next_page=_address(**older) if page.next else None,
        )

    async def redeliver(self, request: web.Request) -> web.Response:
        """Send a notification again, once for each outcome seen by the caller."""
        form = await request.post()
        client, seen = str(form.get("client", "")), str(form.get("seen", ""))
        if not seen.isdecimal():
            raise PageRefused(400, gettext("The form is not complete. Load the page again."))
        manager, name = caller(request).manager, str(form.get("notification", ""))
        if not await self._redelivery.redeliver(manager, client, name, int(seen[:15])):
            reason = gettext("This notification is not kept any more, so it cannot be sent again.")
            raise PageRefused(404, reason)
        raise web.HTTPSeeOther(_address(client=client, sent="1"))

    async def rotate(self, request: web.Request) -> web.Response:
        """Change the secret of a webhook for a watch, and show the new secret once."""
        manager, form = caller(request).manager, await request.post()
        one = await self._subscriptions.get(manager, str(form.get("subscription", "")))
        if one is None:
            reason = gettext("There is no such watch any more, so it has no secret.")
            raise PageRefused(404, reason)
        subscription = one.subscription
        found = await accepted(self._jobs, request, request_about(subscription, "rotate"))
        back = _address(client=subscription.receiver.client_url or "")
        return await self._views.page(
            request,
            "rotated",
            title=gettext("New secret"),
            secret=found.secret,
            url=subscription.document_url,
            client=subscription.receiver.client_url,
            back=back,
        )

    async def _facts_of(
        self, manager: str, client: str, after: str | None
    ) -> tuple[ListingPage[Any], ListingPage[Any], ListingPage[Any], ListingPage[Any]]:
        """Read deliveries of a client, their notifications, its end, and its verification."""
        if not client:
            return _NONE, _NONE, _NONE, _NONE
        found = self._facts.of_client("delivery", manager, client, after, PER_PAGE)
        page = await listed(found, LATER_PAGE)
        ids = [fact.notification for fact in page.items]
        notified = await self._facts.with_ids("notification", manager, [client], ids)
        gone = await self._facts.of_client("client", manager, client, None, 1)
        proofs = await self._facts.of_client("proof", manager, client, None, 1)
        return page, notified, gone, proofs


def _address(**values: str | None) -> str:
    return f"/deliveries?{urlencode(values)}"


def shown_delivery(fact: DeliveryOutcome, notification: Notification | None) -> ShownDelivery:
    """Return the outcome of a notification, which may not be kept any more."""
    label, tone = _label(fact)
    answered = None if isinstance(fact, DeliveryHeld) else fact
    status = answered.status if answered else None
    is_status = not isinstance(fact, Delivered) and fact.reason == f"answered {status}"
    return ShownDelivery(
        notification=fact.notification,
        subscription=fact.subscription,
        title=notification.called if notification else "",
        url=notification.url if notification else "",
        at=rfc3339(fact.at),
        seen=fact.at,
        attempts=answered.attempts if answered else 0,
        next=rfc3339(fact.next) if isinstance(fact, AttemptFailed) else None,
        held=rfc3339(fact.until) if isinstance(fact, DeliveryHeld) else None,
        status=status,
        status_name=answer_name(fact.client_url, status) if status else "",
        answer=" ".join(answered.answer.split()) if answered else "",
        reason="" if isinstance(fact, Delivered) or is_status else shown_reason(fact.reason),
        label=label,
        tone=tone,
        can_repeat=notification is not None,
    )


def _label(fact: DeliveryOutcome) -> tuple[str, str]:
    match fact:
        case Delivered():
            return gettext("Delivered"), "good"
        case AttemptFailed():
            return gettext("Retrying"), "warning"
        case DeliveryHeld():
            return gettext("Waits"), "quiet"
        case DeliveryFailed():
            return gettext("Given up"), "bad"
