"""The row of a document: how it is written, and replaced by that of the next state."""

import sqlite3
from collections.abc import Iterable
from dataclasses import fields
from typing import Any

from connectors.stores.packing import pack
from schemas.records.documents import Document


def _assigned(names: Iterable[str]) -> str:
    return ", ".join(f"{name} = :{name}" for name in names)


_FIELDS = [field.name for field in fields(Document) if field.name not in ("text", "unpublished")]
"""Fields of a document that are columns as they are."""
_COLUMNS = (*_FIELDS, "text")
_KEY = ("url", "view")
_INDEXED = ("failures", "flapping_until", "lost", "missing_since")
"""Columns with an index, which are the same in most states of a document."""
_INSERT = (
    f"INSERT OR IGNORE INTO documents ({', '.join(_COLUMNS)})"  # noqa: S608 - constants
    f" VALUES ({', '.join(f':{name}' for name in _COLUMNS)})"
)
# An index is written wherever its column is set, even to what it was.
_UPDATE = f"""
    UPDATE documents SET {_assigned(name for name in _COLUMNS if name not in _KEY + _INDEXED)}
    WHERE url = :url AND view = :view AND version = :expected_version
"""  # noqa: S608 - constants
_UPDATE_INDEXED = f"""
    UPDATE documents SET {_assigned(_INDEXED)} WHERE url = :url AND view = :view
    AND ({", ".join(_INDEXED)}) IS NOT ({", ".join(f":{name}" for name in _INDEXED)})
"""  # noqa: S608 - constants


def document_row(document: Document) -> dict[str, Any]:
    """Convert a document to the values of its row, compressed; slow for a large text."""
    values = {name: getattr(document, name) for name in _FIELDS}
    return {**values, "text": None if document.text is None else pack(document.text)}


def replace_row(
    connection: sqlite3.Connection, values: dict[str, Any], expected_version: int
) -> bool:
    """Write a row if the stored version is the expected one (0: none is stored)."""
    if not expected_version:
        return connection.execute(_INSERT, values).rowcount == 1
    found = connection.execute(_UPDATE, {**values, "expected_version": expected_version})
    if found.rowcount != 1:
        return False
    connection.execute(_UPDATE_INDEXED, values)
    return True
