"""Bodies and pictures in an object store: the rows of both stores have names in their place."""

import os
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
import pytest_asyncio

from connectors.stores.errors import StoreRefused, StoreUnavailable
from connectors.stores.objects import MARK, Objects
from connectors.stores.opening import Store, open_copy_target, open_store
from schemas.records.documents import KeptSnapshot
from streams.cli.checks.connecting import check_objects
from streams.cli.checks.finding import Level
from streams.cli.setup.existing_store import existing_store
from streams.settings import Settings
from tests.connectors.stores.test_bodies import older
from tests.connectors.stores.test_facts import begun
from tests.connectors.stores.test_snapshot_history import KEPT, URL, put, read
from tests.harness.stores import Place
from tests.servers.s3 import bucket

BODY = b"\x28\xb5\x2f\xfd body"
FIRST = read(200, body=BODY, picture=b"\xff\xd8 first")
SECOND = read(
    300, body=b"second", picture=b"\xff\xd8 second", earlier_picture=FIRST.picture,
    earlier_read_at=200,
)  # fmt: skip


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "objects"


@pytest_asyncio.fixture
async def store(place: Place, folder: Path) -> AsyncIterator[Store]:
    store = await open_store(place.url, KEPT, f"file://{folder}")
    yield store
    await store.close()


def files(folder: Path) -> list[Path]:
    return [file for file in folder.rglob("*") if file.is_file()]


def contents(folder: Path) -> dict[Path, bytes]:
    """The bodies and pictures in the folder, by their files."""
    return {file: file.read_bytes() for file in files(folder) if file.name != "document"}


def take_away(folder: Path) -> None:
    """Have a file in the place of the folder."""
    folder.rename(folder.with_name("moved"))
    folder.write_bytes(b"no folder")


def make_old(folder: Path) -> None:
    """Have all objects be of yesterday."""
    yesterday = datetime.now(UTC).timestamp() - 86_400
    for file in folder.rglob("*"):
        os.utime(file, (yesterday, yesterday))


async def sweep(store: Store) -> None:
    """Sweep for a day, hour by hour, as record does when it prunes."""
    for hour in range(24):
        await store.objects.sweep(
            store.read_side._named,
            datetime.now(UTC) + timedelta(hours=hour) - timedelta(days=1) + timedelta(hours=1),
        )


async def test_rows_have_names_and_what_is_read_is_the_same(store: Store, folder: Path) -> None:
    await store.read_side.record([begun()])
    await put(store, FIRST)
    found = await store.snapshots.document(URL)
    assert found is not None
    assert found.picture == FIRST.picture
    assert found.body is not None
    assert found.body.startswith(MARK)
    assert await store.texts.picture("default", URL, None) == FIRST.picture
    assert await store.kept.snapshot(URL, "", 200) == KeptSnapshot(200, FIRST.text or "", "", BODY)
    assert sorted(contents(folder).values()) == [BODY, b"\xff\xd8 first"]


async def test_commands_find_pictures_in_the_object_store(
    store: Store, place: Place, folder: Path
) -> None:
    await store.read_side.record([begun()])
    await put(store, FIRST)
    async with existing_store(Settings(store=place.url, bodies=f"file://{folder}")) as found:
        assert await found.texts.picture("default", URL, None) == FIRST.picture


async def test_a_replaced_snapshot_keeps_its_body(store: Store) -> None:
    await put(store, FIRST, SECOND)
    assert (await older(store))[200][1] not in (None, BODY)
    kept = await store.kept.snapshot(URL, "", 200)
    assert kept is not None
    assert kept.body == BODY


async def test_what_did_not_change_is_not_written_again(store: Store, folder: Path) -> None:
    await put(store, FIRST)
    before = set(contents(folder))
    found = await store.snapshots.document(URL)
    assert found is not None
    await put(store, read(300, body=found.body, picture=found.picture))
    assert set(contents(folder)) == before


async def test_objects_are_deleted_once_no_row_names_them(store: Store, folder: Path) -> None:
    await put(store, FIRST, SECOND, read(400, picture=b"third", earlier_picture=b"second"))
    make_old(folder)
    await sweep(store)
    assert sorted(contents(folder).values()) == [BODY, b"second", b"second", b"third"]
    await store.snapshots.forget(URL, FIRST.watch)
    await sweep(store)
    assert not files(folder)


