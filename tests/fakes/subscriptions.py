"""Subscriptions, and facts about them."""

from typing import Any

from schemas.records.facts import Fact
from schemas.records.subscription_facts import Cancelled, Expired, Subscribed
from schemas.records.subscriptions import Options, Receiver, Subscription
from schemas.records.watches import Watch

URL = "http://example.test/"
WATCH = Watch("s1", 60)


def subscription(key: str = "s1", **fields: Any) -> Subscription:
    """A subscription by ``key``; each has another client."""
    given_fields = {
        "id": key,
        "watch": "s1",
        "manager": "default",
        "document_url": "http://EXAMPLE.test",
        "url": URL,
        "receiver": Receiver(f"http://client.test/{key}"),
        "keywords": ("zeus", "père"),
        "options": Options(interval=60, enable_stemming=True, ignore_case=True),
        "created": 100,
    }
    return Subscription(**{**given_fields, **fields})


def subscribed(at: int = 100, key: str = "s1", watch: Watch | None = WATCH, **fields: Any) -> Fact:
    return Subscribed("r", subscription(key, created=at, **fields), URL, watch, at)


def cancelled(at: int, key: str = "s1", watch: Watch | None = None) -> Fact:
    return Cancelled("r", key, "default", URL, watch, at)


def expired(at: int, key: str = "s1", watch: Watch | None = None) -> Fact:
    return Expired(key, "default", "ten failures", URL, watch, at)
