"""Insert or update: of two writers, the one with the newer values prevails."""

from pymongo.errors import DuplicateKeyError

from connectors.stores.mongo.database import Collection, Row


async def upsert(collection: Collection, place: Row, values: Row) -> None:
    """Insert a row if its ``_id`` is free, else update it if it meets ``place``."""
    try:
        await collection.update_one(place, values, upsert=True)
    except DuplicateKeyError:
        # There is one that does not meet it, or that another has just inserted.
        await collection.update_one(place, values)
