"""What must be so before any worker starts: all topics, one store and one key for all."""

from connectors.kafka.claims import claim_key, claim_store, claimed_key
from connectors.kafka.topics import create_topics
from connectors.signing_key import find_signing_key, load_signing_key
from connectors.stores import open_store
from schemas.facts import KeyClaimed, StoreClaimed
from schemas.signing import fingerprint
from streams.clock import now
from streams.pipeline import topic_specs
from streams.settings import Settings
from streams.topics import DEPLOYMENT
from streams.wiring.connections import kafka_access


async def create(settings: Settings) -> list[str]:
    """Create the topics that are missing and give their names; raises TopicsError."""
    return await create_topics(kafka_access(settings), topic_specs(settings), settings.replication)


async def prepare(settings: Settings, replace: bool = False) -> str:
    """Create the topics, claim the store for this deployment and tell where that is.

    Raises TopicsError, StoreRefused, StoreUnavailable or StoreElsewhere, whose texts
    say what to do.
    """
    await create(settings)
    store = await open_store(settings.store_url)
    try:
        claim = StoreClaimed(store.identity, store.place, now())
        await claim_store(kafka_access(settings), _topic(settings), claim, replace)
        return store.place
    finally:
        await store.close()


async def prepare_key(settings: Settings, replace: bool = False) -> bytes:
    """Give the key to sign with, made if there is none, and claim it for this deployment.

    Raises InvalidSigningKey or AnotherKey, whose texts say what to do.
    """
    key = load_signing_key(settings.signing_key, settings.signing_file)
    claim = KeyClaimed(fingerprint(key), replace, now())
    await claim_key(kafka_access(settings), _topic(settings), claim)
    return key


async def deployments_key(settings: Settings) -> bytes | None:
    """Give the key that the deployment signs with, None where this machine does not have it."""
    key = find_signing_key(settings.signing_key, settings.signing_file)
    claim = await claimed_key(kafka_access(settings), _topic(settings))
    return key if key and claim and claim.fingerprint == fingerprint(key) else None


def _topic(settings: Settings) -> str:
    return settings.topic_prefix + DEPLOYMENT.name
