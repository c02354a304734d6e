"""Words in the changes that a manager's watches saw, in both stores."""

import sqlite3
from contextlib import closing
from dataclasses import replace
from typing import Any

import pytest

from connectors.stores.copying import copy_rows
from connectors.stores.errors import StoreRefused
from connectors.stores.mongo import search as mongo_search
from connectors.stores.opening import Store, open_store
from connectors.stores.pages import ChangeSearch
from connectors.stores.sqlite import schema
from connectors.stores.sqlite import search as sqlite_search
from schemas.records.changes import DocumentChanged
from schemas.records.crawls import Coverage, CrawlOptions
from schemas.records.facts import Fact
from schemas.records.subscription_facts import PageAdded, PageRemoved, Subscribed
from schemas.records.subscriptions import EarlierView, Options
from streams.text.change_terms import change_terms, searched_phrases, term_choices
from tests.connectors.stores.test_facts import URL, begun, change, ended
from tests.fakes.regions import added, edited

OTHER = "https://other.example/"


def terms(fact: DocumentChanged) -> str:
    return change_terms(fact, fact.language)


async def record(store: Store, *facts: Fact) -> None:
    await store.read_side.record(facts, terms=terms)


def search(text: str, since: int = 0) -> ChangeSearch:
    return ChangeSearch(term_choices(searched_phrases(text), ("en", "de", "und")), since)


async def found(store: Store, text: str, manager: str = "default", since: int = 0) -> list[str]:
    page = await store.search.find(manager, search(text, since), None, 10)
    return [each.change.id for each in page.items]


def seen(name: str, at: int, text: str, **fields: Any) -> DocumentChanged:
    return replace(change(name, at, region=added(text)), **fields)


def subscribed(key: str, at: int = 100, manager: str = "default", **fields: Any) -> Subscribed:
    fact = begun(key, manager, at)
    assert isinstance(fact, Subscribed)
    return replace(fact, subscription=replace(fact.subscription, **fields))


async def test_a_change_is_found_by_any_form_of_all_its_words_newest_first(store: Store) -> None:
    both = edited("The houses burn.", "The house burned.", ((4, 10),), ((4, 9),))
    await record(
        store,
        begun(),
        seen("b", 300, "Giants sleep in houses."),
        replace(change("a", 200, region=both), title="Fires"),
        seen("c", 300, "Häuser brennen.", language="de"),
        seen("d", 300, "Don't wake Zeus' \U0001f1ec\U0001f1f7 東京"),
    )
    assert await found(store, "house") == ["b", "a"]
    assert await found(store, "HOUSES giant") == ["b"]
    assert await found(store, "burning fire") == ["a"]
    assert await found(store, "Haus") == await found(store, "häusern") == ["c"]
    assert await found(store, "don't zeus") == ["d"]
    assert await found(store, "\U0001f1ec\U0001f1f7") == await found(store, "東") == ["d"]
    assert await found(store, "house", since=201) == ["b"]
    assert await found(store, "argus") == []


async def test_a_manager_finds_what_its_own_watches_saw_while_they_were_there(store: Store) -> None:
    await record(
        store,
        subscribed("s1", at=100),
        ended("s1", 250),
        subscribed("s2", at=400),
        subscribed("s3", at=100, manager="another"),
        subscribed("s4", at=100, manager="third", view_id="v"),
        seen("before", 50, "zeus"),
        seen("first", 200, "zeus"),
        seen("between", 300, "zeus"),
        seen("second", 500, "zeus"),
        seen("view", 500, "zeus", view="v"),
        seen("elsewhere", 500, "zeus", url=OTHER),
    )
    assert await found(store, "zeus") == ["second", "first"]
    assert await found(store, "zeus", "another") == ["second", "between", "first"]
    assert await found(store, "zeus", "third") == ["view"]
    assert await found(store, "zeus", "nobody") == []
    page = await store.search.find("default", search("zeus"), None, 10)
    assert [each.subscription.id for each in page.items] == ["s2", "s1"]


async def test_earlier_views_of_a_watch_count_while_it_had_them(store: Store) -> None:
    before = (EarlierView("v1", 200),)
    await record(
        store,
        subscribed("s1", at=100, view_id="v2", earlier_views=before),
        seen("a", 150, "zeus", view="v1"),
        seen("b", 250, "zeus", view="v1"),
        seen("c", 250, "zeus", view="v2"),
    )
    assert await found(store, "zeus") == ["c", "a"]


async def test_pages_of_a_crawl_count_while_it_covers_them(store: Store) -> None:
    covered = PageAdded(Coverage("s1", URL, URL, 1), "default", OTHER, None, 200, since=200)
    gone = PageRemoved("s1", "default", "not linked", OTHER, None, 400, since=200, until=400)
    await record(
        store,
        subscribed("s1", options=Options(interval=60, crawl=CrawlOptions(1))),
        covered,
        seen("before", 150, "zeus", url=OTHER),
        seen("during", 300, "zeus", url=OTHER),
        seen("root", 310, "zeus"),
        seen("after", 500, "zeus", url=OTHER),
    )
    assert await found(store, "zeus") == ["after", "root", "during"]
    await record(store, gone)
    assert await found(store, "zeus") == ["root", "during"]
    assert await found(store, "zeus", "another") == []


