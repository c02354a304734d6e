"""A process that stands still with the lock of a SQLite store holds up nobody without end."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from connectors.stores.errors import StoreUnavailable
from connectors.stores.sqlite.lock import FileLock
from connectors.stores.sqlite.schema import connect
from connectors.stores.sqlite.writer import Writer

HOLDING = """
import fcntl, sys
file = open(sys.argv[1], "r+")
fcntl.flock(file, fcntl.LOCK_EX)
print("held", flush=True)
sys.stdin.read()
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="who holds it is Linux's to say")
def test_who_has_held_the_lock_for_long_is_named(tmp_path: Path) -> None:
    path = tmp_path / "store.db.machine"
    lock = FileLock(path, timeout_s=0.1)
    with subprocess.Popen(
        [sys.executable, "-c", HOLDING, path], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as holder:
        assert holder.stdout and holder.stdout.readline() == b"held\n"  # noqa: PT018 - one wait
        named = rf"process {holder.pid} \(.+\) has locked {path} for more than 0.1 s"
        with pytest.raises(StoreUnavailable, match=named), lock.held():
            pass
        holder.kill()
    with lock.held() as file:
        assert file.read() == ""
    lock.close()


def test_the_lock_is_held_by_one_at_a_time(tmp_path: Path) -> None:
    path = tmp_path / "store.db.machine"
    first, second = FileLock(path), FileLock(path, timeout_s=0)
    with first.held(), pytest.raises(StoreUnavailable), second.held():
        pass
    with second.held():
        pass
    for lock in (first, second):
        lock.close()


async def test_a_write_fails_and_the_next_one_succeeds_once_the_lock_is_free(
    tmp_path: Path,
) -> None:
    connection = connect(tmp_path / "store.db")
    path = tmp_path / "store.db.machine"
    lock, other = FileLock(path, timeout_s=0), FileLock(path)
    writer = Writer(connection, lock)
    named = pytest.raises(StoreUnavailable, match=f"process {os.getpid()}|another process")
    with other.held(), named:
        await writer.write(lambda _: None)
    await writer.write(lambda each: each.execute("CREATE TABLE gods (name TEXT)"))
    writer.close()
    for each in (connection, lock, other):
        each.close()
