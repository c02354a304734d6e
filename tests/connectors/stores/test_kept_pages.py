"""What is kept of pages, for all who watch them; the same in both stores."""

from connectors.stores.opening import Store
from schemas.records.documents import KeptSnapshot
from tests.connectors.stores.test_facts import begun, change, ended, notified, subscribed
from tests.connectors.stores.test_snapshot_history import URL, put, read, store

__all__ = ["store"]


async def test_watched_pages_are_listed_once_in_each_view(store: Store) -> None:
    await store.read_side.record(
        [
            begun("s1"),
            begun("s2", manager="other"),
            subscribed("s3", "v1"),
            subscribed("s4", "v2"),
            ended("s4", 200),
        ]
    )
    found, after = [], ("", "")
    while several := await store.kept.pages(after, 2):
        found += several
        after = several[-1]
    assert found == [(URL, ""), (URL, "v1")]


async def test_subscribers_are_those_that_have_not_ended_the_oldest_first(store: Store) -> None:
    await store.read_side.record(
        [begun("s2", at=200), begun("s1", "other"), subscribed("s3", "v1", 300), begun("s4")]
    )
    await store.read_side.record([ended("s4", 400)])
    assert [each.id for each in await store.kept.subscribers(URL, None, 9)] == ["s1", "s2", "s3"]
    assert [each.id for each in await store.kept.subscribers(URL, "v1", 9)] == ["s3"]
    assert [each.id for each in await store.kept.subscribers(URL, "", 1)] == ["s1"]


async def test_snapshots_and_changes_are_found_by_their_times(store: Store) -> None:
    await put(store, read(200, reader="html 1", body=b"b"), read(300))
    await store.read_side.record([change("c1", 300), change("c2", 250)])
    assert await store.kept.times(URL, "", 0, 9) == [200, 250, 300]
    assert await store.kept.times(URL, "", 300, 9) == [200, 300], "the first held until then"
    assert await store.kept.times(URL, "", 301, 9) == [300]
    assert await store.kept.times(URL, "", 0, 1) == [300]
    assert await store.kept.times(URL, "v1", 0, 9) == []
    assert await store.kept.snapshot(URL, "", 200) == KeptSnapshot(
        200, "Text of 200", "html 1", b"b"
    )
    assert await store.kept.snapshot(URL, "", 300) == KeptSnapshot(300, "Text of 300", "", None)
    assert await store.kept.snapshot(URL, "", 250) is None
    assert await store.kept.changes(URL, "", 300) == [change("c1", 300)]
    assert await store.kept.changes(URL, "", 200) == []


async def test_it_is_known_which_notifications_were_recorded(store: Store) -> None:
    await store.read_side.record([notified("n1", 200), notified("n2", 200)])
    assert await store.kept.notified(["n1", "n3"]) == {"n1"}
    assert await store.kept.notified([]) == set()
