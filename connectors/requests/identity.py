"""Requests about an existing subscription."""

from typing import Any

from schemas.codec.json_requests import parse, present_json
from schemas.records.requests import ClientRequest, Subscribe
from schemas.records.subscriptions import Subscription


def identity_json(subscription: Subscription) -> dict[str, Any]:
    """Return the fields of a request to name a subscription."""
    receiver = present_json(subscription.receiver)
    return {"documentUrl": subscription.document_url, **receiver, "name": subscription.name}


def request_about(subscription: Subscription, action: str, **more: bool) -> ClientRequest:
    """Return the request to do something with a subscription; ``more`` are further fields."""
    return parse(action, identity_json(subscription) | more)


def replacement_of(subscription: Subscription) -> Subscribe:
    """Return the request to replace a subscription by an equal subscription."""
    return Subscribe(
        subscription.document_url,
        subscription.receiver,
        keywords=subscription.keywords,
        options=subscription.options,
        replace=True,
        name=subscription.name,
    )
