"""The rows of both stores, in the form in which they are copied."""

from dataclasses import dataclass
from typing import Any

Row = dict[str, Any]
Key = list[Any]
"""The values of a row's key columns; strings and numbers only."""

MAX_ROWS = 500
MAX_BATCH = 8_000_000
"""Bytes of rows in memory together, except for a larger row."""


@dataclass(frozen=True, slots=True)
class StoreTable:
    """A table of rows with the key columns ``key``."""

    name: str
    key: tuple[str, ...]
    columns: tuple[str, ...]

    def key_of(self, row: Row) -> Key:
        """Return the key of a row."""
        return [row[column] for column in self.key]


TABLES = (
    StoreTable("checks", ("url",), ("url", "watch", "at")),
    StoreTable("watches", ("url",), ("url", "at", "id", "interval")),
    StoreTable(
        "subscriptions",
        ("id",),
        (
            "id",
            "manager",
            "url",
            "receiver",
            "view",
            "created",
            "at",
            "state",
            "reason",
            "ended",
            "body",
        ),
    ),
    StoreTable(
        "facts", ("kind", "id"), ("kind", "id", "subject", "at", "manager", "tags", "words", "fact")
    ),
    StoreTable(
        "snapshots",
        ("at", "url", "view"),
        ("url", "view", "at", "until", "content_type", "language", "text", "reader", "body"),
    ),
    StoreTable(
        "credentials",
        ("manager", "name"),
        ("manager", "name", "kind", "sent_to", "set_at", "used_at", "version", "sealed"),
    ),
)
"""All except documents: the stores keep those in different rows, so they are copied by meaning."""

DOCUMENTS = StoreTable("documents", ("url", "view"), ("url", "view"))


class Batch:
    """As many rows as may be in memory together."""

    def __init__(self) -> None:
        """Begin empty."""
        self.rows: list[Row] = []
        self._size = 0

    def add(self, row: Row) -> bool:
        """Add a row, and return whether there is room for another."""
        self.rows.append(row)
        self._size += sum(len(value) for value in row.values() if isinstance(value, bytes | str))
        return len(self.rows) < MAX_ROWS and self._size < MAX_BATCH
