"""The store of a run, and how it goes away for a while."""

import asyncio
import fcntl
import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from functools import partial
from pathlib import Path
from signal import SIGCONT, SIGSTOP
from typing import Any, Protocol
from urllib.parse import urlsplit

from pymongo import MongoClient

from tests.harness.stores import NOT_TESTED, fresh
from tests.harness.waiting import TIMEOUT_S
from tests.servers.ferretdb.build import find_go, program
from tests.servers.ferretdb.server import FerretDB
from tests.servers.relay import Relay


class Store(Protocol):
    """Where the deployment keeps snapshots and listings.

    ``loss`` says how it goes away, and ``hold`` how it stands still; ``crowd`` is the number of
    pages that are watched at once.
    """

    crowd: int
    url: str
    loss: str
    hold: str

    async def away(self, seconds: float) -> None:
        """Be away for so long."""

    async def held(self, seconds: float) -> None:
        """Stand still for so long, without an error."""


class LockableFile:
    """A SQLite file, the write lock of which is held, as by a tool left in a transaction."""

    crowd = 3_000
    loss = "lock the store"
    hold = "hold the lock of the store's machine"

    def __init__(self, path: Path) -> None:
        self._path = path
        self.url = f"sqlite:{path}"

    async def away(self, seconds: float) -> None:
        connect = partial(sqlite3.connect, isolation_level=None, check_same_thread=False)
        with closing(connect(self._path, timeout=TIMEOUT_S)) as other:
            await asyncio.to_thread(other.execute, "BEGIN IMMEDIATE")
            await asyncio.sleep(seconds)
            other.execute("ROLLBACK")

    async def held(self, seconds: float) -> None:
        """Hold the lock that the stages of one machine share, as a suspended process does."""
        with self._path.with_name(f"{self._path.name}.machine").open("a") as lock:
            await asyncio.to_thread(fcntl.flock, lock, fcntl.LOCK_EX)
            await asyncio.sleep(seconds)


class KillableServer:
    """A database server, or the relay to it, that is killed (SIGKILL) and started again.

    FerretDB 1 reads half a collection for each row that it updates: the end of one of 3,000
    subscriptions takes half a second, and that of all of them 25 minutes.
    """

    loss = "kill the store"
    hold = "stop the store (SIGSTOP)"

    def __init__(self, server: FerretDB, crowd: int) -> None:
        self._server = server
        self.crowd = crowd
        self.url = fresh(server.url)

    async def away(self, seconds: float) -> None:
        await asyncio.to_thread(self._server.kill)
        await asyncio.sleep(seconds)
        await asyncio.to_thread(self._server.start)

    async def held(self, seconds: float) -> None:
        self._server.signal(SIGSTOP)
        await asyncio.sleep(seconds)
        self._server.signal(SIGCONT)


@contextmanager
def running_store(kind: str, folder: Path) -> Iterator[Store]:
    """Start what a kind of store, ``sqlite`` or ``mongodb``, needs; stop it when left.

    VOKTER_TEST_MONGO names a server for the latter, in place of FerretDB 1.
    """
    if kind == "sqlite":
        yield LockableFile(folder / "vokter.db")
    elif named := os.environ.get("VOKTER_TEST_MONGO"):
        with Relay(urlsplit(named).netloc, folder / "relay") as relay:
            store = KillableServer(relay, LockableFile.crowd)
            yield store
        with MongoClient[Any](named) as client:
            client.drop_database(urlsplit(store.url).path.removeprefix("/"))
    elif (go := find_go()) is not None:
        with FerretDB(program(go), folder / "ferretdb") as server:
            yield KillableServer(server, crowd=300)
    else:
        raise SystemExit(NOT_TESTED)
