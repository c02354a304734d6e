"""The table of credentials: one contract, both stores."""

import asyncio
from dataclasses import replace

from connectors.stores.opening import Store
from schemas.records.credentials import SealedCredentials

ROW = SealedCredentials("news desk", "a", "header", "https://a.test", 100, sealed=b"\0sealed")


async def test_credentials_are_loaded_as_they_were_put_and_listed_without_what_is_sealed(
    store: Store,
) -> None:
    rows = ROW, replace(ROW, name="b", kind="cookies"), replace(ROW, manager="news")
    for row in rows:
        assert await store.credentials.put(row, most=9)
    for row in rows:
        assert await store.credentials.get(row.manager, row.name) == row
    listed = [replace(row, sealed=b"") for row in rows[:2]]
    assert await store.credentials.all_of("news desk") == listed
    assert await store.credentials.all_of("nobody") == []
    assert await store.credentials.get("news", "b") is None


async def test_credentials_that_are_put_again_replace_those_of_the_name(store: Store) -> None:
    again = replace(ROW, kind="basic", sent_to="https://b.test", set_at=200, sealed=b"other")
    assert await store.credentials.put(replace(ROW, version=4, used_at=150), most=1)
    assert await store.credentials.put(again, most=1)
    assert await store.credentials.all_of(ROW.manager) == [replace(again, sealed=b"")]
    assert await store.credentials.get(ROW.manager, "a") == again


async def test_a_manager_has_no_more_credentials_than_allowed(store: Store) -> None:
    names = [replace(ROW, name=f"n{number}") for number in range(6)]
    put = await asyncio.gather(*(store.credentials.put(row, most=3) for row in names))
    assert len(await store.credentials.all_of(ROW.manager)) == sum(put) <= 3
    for row in names:
        await store.credentials.put(row, most=3)
    assert len(await store.credentials.all_of(ROW.manager)) == 3
    assert not await store.credentials.put(replace(ROW, name="another"), most=3)
    assert await store.credentials.put(replace(ROW, manager="other"), most=3)


async def test_credentials_are_renewed_only_if_nobody_else_has_renewed_or_set_them(
    store: Store,
) -> None:
    await store.credentials.put(ROW, most=9)
    renewed = replace(ROW, version=2, sealed=b"renewed")
    assert await store.credentials.renew(renewed)
    assert not await store.credentials.renew(replace(renewed, sealed=b"too late"))
    assert not await store.credentials.renew(replace(renewed, version=3, set_at=99))
    assert not await store.credentials.renew(replace(renewed, version=3, name="b"))
    assert await store.credentials.get(ROW.manager, "a") == renewed
    assert await store.credentials.all_of(ROW.manager) == [replace(renewed, sealed=b"")]


async def test_a_use_is_noted_and_changes_nothing_else(store: Store) -> None:
    await store.credentials.put(ROW, most=9)
    await store.credentials.note_use(ROW.manager, "a", 150)
    await store.credentials.note_use(ROW.manager, "b", 150)
    assert await store.credentials.get(ROW.manager, "a") == replace(ROW, used_at=150)
    assert await store.credentials.get(ROW.manager, "b") is None


async def test_removed_credentials_are_gone(store: Store) -> None:
    await store.credentials.put(ROW, most=9)
    assert await store.credentials.remove(ROW.manager, "a")
    assert not await store.credentials.remove(ROW.manager, "a")
    assert await store.credentials.get(ROW.manager, "a") is None
