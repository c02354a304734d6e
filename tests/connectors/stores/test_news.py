"""The notifications of a manager, across its receivers, in both stores."""

from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from connectors.stores.mongo import facts as mongo
from connectors.stores.opening import Store
from connectors.stores.pages import NewsSearch
from connectors.stores.sqlite import facts as sqlite
from connectors.stores.sqlite.schema import connect, migrate
from schemas.records.changes import Diff
from schemas.records.notifications import Notification
from schemas.records.subscriptions import Receiver
from tests.fakes.notifications import NOTIFICATION

DESK = Receiver(session="desk")


def piece(name: str, at: int, keyword: str = "zeus", **more: Any) -> Notification:
    diff = Diff("added", keyword, "text of the page", "snippet")
    return replace(NOTIFICATION, id=name, at=at, diffs=(diff, diff), **more)


async def found(store: Store, **asked: str) -> list[str]:
    page = await store.facts.news("default", NewsSearch(**asked), None, 10)
    return [each.id for each in page.items]


@pytest.fixture
async def filled(store: Store) -> Store:
    await store.read_side.record(
        [
            piece("a", 100, tags=("gods", "rock (&) roll")),
            piece("b", 200, "Père [1]", receiver=DESK, tags=("god",)),
            piece("c", 300, receiver=DESK, tags=("gods",), title="The Émigré"),
            piece("d", 300, manager="other", tags=("gods",)),
        ]
    )
    return store


async def test_the_news_of_all_receivers_are_found_newest_first(filled: Store) -> None:
    assert await found(filled) == ["c", "b", "a"]
    assert await found(filled, client="desk") == ["c", "b"]
    assert await found(filled, client="http://127.0.0.1:80") == ["a"]


@pytest.mark.parametrize(
    ("asked", "names"),
    [
        ({"tag": "gods"}, ["c", "a"]),
        ({"tag": "god"}, ["b"]),
        ({"tag": "rock (&) roll"}, ["a"]),
        ({"tag": "gods", "client": "desk"}, ["c"]),
        ({"text": "PÈRE [1"}, ["b"]),
        ({"text": "émigré"}, ["c"]),
        ({"text": "EXAMPLE.test"}, ["c", "b", "a"]),
        ({"text": "text of the page"}, []),
        ({"text": ".*"}, []),
        ({"text": "zeus", "tag": "gods", "client": "desk"}, ["c"]),
    ],
)
async def test_news_are_found_by_tag_and_by_a_part_of_keyword_title_or_address(
    filled: Store, asked: dict[str, str], names: list[str]
) -> None:
    assert await found(filled, **asked) == names


async def test_a_call_looks_at_so_many_and_says_where_to_continue(
    filled: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sqlite, "MAX_SEARCHED", 2)
    monkeypatch.setattr(mongo, "MAX_SEARCHED", 2)
    asked = NewsSearch(text="zeus", tag="rock (&) roll")
    first = await filled.facts.news("default", asked, None, 10)
    assert first.items == ()
    second = await filled.facts.news("default", asked, first.next, 10)
    assert ([each.id for each in second.items], second.next) == (["a"], None)


async def test_pages_of_news_follow_each_other_without_a_gap(filled: Store) -> None:
    names, after = [], None
    for _ in range(3):
        page = await filled.facts.news("default", NewsSearch(), after, 1)
        names += [each.id for each in page.items]
        after = page.next
    assert (names, after) == (["c", "b", "a"], None)
    with pytest.raises(ValueError, match="not a cursor"):
        await filled.facts.news("default", NewsSearch(), "here", 1)


@pytest.mark.parametrize(
    ("of_one_receiver", "index"), [(False, "news (manager=?"), (True, "facts_by_subject (kind=?")]
)
def test_sqlite_reads_news_in_the_order_of_an_index(
    tmp_path: Path, of_one_receiver: bool, index: str
) -> None:
    values: dict[str, Any] = dict.fromkeys(
        ("manager", "subject", "id", "last_id", "tag", "text"), ""
    )
    values |= {"at": 9, "last_at": 0, "limit": 9, "most": 9}
    with closing(connect(tmp_path / "store.db")) as connection:
        migrate(connection, tmp_path)
        for query in sqlite.NEWS[of_one_receiver]:
            (step,) = connection.execute(f"EXPLAIN QUERY PLAN {query}", values)
            assert f"INDEX {index}" in step[3]
