"""Connects to the server, and brings the database to the present version.

The only file that knows motor; the others get its collections.
"""

from typing import Any
from uuid import uuid4

from motor.motor_asyncio import AsyncIOMotorClient, AsyncIOMotorCollection, AsyncIOMotorDatabase
from pymongo.errors import DuplicateKeyError, PyMongoError

from connectors.stores.base import StoreRefused
from connectors.stores.mongo.address import Address

Row = dict[str, Any]
Client = AsyncIOMotorClient[Row]
Database = AsyncIOMotorDatabase[Row]
Collection = AsyncIOMotorCollection[Row]

VERSION = 1
_SELF = {"_id": "vokter"}

# What is unpublished is rare, so an index of it alone is small.
_INDEXES: tuple[tuple[str, list[tuple[str, int]], Row], ...] = (
    ("documents", [("waiting", 1)], {"sparse": True}),
    ("spilled", [("url", 1), ("version", 1)], {}),
    ("subscriptions", [("manager", 1), ("created", 1), ("_id", 1)], {}),
    ("subscriptions", [("manager", 1), ("ended", 1)], {}),
    ("subscriptions", [("ended", 1)], {}),
    ("watches", [("id", 1), ("at", 1)], {}),
    ("subscriptions", [("manager", 1), ("url", 1)], {}),
    ("snapshots", [("url", 1), ("at", -1)], {}),
    ("snapshots", [("until", 1)], {}),
    ("history", [("at", 1)], {}),
    ("history", [("kind", 1), ("subject", 1), ("at", -1), ("_id", -1)], {}),
)


def connect(address: Address) -> Client:
    """A client of the running loop; it connects when it is first used."""
    try:
        return AsyncIOMotorClient(address.url, **address.options)
    except (PyMongoError, ValueError, TypeError) as error:
        raise StoreRefused(f"Refused: the MongoDB store {address.place}: {error}") from None


async def prepare(database: Database) -> str:
    """Create what is missing and give the database's identity, made up when it is new."""
    found = await database.meta.find_one(_SELF) or await _begin(database)
    if found["version"] > VERSION:
        raise StoreRefused(
            f"Refused: {database.name} was written by a later release; use that one."
        )
    for collection, keys, options in _INDEXES:
        await database[collection].create_index(keys, **options)
    identity: str = found["identity"]
    return identity


async def _begin(database: Database) -> Row:
    new = {**_SELF, "identity": uuid4().hex, "version": VERSION}
    try:
        await database.meta.insert_one(new)
    except DuplicateKeyError:  # another process was faster
        found = await database.meta.find_one(_SELF)
        assert found is not None
        return found
    return new
