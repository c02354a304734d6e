"""What must be so before any worker starts: all topics, and one store for all."""

from connectors.kafka.claims import claim_store
from connectors.kafka.topics import create_topics
from connectors.stores import open_store
from schemas.facts import StoreClaimed
from streams.pipeline import now, topic_specs
from streams.settings import Settings
from streams.topics import DEPLOYMENT


async def create(settings: Settings) -> list[str]:
    """Create the topics that are missing and give their names; raises TopicsError."""
    return await create_topics(settings.access, topic_specs(settings), settings.replication)


async def prepare(settings: Settings, replace: bool = False) -> str:
    """Create the topics, claim the store for this deployment and tell where that is.

    Raises TopicsError, StoreRefused, StoreUnavailable or StoreElsewhere, whose texts
    say what to do.
    """
    await create(settings)
    store = await open_store(settings.store_url)
    try:
        claim = StoreClaimed(store.identity, store.place, now())
        topic = settings.topic_prefix + DEPLOYMENT.name
        await claim_store(settings.access, topic, claim, replace)
        return store.place
    finally:
        await store.close()