async def test_an_object_of_a_row_that_never_came_is_deleted_when_it_is_old(
    store: Store, folder: Path
) -> None:
    await put(store, FIRST)
    assert not await store.snapshots.compare_and_set(SECOND, 150)
    await sweep(store)
    assert len(contents(folder)) == 5  # its row may be about to be written
    make_old(folder)
    await sweep(store)
    assert sorted(contents(folder).values()) == [BODY, b"\xff\xd8 first"]


async def test_pruning_sweeps(store: Store, folder: Path) -> None:
    await put(store, FIRST)
    make_old(folder)
    await store.read_side.prune(0, 0)
    assert len(contents(folder)) == 2


async def test_a_missing_object_is_none_and_holds_up_no_visit(store: Store, folder: Path) -> None:
    await put(store, FIRST)
    for file in contents(folder):
        file.unlink()
    found = await store.snapshots.document(URL)
    assert found is not None
    assert found.picture is None
    assert await store.snapshots.compare_and_set(SECOND, 200)
    assert await store.kept.snapshot(URL, "", 200) == KeptSnapshot(200, FIRST.text or "", "", None)


async def test_an_object_store_that_is_away_is_a_store_that_is_away(
    store: Store, folder: Path
) -> None:
    await put(store, FIRST)
    take_away(folder)
    with pytest.raises(StoreUnavailable, match="the objects at file:///"):
        await store.snapshots.compare_and_set(SECOND, 200)


async def test_rows_of_before_are_read_and_moved_with_the_next_text(
    place: Place, folder: Path
) -> None:
    plain = await open_store(place.url, KEPT)
    await put(plain, FIRST)
    await plain.close()
    store = await open_store(place.url, KEPT, f"file://{folder}")
    assert await store.snapshots.document(URL) == FIRST
    await put(store, SECOND)
    assert sorted(contents(folder).values()) == [b"second", b"\xff\xd8 first", b"\xff\xd8 second"]
    await store.close()


async def test_names_without_an_object_store_are_an_error_that_says_what_to_set(
    store: Store, place: Place
) -> None:
    await put(store, FIRST)
    plain = await open_copy_target(place.url)
    with pytest.raises(StoreUnavailable, match="set VOKTER_BODIES to its store"):
        await plain.snapshots.document(URL)
    await plain.close()


@pytest.mark.parametrize("url", ["folder", "s3://", "file://", "gs://bucket/x", "https://x/y"])
def test_another_url_is_refused(url: str) -> None:
    with pytest.raises(StoreRefused, match=r"expected s3://BUCKET/PREFIX or file:///FOLDER"):
        Objects.open(url)


async def test_doctor_writes_to_the_object_store(folder: Path) -> None:
    found = await check_objects(Settings(bodies=f"file://{folder}"))
    assert (found.level, contents(folder)) == (Level.OK, {})
    take_away(folder)
    assert (await check_objects(Settings(bodies=f"file://{folder}"))).level is Level.ERROR


@pytest.mark.slow  # it installs an S3 server
async def test_s3_is_an_object_store(
    place: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with bucket(tmp_path, monkeypatch) as url:
        store = await open_store(place.url, KEPT, f"{url}/vokter")
        await put(store, FIRST, SECOND)
        await store.objects.ping()
        found = await store.snapshots.document(URL)
        assert found is not None
        assert (found.picture, found.earlier_picture) == (SECOND.picture, FIRST.picture)
        kept = await store.kept.snapshot(URL, "", 200)
        assert kept is not None
        assert kept.body == BODY
        await store.snapshots.forget(URL, FIRST.watch)
        deleted = [
            await store.objects.sweep(store.read_side._named, at)
            for at in (datetime.now(UTC) + timedelta(hours=2 + hour) for hour in range(24))
        ]
        assert sum(deleted) == 5  # two bodies, two pictures, their document
        await store.close()
    with pytest.raises(StoreUnavailable, match="the objects at s3://"):
        await store.objects.ping()
