"""The MongoDB store: the connection, and the parts on the database."""

from typing import Self

from connectors.stores.mongo.address import parse_address
from connectors.stores.mongo.credentials import MongoCredentials
from connectors.stores.mongo.database import (
    Client,
    Database,
    MongoPart,
    asks,
    connect,
    prepare,
    select_database,
)
from connectors.stores.mongo.errors import opening
from connectors.stores.mongo.facts import MongoFacts
from connectors.stores.mongo.read_side import MongoReadSide
from connectors.stores.mongo.reprocess_reads import MongoKeptPages
from connectors.stores.mongo.rows import MongoRows
from connectors.stores.mongo.search import MongoSearch
from connectors.stores.mongo.snapshots import MongoSnapshots
from connectors.stores.mongo.subscriptions import MongoSubscriptions
from connectors.stores.mongo.texts import MongoTexts
from connectors.stores.objects import Objects
from schemas.records.documents import FailingDocument, FlappingDocument, LostDocument, PageWait

_PING = "ping"
"""The row of test writes."""


class MongoStore(MongoPart):
    """A store in a database of a MongoDB server, open in any number of processes.

    ``identity`` is the same wherever the store is opened; ``location`` names the store for people.
    """

    def __init__(
        self,
        client: Client,
        database: Database,
        identity: str,
        location: str,
        history: int,
        objects: Objects,
    ) -> None:
        """Keep ``history`` older snapshots of each document."""
        super().__init__(database, location)
        self.identity = identity
        self.objects = objects
        self.snapshots = MongoSnapshots(database, location, history, objects)
        self.read_side = MongoReadSide(database, location, history, objects)
        self.subscriptions = MongoSubscriptions(database, location)
        self.facts = MongoFacts(database, location)
        self.search = MongoSearch(database, location)
        self.kept = MongoKeptPages(database, location, objects)
        self.texts = MongoTexts(database, location, objects)
        self.rows = MongoRows(database, location)
        self.credentials = MongoCredentials(database, location)
        self._client = client

    @classmethod
    async def open(cls, url: str, history: int = 0, objects: Objects | None = None) -> Self:
        """Connect to the server of a URL; create the missing indexes.

        Raises StoreRefused for a wrong URL or login, or the database of a later release;
        StoreUnavailable if no server answers.
        """
        address = parse_address(url)
        client = connect(address)
        try:
            with opening(address.location):
                database = select_database(client, address.database)
                identity = await prepare(database)
                found = (client, database, identity, address.location)
                return cls(*found, history, objects or Objects())
        except BaseException:
            client.close()
            raise

    @asks
    async def waits(self, limit: int) -> list[PageWait]:
        """List the documents with the longest wait for their fetch."""
        rows = await self.database.waits.find({}).sort("since", 1).limit(limit).to_list(None)
        return [PageWait(row["_id"], row["watch"], row["since"], row["reason"]) for row in rows]

    @asks
    async def failing(self, limit: int) -> list[FailingDocument]:
        """List the documents with the most failures in a row, once for each view."""
        fields = {"url": 1, "failures": 1, "last_error": 1}
        found = self.database.documents.find({"failures": {"$gt": 0}}, fields)
        rows = await found.sort("failures", -1).limit(limit).to_list(None)
        return [FailingDocument(r["url"], r["failures"], r["last_error"] or "") for r in rows]

    @asks
    async def flapping(self, now: int, limit: int) -> list[FlappingDocument]:
        """List the documents flapping ``now`` (epoch ms), once for each view."""
        fields = {"url": 1, "flapping_until": 1}
        found = self.database.documents.find({"flapping_until": {"$gt": now}}, fields)
        rows = await found.sort("flapping_until", -1).limit(limit).to_list(None)
        return [FlappingDocument(row["url"], row["flapping_until"]) for row in rows]

    @asks
    async def lost(self, limit: int) -> list[LostDocument]:
        """List the documents lost for the longest time, once for each view."""
        fields = {"url": 1, "missing_since": 1, "missing": 1}
        found = self.database.documents.find({"lost": {"$gt": ""}}, fields)
        rows = await found.sort("missing_since", 1).limit(limit).to_list(None)
        return [LostDocument(row["url"], row["missing_since"], row["missing"]) for row in rows]

    @asks
    async def has_good(self) -> bool:
        """Return whether any document could be read the last time."""
        return await self.database.documents.find_one({"failures": 0}, {"_id": 1}) is not None

    @asks
    async def ping(self) -> None:
        """Write to the server: an agent needs more than reads."""
        await self.database.meta.update_one({"_id": _PING}, {"$inc": {"count": 1}}, upsert=True)

    async def close(self) -> None:
        """Close the connections to the server."""
        self._client.close()
