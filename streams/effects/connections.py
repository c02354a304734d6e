"""The connections in settings: Kafka, schema registry, store, and allowed addresses."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from connectors.kafka.access import Access
from connectors.kafka.requests import ANSWER_TIMEOUT_S, RequestSender
from connectors.registry.codec import Codec
from schemas.records.egress_policy import EgressPolicy
from schemas.records.subscription_facts import SubscriptionFact
from schemas.records.topics import SUBSCRIPTION_REQUESTS, SUBSCRIPTIONS, TOPICS
from streams.effects.own_ports import OwnPorts
from streams.settings import Settings

if TYPE_CHECKING:
    from connectors.stores.opening import Store


def kafka_access(settings: Settings) -> Access:
    """Return how to reach the brokers; ``settings.kafka`` must be set by now."""
    password = settings.kafka_password
    return Access(
        bootstrap=settings.kafka or "",
        security=settings.kafka_security,
        ca=settings.kafka_ca,
        cert=settings.kafka_cert,
        key=settings.kafka_key,
        mechanism=settings.kafka_mechanism,
        user=settings.kafka_user,
        password=password.get_secret_value() if password else None,
        compression=None if settings.kafka_compression == "none" else settings.kafka_compression,
    )


def egress_policy(settings: Settings) -> EgressPolicy:
    """Return which addresses may be connected to.

    The deployment's own ports (API, brokers and controller, store, schema registry, metrics) are
    closed on every private network, so no subscription can make Vokter call its own services.
    """
    return EgressPolicy(settings.allow_private, settings.allow_ports, OwnPorts(settings))


def record_codec(settings: Settings) -> Codec:
    """Return the codec for this deployment's records, to be started before use."""
    url = settings.schema_registry_url
    topics = {t.name: t.kinds for t in TOPICS if t.kinds and not t.keeps_last}
    return Codec(url.get_secret_value() if url else None, settings.topic_prefix, topics)


async def started_codec(settings: Settings) -> Codec:
    """Start and return the codec; raises RegistryUnavailable or RegistryRefused."""
    codec = record_codec(settings)
    await codec.start()
    return codec


def request_sender(
    settings: Settings,
    codec: Codec | None = None,
    note: Callable[[SubscriptionFact], None] | None = None,
    timeout_s: float = ANSWER_TIMEOUT_S,
) -> RequestSender:
    """Return a client for requests to match and their answers.

    ``note`` is called with each of match's facts.
    """
    prefix = settings.topic_prefix
    names = prefix + SUBSCRIPTION_REQUESTS.name, prefix + SUBSCRIPTIONS.name
    codec = codec or record_codec(settings)
    return RequestSender(kafka_access(settings), *names, timeout_s, codec, note)


@asynccontextmanager
async def opened_store(settings: Settings, snapshots: int = 0) -> "AsyncIterator[Store]":
    """Open the store and close the store at the end; replaced ``snapshots`` are kept per document.

    Raises StoreRefused or StoreUnavailable.
    """
    from connectors.stores.opening import open_store  # noqa: PLC0415 - most commands need no store

    store = await open_store(settings.store_url, snapshots, settings.bodies)
    try:
        yield store
    finally:
        await store.close()
