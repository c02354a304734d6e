"""POST /bulk: the same change to many subscriptions, with the outcome of each."""

from collections.abc import Mapping
from functools import partial
from typing import Annotated, Any, Literal, get_args

from aiohttp import web
from msgspec import Meta, Struct, ValidationError, convert

from connectors.access.callers import caller
from connectors.api.answers import IDEMPOTENCY_KEY, answer, read_object
from connectors.api.listed import time_or_null
from connectors.api.paging import NOT_A_CURSOR
from connectors.requests.bulk import BulkChange, change_each
from connectors.requests.outcomes import ClientRequests, RequestOutcome
from connectors.stores.pages import ListedSubscription
from connectors.stores.ports import SubscriptionReader
from schemas.codec.json_values import is_text
from schemas.records.codes import Code
from schemas.records.subscriptions import Receiver, Subscription
from schemas.records.tags import MAX_TAG, canonical_tag

MOST = 500
"""The most subscriptions changed by a call."""

Action = Literal["pause", "resume", "check", "cancel", "stop", "tag", "untag", "move", "interval"]
ACTIONS: tuple[str, ...] = get_args(Action)
State = Literal["all", "active", "paused", "stopped", "failing", "lost"]
Tag = Annotated[str, Meta(max_length=MAX_TAG)]


class BulkBody(Struct, rename="camel", forbid_unknown_fields=True, kw_only=True):
    """The body: which subscriptions, by ``ids`` or by ``tag`` and ``state``, and the change."""

    action: Action
    ids: Annotated[list[str], Meta(min_length=1, max_length=MOST)] | None = None
    tag: Tag | None = None
    state: State | None = None
    cursor: str | None = None
    tags: tuple[Tag, ...] = ()
    client_url: str | None = None
    session: str | None = None
    interval: int | None = None

    def __post_init__(self) -> None:
        """Refuse a body with too few or too many fields, with ValueError."""
        is_filter = self.tag is not None or self.state is not None
        if (self.ids is not None) == is_filter:
            raise ValueError("either ids or a filter (tag, state) is needed")
        given = (self.tag, self.cursor, self.client_url, self.session)
        texts = [*(self.ids or ()), *self.tags, *(each or "" for each in given)]
        if not all(map(is_text, texts)):
            raise ValueError("a lone surrogate is no text")
        receivers = (self.client_url, self.session).count(None)
        needed = {
            "tags": (self.action in ("tag", "untag"), bool(self.tags)),
            "clientUrl or session": (self.action == "move", receivers == 1),
            "interval": (self.action == "interval", self.interval is not None),
        }
        for name, (is_needed, is_given) in needed.items():
            if is_needed and not is_given:
                raise ValueError(f"{self.action} needs {name}")

    @property
    def change(self) -> BulkChange:
        """The change of each subscription."""
        receiver = Receiver(self.client_url, self.session)
        return BulkChange(self.action, self.tags, receiver, self.interval)

    def admits(self, listed: ListedSubscription) -> bool:
        """Return whether the filter includes a subscription, never an ended subscription.

        A stopped subscription is meant by its state alone: most changes would undo its stop.
        """
        if listed.ended is not None or (listed.state == "stopped") != (self.state == "stopped"):
            return False
        match self.state:
            case "failing":
                return listed.failures > 0
            case "lost":
                return listed.lost_since is not None
            case None | "all":
                return True
        return listed.state == self.state


class BulkHandler:
    """The handler of changes of many subscriptions."""

    def __init__(self, requests: ClientRequests, subscriptions: SubscriptionReader) -> None:
        """Change these subscriptions by ``requests``."""
        self._requests = requests
        self._subscriptions = subscriptions

    async def bulk(self, request: web.Request) -> web.Response:
        """Answer with the outcome of each subscription, and with a cursor if there are more."""
        raw = await read_object(request)
        if raw.get("action") not in ACTIONS:
            detail = f"action must be one of: {', '.join(ACTIONS)}"
            return answer(Code.INVALID_FORMAT, detail=detail)
        try:
            body = convert(raw, BulkBody)
        except (ValidationError, UnicodeError) as error:  # a lone surrogate is a UnicodeError
            return answer(Code.INVALID_FORMAT, detail=str(error))
        try:
            found, after = await self._found(caller(request).manager, body)
        except ValueError:
            return answer(Code.INVALID_FORMAT, detail=NOT_A_CURSOR)
        known = [each for each in found.values() if each is not None]
        key = request.headers.get(IDEMPOTENCY_KEY)
        ask = partial(self._requests.outcome, caller(request), idempotency_key=key)
        outcomes = await change_each(ask, known, body.change)
        by_id = {each.id: outcome for each, outcome in zip(known, outcomes, strict=True)}
        results = [_result(name, by_id.get(name)) for name in found]
        done = sum(each["code"] == "0" for each in results)
        counts = {"done": done, "refused": len(results) - done}
        success = {"code": "0", "message": ""}
        return web.json_response({**success, **counts, "results": results, "next": after})

    async def _found(
        self, manager: str, body: BulkBody
    ) -> tuple[Mapping[str, Subscription | None], str | None]:
        """Look up the subscriptions by their ids, None for unknown ids."""
        if body.ids is not None:
            found: dict[str, Subscription | None] = {}
            for name in body.ids:
                listed = await self._subscriptions.get(manager, name)
                found[name] = None if listed is None else listed.subscription
            return found, None
        tag = canonical_tag(body.tag or "")
        page = await self._subscriptions.page(manager, body.cursor, MOST, tag)
        meant = [each.subscription for each in page.items if body.admits(each)]
        return {each.id: each for each in meant}, page.next


def _result(name: str, outcome: RequestOutcome | None) -> dict[str, Any]:
    """Return the outcome of a subscription (its id), None if there is none."""
    found = outcome or RequestOutcome(Code.UNKNOWN)
    result: dict[str, Any] = {
        "id": name,
        "code": str(int(found.code)),
        "message": found.code.message,
    }
    if found.detail:
        result["detail"] = found.detail
    if found.check:
        result["at"] = time_or_null(found.check)
    if found.id not in ("", name):
        result["newId"] = found.id
    return result
