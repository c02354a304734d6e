"""Texts and facts as compressed bytes, the same in every store."""

import json
import zlib
from typing import Any

from msgspec import convert, to_builtins

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
from schemas.urls import canonical

_KEPT = (DocumentChanged, DocumentUnreachable, Notification, Delivered, DeliveryFailed, ClientGone)
_KINDS: dict[str, type[Any]] = {kind.__name__: kind for kind in _KEPT}


def pack(text: str) -> bytes:
    """Compress a text, lone surrogates too; slow for a large one."""
    return zlib.compress(text.encode("utf-8", "surrogatepass"), 1)


def unpack(packed: bytes) -> str:
    """Give the text back."""
    return zlib.decompress(packed).decode("utf-8", "surrogatepass")


def history_name(fact: Fact) -> tuple[str, str, str] | None:
    """The kind and id of a fact in the history, and what it is listed under, if it is kept."""
    match fact:
        case DocumentChanged() | DocumentUnreachable():
            return "change", fact.id, fact.url
        case Notification():
            who = fact.receiver.client_url or plain(fact.receiver.session or "")
            return "notification", fact.id, client_subject(fact.manager, who)
        case Delivered() | DeliveryFailed():
            return "delivery", fact.notification, client_subject(fact.manager, fact.client_url)
        case ClientGone():
            subject = client_subject(fact.manager, fact.client_url)
            return "client", f"{fact.manager} {fact.client_url}", subject
        case _:
            return None


def client_subject(manager: str, client: str) -> str:
    """What the history of a manager's client, in its plain form, is listed under."""
    return json.dumps([manager, client])


def plain(client: str) -> str:
    """The form in which a client is known: that of its URL, if it is one; slow for each fact."""
    return canonical(client) or client


def packed_fact(fact: Any) -> bytes:
    """A fact of the history as compressed JSON, its kind in ``fact``."""
    return pack(json.dumps({"fact": type(fact).__name__, **to_builtins(fact)}))


def fact_of(packed: bytes) -> Any:
    """Give the fact back."""
    values = json.loads(unpack(packed))
    kind: Any = _KINDS[values.pop("fact")]
    return convert(values, kind)


def state(subscription: Subscription) -> str:
    """The state of a subscription that has not ended."""
    return "paused" if subscription.paused else "active"


def subscription_json(subscription: Subscription) -> str:
    """All fields of a subscription."""
    return json.dumps(to_builtins(subscription))


def subscription_of(text: str) -> Subscription:
    """Give the subscription back."""
    return convert(json.loads(text), Subscription)
