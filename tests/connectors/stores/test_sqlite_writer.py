"""How writes reach the SQLite file."""

import asyncio
import sqlite3
import threading
from collections.abc import AsyncIterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from connectors.stores.errors import StoreUnavailable
from connectors.stores.sqlite import writer
from connectors.stores.sqlite.lock import FileLock
from connectors.stores.sqlite.schema import connect
from connectors.stores.sqlite.writer import Operation, Writer
from tests.harness.waiting import TIMEOUT_S


class Recording:
    """A writer on a file with one table, and the statements it ran."""

    def __init__(self, folder: Path) -> None:
        self.statements: list[str] = []
        self.connection = connect(folder / "store.db")
        self.connection.execute("CREATE TABLE gods (name TEXT UNIQUE)")
        self.connection.set_trace_callback(self.statements.append)
        self.lock = FileLock(folder / "store.db.machine")
        self.writer = Writer(self.connection, self.lock)

    async def insert(self, name: str) -> None:
        await self.writer.write(lambda c: c.execute("INSERT INTO gods VALUES (?)", [name]))

    def names(self) -> list[str]:
        return [name for (name,) in self.connection.execute("SELECT name FROM gods ORDER BY name")]


@pytest_asyncio.fixture
async def recording(tmp_path: Path) -> AsyncIterator[Recording]:
    recording = Recording(tmp_path)
    yield recording
    recording.writer.close()
    recording.connection.close()
    recording.lock.close()


async def blocked(recording: Recording, *writes: Any) -> list[Any]:
    """Let these writes wait together for one that is under way; return their outcomes."""
    begun, go_on = threading.Event(), threading.Event()

    def wait(_: sqlite3.Connection) -> None:
        begun.set()
        go_on.wait(TIMEOUT_S)

    first = asyncio.create_task(recording.writer.write(wait))
    await asyncio.to_thread(begun.wait, TIMEOUT_S)
    tasks = [asyncio.create_task(write) for write in writes]
    for _ in range(10):  # turns of the loop, for a cancellation takes several to arrive
        await asyncio.sleep(0)
    go_on.set()
    await first
    return await asyncio.gather(*tasks, return_exceptions=True)


async def test_writes_that_wait_together_share_one_commit(recording: Recording) -> None:
    await blocked(recording, *(recording.insert(f"{number:03}") for number in range(200)))
    assert recording.statements.count("COMMIT") == 2
    assert len(recording.names()) == 200


async def test_writes_of_one_turn_of_the_loop_share_one_commit_and_return_in_one_turn(
    recording: Recording,
) -> None:
    done: list[str] = []

    async def insert(name: str) -> None:
        await recording.insert(name)
        done.append(name)
        await asyncio.sleep(0)
        assert len(done) == 3

    await asyncio.gather(*map(insert, ("Ares", "Hera", "Zeus")))
    assert recording.statements.count("COMMIT") == 1


async def test_a_failing_write_does_not_spoil_its_neighbours(recording: Recording) -> None:
    def half(connection: sqlite3.Connection) -> None:
        connection.execute("INSERT INTO gods VALUES ('Kronos')")
        raise LookupError("no such god")

    outcomes = await blocked(
        recording,
        recording.insert("Hera"),
        recording.writer.write(half),
        recording.insert("Hera"),
        recording.insert("Zeus"),
    )
    assert [type(outcome) for outcome in outcomes] == [
        type(None),
        LookupError,
        sqlite3.IntegrityError,
        type(None),
    ]
    assert recording.names() == ["Hera", "Zeus"]
    assert recording.statements.count("COMMIT") == 2


async def test_a_transaction_that_fails_is_unavailable_to_all_and_can_be_retried(
    recording: Recording,
) -> None:
    pages = recording.connection.execute("PRAGMA page_count").fetchone()[0]
    recording.connection.execute(f"PRAGMA max_page_count = {pages}")  # as a full disk
    outcomes = await blocked(recording, recording.insert("Hera"), recording.insert("x" * 100_000))
    assert isinstance(outcomes[1], StoreUnavailable)
    assert isinstance(outcomes[1], OSError)
    assert recording.names() == (["Hera"] if outcomes[0] is None else [])
    recording.connection.execute("PRAGMA max_page_count = 1000000")
    await recording.insert("x" * 100_000)
    assert len(recording.names()[-1]) == 100_000


async def test_a_write_that_was_given_up_before_its_turn_is_not_made(recording: Recording) -> None:
    async def impatient() -> None:
        async with asyncio.timeout(0):
            await recording.insert("Kronos")

    [outcome] = await blocked(recording, impatient())
    assert isinstance(outcome, TimeoutError)
    await recording.insert("Zeus")
    assert recording.names() == ["Zeus"]


async def test_what_is_queued_is_written_before_the_writer_ends(recording: Recording) -> None:
    tasks = [asyncio.create_task(recording.insert(name)) for name in ("Hera", "Zeus")]
    await asyncio.sleep(0)
    recording.writer.close()
    await asyncio.gather(*tasks)
    assert recording.names() == ["Hera", "Zeus"]


def insertion(name: str) -> Operation:
    return lambda connection: connection.execute("INSERT INTO gods VALUES (?)", [name])


async def test_what_nobody_waits_for_takes_part_in_the_next_commit(recording: Recording) -> None:
    recording.writer.defer(insertion("Hera"))
    recording.writer.defer(insertion("Zeus"))
    assert recording.statements.count("COMMIT") == 0
    await recording.insert("Ares")
    assert recording.statements.count("COMMIT") == 1
    assert recording.names() == ["Ares", "Hera", "Zeus"]


async def test_what_nobody_waits_for_is_written_though_no_other_write_comes(
    recording: Recording, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(writer, "DEFERRED_S", 0)
    written = asyncio.get_running_loop().create_future()
    done = partial(asyncio.get_running_loop().call_soon_threadsafe, written.set_result, None)
    recording.writer.defer(lambda _: done())
    async with asyncio.timeout(TIMEOUT_S):
        await written


async def test_what_nobody_waits_for_is_written_before_the_writer_ends(
    recording: Recording,
) -> None:
    recording.writer.defer(insertion("Hera"))
    recording.writer.close()
    assert recording.names() == ["Hera"]


async def test_what_nobody_waits_for_survives_a_transaction_that_fails_and_its_own_error_harms_none(
    recording: Recording,
) -> None:
    pages = recording.connection.execute("PRAGMA page_count").fetchone()[0]
    recording.connection.execute(f"PRAGMA max_page_count = {pages}")  # as a full disk
    for name in ("Hera", "Hera", "Zeus"):
        recording.writer.defer(insertion(name))
    with pytest.raises(StoreUnavailable):
        await recording.insert("x" * 100_000)
    assert recording.names() == []
    recording.connection.execute("PRAGMA max_page_count = 1000000")
    await recording.insert("Ares")
    assert recording.names() == ["Ares", "Hera", "Zeus"]


async def test_a_write_to_a_closed_writer_fails_instead_of_waiting(recording: Recording) -> None:
    recording.writer.close()
    with pytest.raises(RuntimeError, match="closed"):
        await asyncio.wait_for(recording.insert("Zeus"), TIMEOUT_S)
