"""Subscriptions as lines of JSON, for a backup or another deployment."""

from dataclasses import dataclass, replace
from typing import Any

from schemas.codec.json_requests import flat_json, json_names, parse, parse_object, present_json
from schemas.codec.json_values import InvalidRequestBody
from schemas.records.requests import Subscribe
from schemas.records.subscriptions import Subscription
from streams.agents.match.register.requests import CheckedRequest

_SHARED = [name for name in json_names(Subscribe) if name in json_names(Subscription)]
"""JSON names of a subscription's fields from its request."""


@dataclass(frozen=True, slots=True)
class Wish:
    """A subscription in a line."""

    request: Subscribe
    paused: bool


def written(subscription: Subscription) -> dict[str, Any]:
    """Return a subscription by REST's names, without absent fields; ``read`` reads the result."""
    found = present_json(subscription)
    shared = {name: found[name] for name in _SHARED if name in found}
    return {"id": subscription.id, **shared, "paused": subscription.paused}


def read(line: bytes, manager: str | None) -> Wish:
    """Read a line, for another manager if given; raises InvalidRequestBody.

    Its request id is dropped: the register would repeat its old answer if the subscription had
    ended meanwhile.
    """
    body = parse_object(line)
    body.pop("id", None)
    paused = body.pop("paused", False)
    if not isinstance(paused, bool):
        raise InvalidRequestBody("paused: true or false is allowed")
    request = parse("subscribe", body)
    assert isinstance(request, Subscribe)
    manager = manager or request.manager
    return Wish(replace(request, manager=manager, request_id=None), paused)


def agrees(subscription: Subscription, checked: CheckedRequest, *, paused: bool) -> bool:
    """Return whether a subscription is already as in the line of the same target."""
    assert isinstance(checked.request, Subscribe), "lines ask for nothing else"
    receiver, name = checked.target.receiver, checked.target.name
    asked = replace(checked.request, receiver=receiver, name=name, keywords=checked.keywords)
    wanted, there = flat_json(asked), flat_json(subscription)
    is_same = all(wanted[name] == there[name] for name in _SHARED)
    return is_same and subscription.paused == paused
