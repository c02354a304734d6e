"""Copies of a store, between both kinds and in both directions."""

from collections.abc import AsyncIterator, Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from connectors.stores.copying import copy_rows
from connectors.stores.errors import StoreRefused, StoreUnavailable
from connectors.stores.opening import Store, open_copy_target, open_store
from connectors.stores.pages import ListingPage
from schemas.records.credentials import SealedCredentials
from schemas.records.documents import Document
from tests.connectors.stores.test_facts import HOOK, URL, begun, change, delivered, ended, notified
from tests.connectors.stores.test_tags import tagged
from tests.harness.examples import NEW
from tests.harness.stores import Place

TEXTS = ("One", "Two\ud800", "Three")


def nothing(_: str, __: int) -> None:
    """Ignore the progress."""


@pytest_asyncio.fixture(params=["from", "to"])
async def stores(
    request: pytest.FixtureRequest, place: Place, tmp_path: Path
) -> AsyncIterator[tuple[Store, Store]]:
    """A store of each kind and an SQLite one, either of which is the source."""
    both = (
        await open_store(place.url, history=5),
        await open_store(f"sqlite:{tmp_path / 'other.db'}", history=5),
    )
    yield both if request.param == "from" else (both[1], both[0])
    for store in both:
        await store.close()


async def fill(store: Store) -> None:
    changes = change("c", 300), change("d", 400)
    notifications = notified("n", 300), notified("m", 400, None), delivered("n", 500)
    await store.read_side.record([begun(), begun("s2", "other"), ended("s2", 900), *changes])
    await store.read_side.record([*notifications, tagged(300, "s3", "gods")])
    for number, text in enumerate(TEXTS):
        at = 200 + 100 * number
        document = Document(
            URL, "s1", at, at, text, "text/html", "en", '"1"', "today", b"hash", read_at=at,
            unpublished=(b"a", b"b") if number == 2 else (), drift=3,
            picture=b"\xff\xd8" + text[:3].encode(), earlier_picture=b"\xff",
            earlier_read_at=at - 100,
        )  # fmt: skip
        assert await store.snapshots.compare_and_set(document, at - 100 if number else 0)
    for number in range(5):
        assert await store.snapshots.compare_and_set(
            Document(f"{URL}{number}", "w", 1, 1, failures=1), 0
        )
    await store.snapshots.record_checks([(URL, "s1", 600)])
    for name in ("a", "b"):
        row = SealedCredentials("news desk", name, "basic", URL, 1, 2, 3, b"\0sealed")
        assert await store.credentials.put(row, most=9)


async def content(store: Store) -> list[Any]:
    """Everything that can be read from a store."""
    found: list[Any] = [
        await store.snapshots.document(URL),
        await store.snapshots.document(URL + "4"),
        await store.credentials.get("news desk", "a"),
        await store.credentials.all_of("news desk"),
    ]
    found += [await store.snapshots.unpublished()]
    for manager in ("default", "other"):
        found += [
            await store.subscriptions.page(manager, None, 9),
            await store.subscriptions.page(manager, None, 9, "gods"),
            await store.subscriptions.tags(manager, 9),
            await store.facts.changes(manager, URL, None, 9),
            await store.texts.snapshots(manager, URL, None, 9),
            await store.texts.snapshot(manager, URL, 200),
            await store.texts.differences(manager, URL, None),
            await store.texts.picture(manager, URL, None),
            await store.texts.picture(manager, URL, 300),
            await store.facts.of_client("notification", manager, HOOK, None, 9),
            await store.facts.of_client("notification", manager, "me", None, 9),
            await store.facts.of_client("delivery", manager, HOOK, None, 9),
        ]
    return found


async def test_the_copy_has_everything_that_the_store_has(stores: tuple[Store, Store]) -> None:
    source, target = stores
    await fill(source)
    counts: dict[str, int] = {}
    await copy_rows(
        source, target, overwrite=False, advance=lambda table, count: counts.update({table: count})
    )
    assert await content(target) == await content(source)
    assert counts == {
        "checks": 1, "watches": 1, "subscriptions": 3, "facts": 5, "snapshots": 2,
        "credentials": 2, "documents": 6
    }  # fmt: skip


