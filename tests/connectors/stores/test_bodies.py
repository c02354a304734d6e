"""Bodies of pages, which are kept with their snapshots; the same in both stores."""

from connectors.stores.opening import Store
from connectors.stores.tables import TABLES
from tests.connectors.stores.test_facts import begun
from tests.connectors.stores.test_snapshot_history import KEPT, URL, put, read, store

__all__ = ["store"]

SNAPSHOTS = next(table for table in TABLES if table.name == "snapshots")


async def older(store: Store) -> dict[int, tuple[str, bytes | None]]:
    """The reader and the body of each replaced snapshot, by its time."""
    rows = await store.rows.read(SNAPSHOTS, None)
    return {row["at"]: (row["reader"], row["body"]) for row in rows}


async def test_a_body_stays_with_its_snapshot(store: Store) -> None:
    first, second = read(200, reader="html 1", body=b"first"), read(300, body=b"second")
    await put(store, first)
    assert await store.snapshots.document(URL) == first
    await put(store, second, read(400))
    assert await older(store) == {200: ("html 1", b"first"), 300: ("", b"second")}


async def test_no_more_bodies_are_kept_than_snapshots(store: Store) -> None:
    await put(store, *(read(at, body=b"body") for at in range(200, 1_000, 100)))
    await store.read_side.prune(0, 0)
    assert len(await older(store)) == KEPT


async def test_bodies_are_deleted_when_nobody_watches_the_page_and_texts_are_kept(
    store: Store,
) -> None:
    await store.read_side.record([begun()])
    await put(store, *(read(at, reader="html 1", body=b"body") for at in (200, 300)))
    await store.snapshots.forget(URL, "s1")
    assert await older(store) == {200: ("html 1", None), 300: ("html 1", None)}
    assert await store.texts.snapshot("default", URL, 200) is not None
