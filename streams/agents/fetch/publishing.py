"""Publishes the records that a stored state of a document holds."""

from schemas.records.documents import Document, Unpublished
from schemas.records.topics import CHANGES
from streams.agents.fetch.effects import Effects
from streams.values.outcome import Send


async def publish_records(effects: Effects, left: Unpublished) -> None:
    """Publish the records that a stored state holds, then clear them.

    Bytes and ids are those of the first time, however often this is repeated.
    """
    await effects.publish(Send(CHANGES.name, left.url, record) for record in left.records)
    await effects.snapshots.clear_unpublished(left.url, left.version, left.view)


async def publish_if_any(effects: Effects, document: Document) -> None:
    """Publish and clear the records of a state that was loaded or has just been written."""
    if document.unpublished:
        left = Unpublished(document.url, document.version, document.unpublished, document.view)
        await publish_records(effects, left)
