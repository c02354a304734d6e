"""Credentials, encrypted."""

from dataclasses import asdict, fields

from connectors.stores.mongo.database import MongoPart, Row, asks
from schemas.records.credentials import SealedCredentials

_LISTED = dict.fromkeys([field.name for field in fields(SealedCredentials)][:-1], 1)


class MongoCredentials(MongoPart):
    """Implements ``connectors.stores.ports.CredentialsStore``."""

    @asks
    async def all_of(self, manager: str) -> list[SealedCredentials]:
        """List a manager's credentials by name, without their encrypted parts."""
        found = self.database.credentials.find({"manager": manager}, _LISTED).sort("name", 1)
        return [_credentials(row) for row in await found.to_list(None)]

    @asks
    async def get(self, manager: str, name: str) -> SealedCredentials | None:
        """Load credentials, None if there are none."""
        row = await self.database.credentials.find_one({"_id": _id(manager, name)})
        return None if row is None else _credentials(row)

    @asks
    async def put(self, row: SealedCredentials, most: int) -> bool:
        """Insert credentials or replace those of the same name, if there is room."""
        key = _id(row.manager, row.name)
        before = await self.database.credentials.find_one({"_id": key})
        if before is None and await self._count(row.manager) >= most:
            return False
        await self.database.credentials.replace_one(
            {"_id": key}, {"_id": key, **asdict(row)}, upsert=True
        )
        # Several may have been inserted since they were counted.
        if before is None and await self._count(row.manager) > most:
            await self.database.credentials.delete_one({"_id": key, "set_at": row.set_at})
            return False
        return True

    @asks
    async def renew(self, row: SealedCredentials) -> bool:
        """Replace the encrypted part if nobody has replaced it since."""
        known = {
            "_id": _id(row.manager, row.name),
            "set_at": row.set_at,
            "version": row.version - 1,
        }
        changes = {"$set": {"sealed": row.sealed, "version": row.version}}
        return (await self.database.credentials.update_one(known, changes)).matched_count == 1

    @asks
    async def note_use(self, manager: str, name: str, at: int) -> None:
        """Note when credentials were used (epoch ms)."""
        key = _id(manager, name)
        await self.database.credentials.update_one({"_id": key}, {"$set": {"used_at": at}})

    @asks
    async def remove(self, manager: str, name: str) -> bool:
        """Delete credentials; returns whether there were any."""
        key = _id(manager, name)
        return (await self.database.credentials.delete_one({"_id": key})).deleted_count == 1

    async def _count(self, manager: str) -> int:
        return await self.database.credentials.count_documents({"manager": manager})


def _id(manager: str, name: str) -> str:
    """Return the ``_id`` of a row, as in ``vokter store copy``."""
    return f"{manager} {name}"


def _credentials(row: Row) -> SealedCredentials:
    values = {name: row[name] for name in _LISTED}
    return SealedCredentials(**values, sealed=bytes(row.get("sealed", b"")))
