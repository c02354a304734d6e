"""What must hold before a worker starts: all topics exist, and all use one store and one key."""

from connectors.kafka.claims import claim_key, claim_store, claimed_key
from connectors.kafka.topics import create_topics
from connectors.signing_key import find_signing_key, load_signing_key
from schemas.claims import KeyClaimed, StoreClaimed
from schemas.signing import fingerprint
from streams.clock import now
from streams.pipeline import topic_specs
from streams.settings import Settings
from streams.topics import DEPLOYMENT
from streams.wiring.connections import kafka_access, opened_store


async def create_all_topics(settings: Settings) -> list[str]:
    """Create the topics that are missing and return their names; raises TopicsError."""
    access = kafka_access(settings)
    return await create_topics(access, topic_specs(settings), settings.replication)


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
    """Load the signing key, creating one if there is none, and claim it for this deployment.

    Raises:
        InvalidSigningKey, AnotherKey: the text says what to do.
    """
    key = load_signing_key(settings.signing_key, settings.signing_file)
    claim = KeyClaimed(fingerprint(key), replace, now())
    await claim_key(kafka_access(settings), _topic(settings), claim)
    return key


async def deployed_signing_key(settings: Settings) -> bytes | None:
    """Return the key that the deployment signs with, None if this machine does not have it."""
    key = find_signing_key(settings.signing_key, settings.signing_file)
    claim = await claimed_key(kafka_access(settings), _topic(settings))
    return key if key and claim and claim.fingerprint == fingerprint(key) else None


def _topic(settings: Settings) -> str:
    return settings.topic_prefix + DEPLOYMENT.name
