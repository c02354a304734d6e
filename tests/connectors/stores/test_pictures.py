"""Pictures of a document: with which text each is shown, and to whom; the same from both stores."""

from dataclasses import replace
from typing import Any

from connectors.stores.opening import Store
from tests.connectors.stores.test_facts import begun
from tests.connectors.stores.test_snapshot_history import URL, put, read, store

__all__ = ["store"]

FIRST = read(200, picture=b"\xff\xd8 first")
SECOND = read(
    300, picture=b"\xff\xd8 second", earlier_picture=FIRST.picture, earlier_read_at=FIRST.read_at
)


async def pictures(store: Store, *times: int | None, manager: str = "default") -> list[Any]:
    return [await store.texts.picture(manager, URL, at) for at in times]


async def test_a_picture_is_shown_with_the_text_that_it_was_taken_with(store: Store) -> None:
    await store.read_side.record([begun()])
    await put(store, FIRST)
    assert await pictures(store, None, 199) == [FIRST.picture, None]
    await put(store, SECOND)
    assert await store.snapshots.document(URL) == SECOND
    assert await pictures(store, None, 300, 299, 200) == [
        SECOND.picture, SECOND.picture, FIRST.picture, FIRST.picture
    ]  # fmt: skip


async def test_only_those_of_the_last_two_texts_are_kept(store: Store) -> None:
    await store.read_side.record([begun()])
    third = read(400, earlier_picture=SECOND.picture, earlier_read_at=300)
    await put(store, FIRST, SECOND, third)
    assert await pictures(store, None, 300, 200) == [None, SECOND.picture, None]


async def test_one_who_watches_another_page_sees_none(store: Store) -> None:
    await store.read_side.record([begun()])
    await put(store, FIRST, SECOND)
    assert await pictures(store, None, 200, manager="other") == [None, None]


async def test_one_who_subscribed_later_sees_none_of_before(store: Store) -> None:
    await store.read_side.record([begun(at=350)])
    await put(store, FIRST, SECOND)
    assert await pictures(store, None, 250) == [SECOND.picture, None]


async def test_a_state_that_was_overtaken_leaves_no_picture(store: Store) -> None:
    await store.read_side.record([begun()])
    await put(store, FIRST)
    assert not await store.snapshots.compare_and_set(SECOND, 150)
    assert await pictures(store, None) == [FIRST.picture]


async def test_pictures_are_forgotten_with_their_document(store: Store) -> None:
    await store.read_side.record([begun()])
    await put(store, FIRST, SECOND)
    await store.snapshots.forget(URL, FIRST.watch)
    assert await pictures(store, None, 200) == [None, None]


async def test_pictures_and_records_that_are_too_large_together_are_kept(store: Store) -> None:
    large = bytes(range(256)) * 4_000
    records = tuple(large[n:] + bytes([n]) for n in range(1, 15))
    document = replace(SECOND, picture=large, earlier_picture=large, unpublished=records)
    assert await store.snapshots.compare_and_set(document, 0)
    assert await store.snapshots.document(URL) == document