async def test_pages_follow_each_other_without_a_gap(store: Store) -> None:
    names = ["a", "b", "c", "d", "e"]
    await record(
        store, begun(), *(seen(name, 200 + n // 2, "zeus") for n, name in enumerate(names))
    )
    ids, after = [], None
    for _ in range(3):
        page = await store.search.find("default", search("zeus"), after, 2)
        ids += [each.change.id for each in page.items]
        after = page.next
    assert (ids, after) == (names[::-1], None)
    for wrong in ("here", "1-\u00b2", "1-" + "9" * 40, "9" * 30):
        try:
            page = await store.search.find("default", search("zeus"), wrong, 2)
            assert page.items == ()
        except ValueError:
            pass


async def test_a_change_that_is_recorded_again_is_found_once(store: Store) -> None:
    await record(store, begun(), seen("a", 200, "zeus"), seen("b", 200, "hera"))
    await record(store, seen("a", 200, "zeus"))
    assert await found(store, "zeus") == ["a"]
    await record(store, seen("a", 210, "argus"))
    assert (await found(store, "zeus"), await found(store, "argus")) == ([], ["a"])
    assert await found(store, "hera") == ["b"]


async def test_what_is_deleted_is_not_found_any_more(store: Store) -> None:
    await record(store, begun(), seen("a", 200, "zeus"), seen("b", 300, "zeus"))
    await store.read_side.prune(250, 250)
    assert await found(store, "zeus") == ["b"]
    await record(store, seen("a", 200, "zeus"))
    assert await found(store, "zeus") == ["b", "a"]


async def test_changes_without_terms_are_found_once_they_have_them(store: Store) -> None:
    several = [seen("a", 200, "zeus"), seen("b", 300, "hera zeus")]
    await store.read_side.record([begun(), *several])
    assert await found(store, "zeus") == []
    kept = await store.search.changes("", 1)
    kept += await store.search.changes(kept[-1][0], 10)
    assert kept == [("a", several[0]), ("b", several[1])]
    for _ in range(2):
        await store.search.index({name: terms(fact) for name, fact in kept})
    assert await found(store, "zeus") == ["b", "a"]
    await store.search.index({"a": "argus"})
    assert (await found(store, "zeus"), await found(store, "argus")) == (["b"], ["a"])


async def test_a_copy_of_a_store_finds_the_same(store: Store, tmp_path: Any) -> None:
    await record(store, begun(), seen("b", 200, "zeus"), seen("a", 300, "zeus"))
    copy = await open_store(f"sqlite:{tmp_path / 'copy.db'}")
    for _ in range(2):
        await copy_rows(store, copy, overwrite=True, advance=lambda *_: None)
        assert await found(copy, "zeus") == ["a", "b"]
    if not isinstance(store, type(copy)):
        await copy.read_side.record([seen("a", 300, "argus")], terms=terms)
        await copy_rows(copy, store, overwrite=True, advance=lambda *_: None)
        assert (await found(store, "zeus"), await found(store, "argus")) == (["b"], ["a"])
    await copy.close()


async def test_more_changes_than_a_millisecond_has_places_are_recorded(tmp_path: Any) -> None:
    store = await open_store(f"sqlite:{tmp_path / 'store.db'}")
    await record(store, begun(), *(seen(f"{n:04}", 200, "zeus") for n in range(1030)))
    await record(store, seen("x", 201, "zeus"))
    page = await store.search.find("default", search("zeus"), None, 2000)
    assert len(page.items) == 1 + 1024
    await record(store, *(seen(f"{n:04}", 200, "hera") for n in range(1030)))
    assert await found(store, "zeus") == ["x"]
    await store.close()
    with closing(sqlite3.connect(tmp_path / "store.db")) as connection:
        assert connection.execute("SELECT count(*) FROM facts").fetchone() == (1031,)


async def test_a_call_looks_at_so_many_changes_and_says_where_to_continue(
    tmp_path: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sqlite_search, "MOST_CHANGES", 2)
    store = await open_store(f"sqlite:{tmp_path / 'store.db'}")
    others = [seen(f"o{n}", 300 + n, "zeus" if n else "hera", url=OTHER) for n in range(3)]
    await record(store, begun(), seen("b", 150, "zeus"), seen("a", 200, "zeus"), *others)
    ids, ends, after = [], [], None
    while True:
        page = await store.search.find("default", search("zeus"), after, 10)
        ids.append([each.change.id for each in page.items])
        ends.append(after := page.next)
        if after is None:
            break
    assert ids == [[], ["a"], ["b"]]
    assert ends[0] == "301-0", "it does not depend on the words of others"
    await store.close()


async def test_a_call_reads_so_many_changes_from_before_a_watch(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in (sqlite_search, mongo_search):
        monkeypatch.setattr(module, "MOST_CHANGES", 2)
    watches = [subscribed("first", url=OTHER), subscribed("later", 400)]
    others = [seen(f"o{n}", 300 + n, "zeus") for n in range(3)]
    await record(store, *watches, *others, seen("own", 500, "zeus"))
    ids, after = [], ""
    while (page := await store.search.find("default", search("zeus"), after or None, 10)).next:
        ids.append([each.change.id for each in page.items])
        after = page.next
    assert ids[:2] == [["own"], []]


async def test_a_sqlite_without_the_index_is_refused(
    tmp_path: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(schema, "_HAS_FTS5", "SELECT 1 WHERE false")
    with pytest.raises(StoreRefused, match="of this Python has no FTS5"):
        await open_store(f"sqlite:{tmp_path / 'store.db'}")
