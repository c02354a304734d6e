"""The part of ``vokter store copy``: rows as they are copied between stores."""

from connectors.stores.mongo.database import MongoPart, asks
from connectors.stores.mongo.terms import with_terms, with_words
from connectors.stores.packing import unpack_subscription
from connectors.stores.tables import Batch, Key, Row, StoreTable

_COPY = "copy"
_ONLY_IN_ID = {"checks": "url", "watches": "url", "subscriptions": "id", "facts": "id"}
"""The column of each table whose value is only in the ``_id``."""


class MongoRows(MongoPart):
    """Implements ``connectors.stores.copying.RowAccess``."""

    @asks
    async def read(self, table: StoreTable, after: Key | None) -> list[Row]:
        """Read some rows of a table in the order of their keys, after a key."""
        beyond = {} if after is None else {"_id": {"$gt": _id(after)}}
        batch = Batch()
        fields = dict.fromkeys((*table.columns, "terms"), 1)
        hidden = _ONLY_IN_ID.get(table.name)
        async for found in self.database[table.name].find(beyond, fields).sort("_id", 1):
            words = with_words(found)
            row = {column: words.get(column) for column in table.columns}
            if hidden is not None:
                row[hidden] = found["_id"].split(" ", len(table.key) - 1)[-1]
            if not batch.add(row):
                break
        return batch.rows

    @asks
    async def put(self, table: StoreTable, rows: list[Row]) -> None:
        """Insert rows; a row replaces the earlier row with its key. May be repeated."""
        hidden, documents = _ONLY_IN_ID.get(table.name), []
        for row in rows:
            values = {column: value for column, value in row.items() if column != hidden}
            if table.name == "subscriptions":  # SQLite keeps them in rows that follow from the body
                values["tags"] = list(unpack_subscription(row["body"]).options.tags)
            if table.name == "facts":
                values = with_terms(row["kind"], values)
            documents.append({"_id": _id(table.key_of(row)), **values})
        ids = [document["_id"] for document in documents]
        await self.database[table.name].delete_many({"_id": {"$in": ids}})
        await self.database[table.name].insert_many(documents)

    @asks
    async def noted_copy(self) -> str | None:
        """Load the note about an incomplete copy into this store."""
        found = await self.database.meta.find_one({"_id": _COPY})
        state: str | None = None if found is None else found["state"]
        return state

    @asks
    async def note_copy(self, state: str | None) -> None:
        """Note the progress of a copy into this store; None: the copy is complete."""
        if state is None:
            await self.database.meta.delete_one({"_id": _COPY})
        else:
            values = {"$set": {"state": state}}
            await self.database.meta.update_one({"_id": _COPY}, values, upsert=True)


def _id(key: Key) -> str:
    return " ".join(map(str, key))
