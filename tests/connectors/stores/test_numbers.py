"""The series of a number, and who may see it; the same from both stores."""

from collections.abc import AsyncIterator

import pytest_asyncio

from connectors.stores.opening import Store, open_store
from schemas.records.numbers import NumberPoint, packed_series
from tests.connectors.stores.test_facts import begun, ended
from tests.connectors.stores.test_snapshot_history import URL, put, read
from tests.harness.stores import Place

SERIES = packed_series(tuple(NumberPoint(at, str(at), "EUR") for at in (50, 90, 150, 250)))


@pytest_asyncio.fixture
async def store(place: Place) -> AsyncIterator[Store]:
    store = await open_store(place.url)
    await put(store, read(300, series=SERIES))
    yield store
    await store.close()


async def seen(
    store: Store, manager: str = "default", after: str | None = None
) -> tuple[list[str], str | None] | None:
    page = await store.texts.numbers(manager, URL, after, 2)
    return None if page is None else ([each.value for each in page.items], page.next)


async def test_a_manager_sees_what_held_while_it_had_subscriptions(store: Store) -> None:
    assert await seen(store) is None
    await store.read_side.record([begun(), begun("s2", "other", at=200)])
    assert await seen(store) == (["250", "150"], "150-")
    assert await seen(store, after="150-") == (["90"], None)
    assert await seen(store, "other") == (["250", "150"], None)
    await store.read_side.record([ended("s1", 160)])
    assert await seen(store) == (["150", "90"], None)


async def test_a_document_without_a_number_has_an_empty_series(store: Store) -> None:
    await store.read_side.record([begun()])
    await put(store, read(400))
    assert await seen(store) == ([], None)


async def test_a_number_that_held_before_is_shown_as_if_it_began_with_the_subscription(
    store: Store,
) -> None:
    await store.read_side.record([begun(at=100)])
    page = await store.texts.numbers("default", URL, None, 10)
    assert page is not None
    assert [each.at for each in page.items] == [250, 150, 100]
    for before in (60, 91, 100):
        assert await seen(store, after=f"{before}-") == ([], None), "it says no earlier time"