async def test_a_store_that_is_not_empty_is_refused_unless_it_may_be_overwritten(
    stores: tuple[Store, Store],
) -> None:
    source, target = stores
    await fill(source)
    other = Document(URL + "x", "w", 1, 1)
    assert await target.snapshots.compare_and_set(other, 0)
    assert await target.snapshots.compare_and_set(Document(URL, "old", 7, 7), 0)
    with pytest.raises(StoreRefused, match="is not empty"):
        await copy_rows(source, target, overwrite=False, advance=nothing)
    assert await target.subscriptions.page("default", None, 9) == ListingPage((), None)
    await copy_rows(source, target, overwrite=True, advance=nothing)
    assert await content(target) == await content(source)
    assert await target.snapshots.document(other.url) == other


class Stopping:
    """A store that is away after so many writes."""

    def __init__(self, store: Store, writes: int) -> None:
        self.identity, self.location = store.identity, store.location
        self._left = writes
        self.rows = StoppingPart(store.rows, self._write)
        self.snapshots = StoppingPart(store.snapshots, self._write)

    def _write(self) -> None:
        self._left -= 1
        if self._left < 0:
            raise StoreUnavailable("away")


class StoppingPart:
    def __init__(self, part: Any, write: Callable[[], None]) -> None:
        self._part = part
        self._write = write

    def __getattr__(self, name: str) -> Any:
        if name in ("put", "compare_and_set"):
            self._write()
        return getattr(self._part, name)


@pytest.mark.parametrize("writes", range(0, 14, 3) if NEW else [6])
async def test_a_copy_that_was_interrupted_anywhere_continues(
    stores: tuple[Store, Store], writes: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("connectors.stores.tables.MAX_ROWS", 2)
    source, target = stores
    await fill(source)
    stopping: Any = Stopping(target, writes)
    with pytest.raises(StoreUnavailable):
        await copy_rows(source, stopping, overwrite=False, advance=nothing)
    again: dict[str, int] = {}
    await copy_rows(
        source, target, overwrite=False, advance=lambda table, _: again.update({table: 1})
    )
    assert await content(target) == await content(source)
    assert ("checks" in again) == (writes == 0)
    assert await target.rows.noted_copy() is None
    with pytest.raises(StoreRefused, match="is not empty"):
        await copy_rows(source, target, overwrite=False, advance=nothing)


async def test_a_store_is_not_opened_until_the_copy_into_it_is_complete(
    place: Place, tmp_path: Path
) -> None:
    source, target = (
        await open_store(f"sqlite:{tmp_path / 'a.db'}"),
        await open_copy_target(place.url),
    )
    try:
        await fill(source)
        stopping: Any = Stopping(target, 1)
        with pytest.raises(StoreUnavailable):
            await copy_rows(source, stopping, overwrite=False, advance=nothing)
        with pytest.raises(StoreRefused, match="is not complete"):
            await open_store(place.url)
        await copy_rows(source, target, overwrite=False, advance=nothing)
        await (await open_store(place.url)).close()
    finally:
        await source.close()
        await target.close()


async def test_a_store_is_not_copied_into_itself(stores: tuple[Store, Store]) -> None:
    with pytest.raises(StoreRefused, match="the same store"):
        await copy_rows(stores[0], stores[0], overwrite=True, advance=nothing)


async def test_a_target_in_use_is_noticed(
    stores: tuple[Store, Store], monkeypatch: pytest.MonkeyPatch
) -> None:
    source, target = stores
    await fill(source)

    async def overtaken(document: Document, version: int) -> bool:
        return replace(document, version=version) is None

    monkeypatch.setattr(target.snapshots, "compare_and_set", overtaken)
    with pytest.raises(StoreRefused, match="is in use"):
        await copy_rows(source, target, overwrite=False, advance=nothing)
