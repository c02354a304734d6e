"""Subscriptions as lines of JSON, for a backup or another deployment."""

from dataclasses import dataclass, replace
from typing import Any

from schemas.facts import Subscribe, Subscription
from schemas.json_requests import (
    InvalidRequestBody,
    flat_json,
    json_names,
    parse,
    parse_object,
)
from schemas.urls import canonical
from streams.core.text.keywords import valid_keywords

_KEPT = [name for name in json_names(Subscribe) if name in json_names(Subscription)]


@dataclass(frozen=True, slots=True)
class Wish:
    """What one line asks for."""

    request: Subscribe
    paused: bool


def written(subscription: Subscription) -> dict[str, Any]:
    """Give a subscription with REST's names, as ``read`` takes it; fields without a value not."""
    found = flat_json(subscription)
    told = {name: found[name] for name in _KEPT if found[name] is not None}
    return {"id": subscription.id, **told, "paused": subscription.paused}


def read(line: bytes, manager: str | None) -> Wish:
    """Read a line, for another manager if one is given; raises InvalidRequest.

    Its request id is not taken over: that of a subscription that has ended since would
    bring back the old answer.
    """
    body = parse_object(line)
    paused = body.get("paused", False)
    if not isinstance(paused, bool):
        raise InvalidRequestBody("paused: true or false is allowed")
    request = parse("subscribe", body)
    assert isinstance(request, Subscribe)
    whose = manager or request.manager
    return Wish(replace(request, manager=whose, request_id=None), paused)


def agrees(subscription: Subscription, wish: Wish) -> bool:
    """Whether a subscription is as the line of the same target has it."""
    request = wish.request
    client_url = canonical(request.receiver.client_url or "")
    asked = replace(
        request,
        receiver=replace(request.receiver, client_url=client_url),
        keywords=valid_keywords(request.keywords),
    )
    wanted, there = flat_json(asked), flat_json(subscription)
    same = all(wanted[name] == there[name] for name in _KEPT)
    return same and subscription.paused == wish.paused
