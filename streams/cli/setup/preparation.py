"""Conditions of a start: all topics exist, and all workers use the same store and key."""

import asyncio

import structlog

from connectors.kafka.claims import claim_key, claim_store, claimed_key
from connectors.kafka.partitioning import partitioned
from connectors.kafka.topics import create_topics
from connectors.signing_key import find_signing_key, load_signing_key
from schemas.codec.signing import fingerprint
from schemas.records.claims import KeyClaimed, Partitioned, StoreClaimed
from schemas.records.topics import DEPLOYMENT
from streams.effects.clock import now
from streams.effects.connections import kafka_access, opened_store
from streams.effects.topics import topic_specs
from streams.settings import Settings

log = structlog.get_logger()

LOOK_EVERY_S = 0.5


async def create_all_topics(settings: Settings) -> list[str]:
    """Create the missing topics and return their names; raises TopicsError.

    While partitions are added none is created: all exist.
    """
    access = kafka_access(settings)
    known = await partitioned(access, _topic(settings))
    if known is not None:
        if not known.is_done:
            return []
        settings = _with(settings, known)
    return await create_topics(access, topic_specs(settings), settings.replication)


async def with_partitions(settings: Settings) -> Settings:
    """Complete settings by how many partitions the deployment has, if any were added.

    During an addition, the number is the future number. Raises KafkaError.
    """
    known = await partitioned(kafka_access(settings), _topic(settings))
    return settings if known is None else _with(settings, known)


async def await_partitions(settings: Settings) -> Settings:
    """Do the same, once no partitions are being added."""
    access = kafka_access(settings)
    while (known := await partitioned(access, _topic(settings))) and not known.is_done:
        log.warning(
            "partitions are being added; this process waits until 'vokter repartition' is done",
            former=known.former,
            partitions=known.partitions,
            once_a_minute="repartition",
        )
        await asyncio.sleep(LOOK_EVERY_S)
    return settings if known is None else _with(settings, known)


def _with(settings: Settings, known: Partitioned) -> Settings:
    return settings.model_copy(update={"partitions": known.partitions})


async def prepare_deployment(settings: Settings, replace: bool = False) -> str:
    """Create the topics, claim the store for this deployment, and return the store's location.

    Args:
        settings: name the brokers and the store.
        replace: claim the store although the deployment uses another one.

    Raises:
        TopicsError, StoreRefused, StoreUnavailable, StoreElsewhere: the text says what to do.
    """
    await create_all_topics(settings)
    async with opened_store(settings) as store:
        claim = StoreClaimed(store.identity, store.location, now(), replace)
        await claim_store(kafka_access(settings), _topic(settings), claim)
        return store.location


async def claim_signing_key(settings: Settings, replace: bool = False) -> bytes:
    """Load or create the signing key, and claim the key for this deployment.

    Raises:
        InvalidSigningKey, AnotherKey: the text says what to do.
    """
    key = load_signing_key(settings.signing_key, settings.signing_file)
    claim = KeyClaimed(fingerprint(key), replace, now())
    await claim_key(kafka_access(settings), _topic(settings), claim)
    return key


async def deployed_signing_key(settings: Settings) -> bytes | None:
    """Return the signing key of the deployment, None if unknown to this machine."""
    key = find_signing_key(settings.signing_key, settings.signing_file)
    claim = await claimed_key(kafka_access(settings), _topic(settings))
    return key if key and claim and claim.fingerprint == fingerprint(key) else None


def _topic(settings: Settings) -> str:
    return settings.topic_prefix + DEPLOYMENT.name
