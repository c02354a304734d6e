"""Insert or update: of two writers, the one with the newer values wins."""

from pymongo.errors import DuplicateKeyError

from connectors.stores.mongo.database import Collection, Row


async def upsert(collection: Collection, query: Row, values: Row) -> None:
    """Insert a row if its ``_id`` is free, otherwise update it if it matches the query."""
    try:
        await collection.update_one(query, values, upsert=True)
    except DuplicateKeyError:
        # There is one that does not match, or that another writer has just inserted.
        await collection.update_one(query, values)
