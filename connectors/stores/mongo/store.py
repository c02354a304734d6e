"""The MongoDB store: each of its methods."""

import asyncio
from collections.abc import Sequence
from typing import Any, Self

from connectors.stores.base import Listed, ListingPage, Told
from connectors.stores.mongo import copying, former, history, listing, snapshots, texts
from connectors.stores.mongo.address import parsed
from connectors.stores.mongo.database import Client, Database, connect, prepare
from connectors.stores.mongo.errors import opening, translating
from connectors.stores.tables import Key, Row, Table
from schemas.documents import Document, Snapshot, Unpublished
from schemas.facts import DocumentChanged, Fact


class MongoStore:
    """A Store in a database of a MongoDB server, open in any number of processes."""

    def __init__(
        self, client: Client, database: Database, identity: str, place: str, kept: int = 0
    ) -> None:
        self.identity = identity
        self.place = place
        self._former = kept
        self._client = client
        self._database = database

    @classmethod
    async def open(cls, url: str, former: int = 0) -> Self:
        """Connect to the server that a URL names; create the indexes that are missing.

        Of each document ``former`` snapshots are kept when they are replaced.
        Raises StoreRefused for a wrong URL or login, or a later release's
        database; StoreUnavailable when no server answers.
        """
        address = parsed(url)
        client = connect(address)
        try:
            with opening(address.place):
                database = client.get_database(address.database)
                return cls(client, database, await prepare(database), address.place, former)
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
                self._database, values, spilled, expected_version, keeps=self._former > 0
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
            await snapshots.forget(self._database, url, watch, keeps=self._former > 0)

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

    async def subscriptions(
        self, manager: str, after: str | None, limit: int
    ) -> ListingPage[Listed]:
        """See Store."""
        with translating(self.place):
            return await listing.subscriptions(self._database, manager, after, limit)

    async def subscription(self, manager: str, name: str) -> Listed | None:
        """See Store."""
        with translating(self.place):
            return await listing.subscription(self._database, manager, name)

    async def changes(
        self, manager: str, url: str, after: str | None, limit: int
    ) -> ListingPage[Any] | None:
        """See Store."""
        with translating(self.place):
            return await listing.changes(self._database, manager, url, after, limit)

    async def told(
        self, kind: Told, manager: str, client: str, after: str | None, limit: int
    ) -> ListingPage[Any]:
        """See Store."""
        with translating(self.place):
            return await listing.told(self._database, kind, manager, client, after, limit)

    async def documents(
        self, manager: str, after: str | None, limit: int
    ) -> ListingPage[tuple[str, Snapshot | None]]:
        """See Store."""
        with translating(self.place):
            return await texts.documents(self._database, manager, after, limit)

    async def snapshots(
        self, manager: str, url: str, after: str | None, limit: int
    ) -> ListingPage[Snapshot] | None:
        """See Store."""
        with translating(self.place):
            return await texts.snapshots(self._database, manager, url, after, limit)

    async def snapshot(self, manager: str, url: str, at: int | None) -> tuple[Snapshot, str] | None:
        """See Store."""
        with translating(self.place):
            return await texts.snapshot(self._database, manager, url, at)

    async def differences(
        self, manager: str, url: str, at: int | None
    ) -> tuple[Snapshot, tuple[DocumentChanged, ...]] | None:
        """See Store."""
        with translating(self.place):
            return await texts.differences(self._database, manager, url, at)

    async def count_active(self, manager: str) -> int:
        """See Store."""
        with translating(self.place):
            return await listing.count_active(self._database, manager)

    async def prune(self, before: int, former_before: int) -> None:
        """See Store."""
        with translating(self.place):
            await history.prune(self._database, before)
            await former.prune(self._database, self._former, former_before)

    async def rows(self, table: Table, after: Key | None) -> list[Row]:
        """See Store."""
        with translating(self.place):
            return await copying.rows(self._database, table, after)

    async def put(self, table: Table, rows: list[Row]) -> None:
        """See Store."""
        with translating(self.place):
            await copying.put(self._database, table, rows)

    async def noted_copy(self) -> str | None:
        """See Store."""
        with translating(self.place):
            return await copying.noted(self._database)

    async def note_copy(self, state: str | None) -> None:
        """See Store."""
        with translating(self.place):
            await copying.note(self._database, state)

    async def ping(self) -> None:
        """See Store."""
        with translating(self.place):
            await self._database.meta.find_one({})

    async def close(self) -> None:
        """See Store."""
        self._client.close()
