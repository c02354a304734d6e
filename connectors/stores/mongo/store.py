"""The MongoDB store: each of its methods."""

import asyncio
from collections.abc import Sequence
from typing import Any, Self

from connectors.stores.base import Listed, Page, Told
from connectors.stores.mongo import history, listing, snapshots
from connectors.stores.mongo.address import parsed
from connectors.stores.mongo.database import Client, Database, connect, prepare
from connectors.stores.mongo.errors import opening, translating
from schemas.documents import Document, Unpublished
from schemas.facts import Fact


class MongoStore:
    """A Store in a database of a MongoDB server, open in any number of processes."""

    def __init__(self, client: Client, database: Database, identity: str, place: str) -> None:
        self.identity = identity
        self.place = place
        self._client = client
        self._database = database

    @classmethod
    async def open(cls, url: str) -> Self:
        """Connect to the server that a URL names; create the indexes that are missing.

        Raises StoreRefused for a wrong URL or login, or a later release's
        database; StoreUnavailable when no server answers.
        """
        address = parsed(url)
        client = connect(address)
        try:
            with opening(address.place):
                database = client.get_database(address.database)
                return cls(client, database, await prepare(database), address.place)
        except BaseException:
            client.close()
            raise

    async def document(self, url: str) -> Document | None:
        """See Store."""
        with translating(self.place):
            return await snapshots.read(self._database, url)

    async def compare_and_set(self, document: Document, expected_version: int) -> bool:
        """See Store."""
        values, spilled = await asyncio.to_thread(snapshots.row, document)
        with translating(self.place):
            return await snapshots.compare_and_set(
                self._database, values, spilled, expected_version
            )

    async def clear_unpublished(self, url: str, version: int) -> bool:
        """See Store."""
        with translating(self.place):
            return await snapshots.clear_unpublished(self._database, url, version)

    async def unpublished(self) -> list[Unpublished]:
        """See Store."""
        with translating(self.place):
            return await snapshots.unpublished(self._database)

    async def forget(self, url: str, watch: str) -> None:
        """See Store."""
        with translating(self.place):
            await snapshots.forget(self._database, url, watch)

    async def record_checks(self, checks: Sequence[tuple[str, str, int]]) -> None:
        """See Store."""
        with translating(self.place):
            await snapshots.record_checks(self._database, checks)

    async def record(self, facts: Sequence[Fact]) -> None:
        """See Store."""
        operations = await asyncio.to_thread(history.operations, facts)
        with translating(self.place):
            for write in operations:
                await write(self._database)

    async def subscriptions(self, manager: str, after: str | None, limit: int) -> Page[Listed]:
        """See Store."""
        with translating(self.place):
            return await listing.subscriptions(self._database, manager, after, limit)

    async def subscription(self, manager: str, name: str) -> Listed | None:
        """See Store."""
        with translating(self.place):
            return await listing.subscription(self._database, manager, name)

    async def changes(
        self, manager: str, url: str, after: str | None, limit: int
    ) -> Page[Any] | None:
        """See Store."""
        with translating(self.place):
            return await listing.changes(self._database, manager, url, after, limit)

    async def told(
        self, kind: Told, manager: str, client: str, after: str | None, limit: int
    ) -> Page[Any]:
        """See Store."""
        with translating(self.place):
            return await listing.told(self._database, kind, manager, client, after, limit)

    async def count_active(self, manager: str) -> int:
        """See Store."""
        with translating(self.place):
            return await listing.count_active(self._database, manager)

    async def prune(self, before: int) -> None:
        """See Store."""
        with translating(self.place):
            await history.prune(self._database, before)

    async def ping(self) -> None:
        """See Store."""
        with translating(self.place):
            await self._database.meta.find_one({})

    async def close(self) -> None:
        """See Store."""
        self._client.close()
