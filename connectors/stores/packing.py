"""Texts and facts as compressed bytes, the same in every store."""

import json
import zlib
from typing import Any

from schemas.facts import (
    ClientGone,
    Delivered,
    DeliveryFailed,
    DocumentChanged,
    DocumentUnreachable,
    Fact,
    Notification,
    Subscription,
)
from schemas.records import to_dict


def pack(text: str) -> bytes:
    """Compress a text, lone surrogates too; slow for a large one."""
    return zlib.compress(text.encode("utf-8", "surrogatepass"), 1)


def unpack(packed: bytes) -> str:
    """Give the text back."""
    return zlib.decompress(packed).decode("utf-8", "surrogatepass")


def history_name(fact: Fact) -> tuple[str, str] | None:
    """Under which kind and id the history keeps a fact, if it does."""
    match fact:
        case DocumentChanged() | DocumentUnreachable():
            return "change", fact.id
        case Notification():
            return "notification", fact.id
        case Delivered() | DeliveryFailed():
            return "delivery", fact.notification
        case ClientGone():
            return "client", f"{fact.manager} {fact.client_url}"
        case _:
            return None


def packed_fact(fact: Any) -> bytes:
    """A fact of the history as compressed JSON, its kind in ``fact``."""
    return pack(json.dumps({"fact": type(fact).__name__, **to_dict(fact)}))


def state(subscription: Subscription) -> str:
    """The state of a subscription that has not ended."""
    return "paused" if subscription.paused else "active"


def subscription_json(subscription: Subscription) -> str:
    """All fields of a subscription."""
    return json.dumps(to_dict(subscription))


def subscription_of(text: str) -> Subscription:
    """Give the subscription back."""
    fields = json.loads(text)
    return Subscription(**{**fields, "keywords": tuple(fields["keywords"])})
