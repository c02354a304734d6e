"""Connect to the server, and bring the database to the present version.

The only file with motor; the parts use its collections.
"""

from collections.abc import Callable, Coroutine, Iterator, Sequence
from dataclasses import dataclass
from functools import wraps
from typing import Any, Concatenate, ParamSpec, TypeVar
from uuid import uuid4

from bson.codec_options import CodecOptions, TypeDecoder, TypeRegistry
from bson.int64 import Int64
from motor.motor_asyncio import AsyncIOMotorClient, AsyncIOMotorDatabase
from pymongo.errors import DuplicateKeyError, PyMongoError

from connectors.stores.errors import StoreRefused
from connectors.stores.mongo.address import Address
from connectors.stores.mongo.errors import translating

P = ParamSpec("P")
T = TypeVar("T")
AnyPart = TypeVar("AnyPart", bound="MongoPart")

Row = dict[str, Any]
Client = AsyncIOMotorClient[Row]
Database = AsyncIOMotorDatabase[Row]

VERSION = 1
"""Of the rows. A release with another format increments the version, and converts the last format.
"""
_SELF = {"_id": "vokter"}

_UPDATED_AT_ONCE = 32
"""FerretDB 1 holds something for each row updated by a command, and hangs at 100 in all."""

_INDEXES: tuple[tuple[str, list[tuple[str, int]], Row], ...] = (
    # Documents with unpublished records are rare, so an index of these alone is small.
    ("documents", [("waiting", 1)], {"sparse": True}),
    ("documents", [("url", 1)], {}),
    ("documents", [("failures", 1)], {}),
    ("documents", [("flapping_until", 1)], {}),
    ("documents", [("lost", 1), ("missing_since", 1)], {}),
    ("spilled", [("document", 1), ("version", 1)], {}),
    ("subscriptions", [("manager", 1), ("created", 1), ("_id", 1)], {}),
    ("subscriptions", [("manager", 1), ("tags", 1), ("created", 1), ("_id", 1)], {}),
    ("subscriptions", [("manager", 1), ("ended", 1)], {}),
    ("subscriptions", [("manager", 1), ("url", 1), ("receiver", 1)], {}),
    ("subscriptions", [("ended", 1)], {}),
    ("subscriptions", [("url", 1), ("view", 1), ("created", 1)], {}),
    ("credentials", [("manager", 1), ("name", 1)], {}),
    ("waits", [("since", 1)], {}),
    ("watches", [("id", 1), ("at", 1)], {}),
    ("snapshots", [("url", 1), ("view", 1), ("at", -1)], {}),
    ("snapshots", [("until", 1)], {}),
    ("facts", [("at", 1)], {}),
    ("facts", [("manager", 1), ("kind", 1), ("at", -1), ("_id", -1)], {}),
    ("facts", [("kind", 1), ("subject", 1), ("at", -1), ("_id", -1)], {}),
    ("facts", [("terms", 1), ("at", -1), ("_id", -1)], {}),
)


class _PlainInt(TypeDecoder):
    """Decodes a large number to an int, instead of the driver's own kind of int."""

    bson_type = Int64

    def transform_bson(self, value: Int64) -> int:
        return int(value)


_PLAIN = CodecOptions[Row](type_registry=TypeRegistry([_PlainInt()]))


@dataclass
class MongoPart:
    """A part of a store, on the database of all parts.

    ``location`` names the database in errors.
    """

    database: Database
    location: str


def asks(
    call: Callable[Concatenate[AnyPart, P], Coroutine[Any, Any, T]],
) -> Callable[Concatenate[AnyPart, P], Coroutine[Any, Any, T]]:
    """Translate the driver's errors in a method of a part."""

    @wraps(call)
    async def translated(part: AnyPart, /, *args: P.args, **kwargs: P.kwargs) -> T:
        with translating(part.location):
            return await call(part, *args, **kwargs)

    return translated


def document_key(url: str, view: str) -> str:
    """Return the ``_id`` of a document's row, as in ``vokter store copy``."""
    return f"{url} {view}"


def connect(address: Address) -> Client:
    """Make a client for the running loop; the first use connects."""
    try:
        return AsyncIOMotorClient(address.url, **address.options)
    except (PyMongoError, ValueError, TypeError) as error:
        raise StoreRefused(f"Refused: the MongoDB store {address.location}: {error}") from None


def select_database(client: Client, name: str) -> Database:
    """Return a database of a client; the numbers of its rows are plain."""
    return client.get_database(name, codec_options=_PLAIN)


async def prepare(database: Database) -> str:
    """Create missing collections and indexes, and return the identity of the database.

    Raises StoreRefused for the database of a later release.
    """
    found = await database.meta.find_one(_SELF)
    if found is None:
        found = {**_SELF, "identity": uuid4().hex, "version": VERSION}
        try:
            await database.meta.insert_one(found)
        except DuplicateKeyError:  # another process was faster
            found = await database.meta.find_one(_SELF)
            assert found is not None
    if found["version"] > VERSION:
        raise StoreRefused(
            f"Refused: {database.name} was written by a later release; use that release."
        )
    for collection, keys, options in _INDEXES:
        await database[collection].create_index(keys, **options)
    identity: str = found["identity"]
    return identity


def in_parts(updates: Sequence[T]) -> Iterator[Sequence[T]]:
    """Split the updates of a collection into the parts of one command each."""
    for first in range(0, len(updates), _UPDATED_AT_ONCE):
        yield updates[first : first + _UPDATED_AT_ONCE]
