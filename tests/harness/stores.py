"""Both stores, each with its URL, and the server for the one that needs a server."""

import json
import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from pymongo import MongoClient
from pymongo.database import Database

from connectors.stores.packing import unpack
from tests.servers.ferretdb.build import find_go, program
from tests.servers.ferretdb.server import FerretDB

NOT_TESTED = (
    "the MongoDB store is NOT TESTED: install Go 1.24 or newer, "
    "or set VOKTER_TEST_MONGO to the URL of a MongoDB server for tests"
)
KINDS = ("sqlite", "mongodb")
mongodb_is_slow = pytest.mark.parametrize(
    "place", ["sqlite", pytest.param("mongodb", marks=pytest.mark.slow)], indirect=True
)
"""Marks a test whose steps are the same with both stores, and take many times longer with one."""

History = list[tuple[str, str, dict[str, Any]]]


@dataclass(frozen=True, slots=True)
class Place:
    """Where a store is or will be."""

    kind: str
    url: str

    def history(self) -> History:
        """The recorded facts: kind, id, fact."""
        rows = self._sqlite() if self.kind == "sqlite" else self._mongo()
        return [(kind, name, json.loads(unpack(fact))) for kind, name, fact in rows]

    def is_ferretdb(self) -> bool:
        """Whether it is on the stand-in for MongoDB."""
        if self.kind == "sqlite":
            return False
        with database(self.url) as found:
            return "ferretdbVersion" in found.command("buildInfo")

    def _sqlite(self) -> list[tuple[str, str, bytes]]:
        with closing(sqlite3.connect(self.url.removeprefix("sqlite:"))) as connection:
            query = "SELECT kind, id, fact FROM facts ORDER BY kind, id"
            return connection.execute(query).fetchall()

    def _mongo(self) -> list[tuple[str, str, bytes]]:
        with database(self.url) as found:
            rows = found.facts.find().sort("_id", 1)
            return [(row["kind"], row["_id"].partition(" ")[2], row["fact"]) for row in rows]


@contextmanager
def database(url: str) -> Iterator[Database[dict[str, Any]]]:
    """The database that a URL names, with a separate client."""
    with MongoClient[dict[str, Any]](url) as client:
        yield client.get_default_database()


@contextmanager
def server(folder: Path) -> Iterator[str | None]:
    """The URL of a server that exists or can be started; None if there is neither."""
    named, go = os.environ.get("VOKTER_TEST_MONGO"), find_go()
    if named or go is None:
        yield named
    else:
        with FerretDB(program(go), folder) as ferret:
            yield ferret.url


def fresh(server_url: str) -> str:
    """The URL of a new database on the server."""
    head, mark, options = server_url.partition("?")
    host = head.partition("://")[2].partition("/")[0]
    return f"{head.partition('://')[0]}://{host}/test-{uuid4().hex}{mark}{options}"
