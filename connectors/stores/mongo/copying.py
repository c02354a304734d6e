"""Rows as they are copied between stores."""

from connectors.stores.mongo.database import Database
from connectors.stores.tables import Batch, Key, Row, Table

_COPY = "copy"
_ONLY_IN_ID = {"checks": "url", "watches": "url", "subscriptions": "id", "history": "id"}
"""The column of a table that a document has in its ``_id`` only."""


async def rows(database: Database, table: Table, after: Key | None) -> list[Row]:
    """Give some rows behind a key, in their order."""
    place = {} if after is None else {"_id": {"$gt": _name(after)}}
    batch = Batch()
    fields = dict.fromkeys(table.columns, 1)
    async for found in database[table.name].find(place, fields).sort("_id", 1):
        if not batch.add(_row(table, found)):
            break
    return batch.rows


async def put(database: Database, table: Table, rows: list[Row]) -> None:
    """Insert rows in the place of those of the same keys; may be done again."""
    documents = [_document(table, row) for row in rows]
    names = [document["_id"] for document in documents]
    await database[table.name].delete_many({"_id": {"$in": names}})
    await database[table.name].insert_many(documents)


async def noted(database: Database) -> str | None:
    """Give how far a copy into this store has come."""
    found = await database.meta.find_one({"_id": _COPY})
    state: str | None = None if found is None else found["state"]
    return state


async def note(database: Database, state: str | None) -> None:
    """Note how far it has come; None: there is none under way."""
    if state is None:
        await database.meta.delete_one({"_id": _COPY})
    else:
        values = {"$set": {"state": state}}
        await database.meta.update_one({"_id": _COPY}, values, upsert=True)


def _name(key: Key) -> str:
    return " ".join(map(str, key))


def _row(table: Table, found: Row) -> Row:
    row = {column: found.get(column) for column in table.columns}
    hidden = _ONLY_IN_ID.get(table.name, "url" if table.columns == table.key else None)
    if hidden is not None:
        row[hidden] = found["_id"].split(" ", len(table.key) - 1)[-1]
    return row


def _document(table: Table, row: Row) -> Row:
    hidden = _ONLY_IN_ID.get(table.name)
    values = {column: value for column, value in row.items() if column != hidden}
    return {"_id": _name(table.key_of(row)), **values}
