"""POST /subscribe, /cancel and other requests, which the register decides."""

from typing import Any

from aiohttp import web
from aiohttp.typedefs import Handler

from connectors.access.callers import caller
from connectors.api.answers import IDEMPOTENCY_KEY, CallRefused, answer, listed_faults, read_object
from connectors.api.listed import time_or_null
from connectors.requests.identity import identity_json
from connectors.requests.outcomes import ClientRequests
from connectors.stores.ports import SubscriptionReader
from schemas.codec.json_requests import json_names, readable_request
from schemas.codec.json_values import is_text
from schemas.records.codes import Code
from schemas.records.pages import canonical_document
from schemas.records.subscriptions import Receiver

MOST_OF_PAGE = 100
"""The most subscriptions of a page to search for a subscription to check."""
_RECEIVER = frozenset(json_names(Receiver))
_IDENTITY = _RECEIVER | {"documentUrl"}


class RequestHandlers:
    """The handlers of requests about subscriptions."""

    def __init__(self, requests: ClientRequests, subscriptions: SubscriptionReader) -> None:
        """Answer with the outcomes of ``requests``, about any of these subscriptions."""
        self._requests = requests
        self._subscriptions = subscriptions

    async def subscribe(self, request: web.Request) -> web.Response:
        """Watch a document for a client, within the quota of the caller's key."""
        return await self._ask(request, await read_object(request), "subscribe")

    def asking(self, action: str) -> Handler:
        """Return the handler of a request about an existing subscription."""

        async def ask(request: web.Request) -> web.Response:
            body = await read_object(request)
            if "id" in body:
                body = await self._with_id(caller(request).manager, body)
            elif action == "check" and not _RECEIVER & body.keys():
                body = await self._of_page(caller(request).manager, body)
            return await self._ask(request, body, action)

        return ask

    async def _with_id(self, manager: str, body: dict[str, Any]) -> dict[str, Any]:
        """Name the subscription with the id in a body as all requests do; raises CallRefused."""
        rest = {field: value for field, value in body.items() if field != "id"}
        name = body["id"]
        if not isinstance(name, str) or not is_text(name) or _IDENTITY & rest.keys():
            detail = "id: the id of a subscription is allowed, without documentUrl and receiver"
            raise CallRefused(Code.INVALID_FORMAT, detail)
        listed = await self._subscriptions.get(manager, name)
        if listed is None:
            raise CallRefused(Code.UNKNOWN)
        return rest | identity_json(listed.subscription)

    async def _of_page(self, manager: str, body: dict[str, Any]) -> dict[str, Any]:
        """Name any subscription of the page in a body, not paused if possible.

        Raises CallRefused.
        """
        url = canonical_document(str(body.get("documentUrl", "")))
        if url is None:
            return body  # refused with all that is wrong
        found = await self._subscriptions.of_document(manager, url, MOST_OF_PAGE)
        running = sorted(
            (each.subscription for each in found if each.ended is None),
            key=lambda subscription: subscription.paused,
        )
        if not running:
            raise CallRefused(Code.NO_SUCH_SUBSCRIPTION)
        return body | identity_json(running[0])

    async def _ask(self, request: web.Request, body: dict[str, Any], action: str) -> web.Response:
        command, unread = readable_request(action, body)
        key = request.headers.get(IDEMPOTENCY_KEY)
        found = await self._requests.outcome(caller(request), command, key, unread)
        return answer(
            found.code,
            detail=found.detail,
            errors=listed_faults(found.faults),
            id=found.id,
            name=found.name,
            secret=found.secret,
            at=time_or_null(found.check or None),
        )
