"""The Atom feed of a client's notifications (RFC 4287)."""

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any
from unittest.mock import AsyncMock
from uuid import UUID

import pytest
from aiohttp import ClientSession
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from connectors.api.history.feed import FeedHandler
from connectors.reads.atom import MAX_SHOWN, FeedNames, atom_feed, content_html
from connectors.serving.sending import Sender
from connectors.stores.pages import ListingPage
from schemas.records.changes import Diff, Returned
from schemas.records.notifications import Notification
from tests.fakes.notifications import NOTIFICATION
from tests.harness.api import serving_api

# The handlers that are never asked are mocks.
pytestmark = pytest.mark.filterwarnings("ignore:Bare functions")

NAMES = {"a": "http://www.w3.org/2005/Atom"}
HERE = "http://127.0.0.1:9000/vokter/v1/feed?client=x&more=%20"
DIFF = Diff("added", "argus", "Argus", "... Argus <b> & more ...")
NOTIFIED = replace(NOTIFICATION, diffs=(DIFF,), at=1_700_000_000_000)


def feed_of(*facts: Notification, manager: str = "m", client: str = "c", url: str = HERE) -> bytes:
    names = FeedNames(("client", manager, client), client)
    return atom_feed(names, url, [(fact, content_html(fact)) for fact in facts])


def texts(feed: bytes, path: str) -> list[str]:
    found = etree.fromstring(feed).xpath(path, namespaces=NAMES)
    return [each if isinstance(each, str) else each.text for each in found]


def test_a_feed_has_every_element_that_atom_requires() -> None:
    feed = feed_of(NOTIFIED, replace(NOTIFIED, id="other", at=0))
    root = etree.fromstring(feed)
    assert root.tag == "{http://www.w3.org/2005/Atom}feed"
    for path in ("/a:feed", "/a:feed/a:entry[1]", "/a:feed/a:entry[2]"):
        for name in ("id", "title", "updated"):
            assert len(texts(feed, f"{path}/a:{name}")) == 1, (path, name)
    assert texts(feed, "/a:feed/a:author/a:name") == ["Vokter"]
    assert texts(feed, "/a:feed/a:link[@rel='self']/@href") == [HERE]
    assert texts(feed, "//a:entry[1]/a:link[@rel='alternate']/@href") == [NOTIFIED.url]
    assert texts(feed, "//a:entry[1]/a:content[@type='html']") == [
        '<p dir="auto"><span dir="ltr">added</span>: ... Argus &lt;b&gt; &amp; more ...</p>'
    ]
    for time in texts(feed, "//a:updated"):
        assert datetime.fromisoformat(time).tzinfo is not None
    assert texts(feed, "/a:feed/a:updated") == texts(feed, "//a:entry[1]/a:updated")


def test_ids_are_urns_that_are_stable_and_unique() -> None:
    first = texts(feed_of(NOTIFIED), "//a:id")
    later = texts(feed_of(replace(NOTIFIED, at=9), NOTIFIED, url="http://elsewhere/"), "//a:id")
    others = [
        texts(feed_of(manager=who[0], client=who[1]), "//a:id")[0]
        for who in (("m", "d"), ("n", "c"))
    ]
    another = texts(feed_of(replace(NOTIFIED, id="x")), "//a:entry/a:id")
    assert first == later[:2]
    assert len({*first, *others, *another}) == 5
    assert all(UUID(name).urn == name for name in first)
    # Feed readers store these ids for years: a change would show every entry as new.
    assert first[1] == "urn:uuid:79b24a80-0b6e-5425-8fb4-200712853f14"


def test_a_feed_without_notifications_is_valid() -> None:
    feed = feed_of()
    assert texts(feed, "//a:entry") == []
    assert texts(feed, "/a:feed/a:updated") == ["1970-01-01T00:00:00.000Z"]


def test_the_title_of_an_entry_is_its_news_and_the_page() -> None:
    gone = replace(NOTIFIED, status="timeout", diffs=())
    tried = replace(NOTIFIED, test=True, diffs=())
    many = replace(NOTIFIED, diffs=(DIFF, replace(DIFF, text="Io", snippet="Io")))
    titles = texts(feed_of(NOTIFIED, gone, tried, many), "//a:entry/a:title")
    page = NOTIFIED.title or NOTIFIED.url
    assert titles == [
        f"Argus: {page}",
        f"No longer readable: {page}",
        f"Test notification: {page}",
        f"2 changes: {page}",
    ]


def test_an_entry_says_in_words_what_is_lost_and_why() -> None:
    lost = replace(NOTIFIED, status="lost", diffs=(), reason="nothing matches <select>")
    found = replace(NOTIFIED, status="found", diffs=())
    feed = feed_of(lost, found)
    titles = [title.partition(":")[0] for title in texts(feed, "//a:entry/a:title")]
    assert titles == ["Not found any more", "Found again"]
    first, second = texts(feed, "//a:entry/a:content")
    assert "or is a login page. (nothing matches &lt;select&gt;)</p>" in first
    assert second == "<p>What is watched in the document is there again.</p>"


@given(st.text(), st.text())
def test_the_feed_is_well_formed_whatever_a_page_contains(client: str, snippet: str) -> None:
    diff = replace(DIFF, keyword=snippet, snippet=snippet, link=snippet, headings=(snippet,))
    edit = replace(diff, change="edited", before=f"Argus {snippet}", after="Argus")
    feed = feed_of(replace(NOTIFIED, diffs=(diff, edit)), client=client)
    assert len(texts(feed, "//a:entry/a:content")) == 1


def test_characters_that_xml_does_not_allow_are_replaced() -> None:
    feed = feed_of(client="a\x00b\ud800c")
    assert texts(feed, "/a:feed/a:title") == ["Vokter: a\ufffdb\ufffdc"]


def test_an_edit_is_marked_up_and_the_text_of_a_page_is_escaped() -> None:
    before, after = "Price of <b>: €1,299.00", "Price of <b>: €1,199.00"
    edit = replace(DIFF, change="edited", before=before, after=after, headings=("Shop & more",))
    feed = feed_of(replace(NOTIFIED, diffs=(edit, replace(edit, event="removed"))))
    (content,) = texts(feed, "//a:content[@type='html']")
    edited = "Price of &lt;b&gt;: <del>€1,299.00</del> → <ins>€1,199.00</ins>"
    assert content == (
        '<p dir="auto"><span dir="auto">Shop &amp; more</span><br>'
        f'<span dir="ltr">edited</span>: {edited}</p>'
    )


def test_an_entry_says_that_the_page_went_back_to_a_text() -> None:
    went_back = replace(NOTIFIED, returned=Returned(since=1_700_000_000_000, times=3))
    assert texts(feed_of(went_back), "//a:content")[0].startswith(
        "<p>The page returned to a text that it first had on 2023-11-14 22:13 UTC (3rd time).</p>"
    )


def test_an_entry_has_the_first_diffs_and_says_how_many_more_there_are() -> None:
    many = tuple(replace(DIFF, snippet=str(number)) for number in range(MAX_SHOWN + 3))
    (content,) = texts(feed_of(replace(NOTIFIED, diffs=many)), "//a:content")
    assert content.count("<p") == MAX_SHOWN + 1
    assert content.endswith("<p>… and 3 more</p>")


async def test_each_entry_is_rendered_in_its_own_turn_of_a_thread(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    turns: list[object] = []
    render = Sender.render

    async def noting(self: Sender, work: Callable[[], Any]) -> Any:
        turns.append(work)
        return await render(self, work)

    monkeypatch.setattr(Sender, "render", noting)
    facts = AsyncMock()
    facts.of_client.return_value = ListingPage((NOTIFIED,) * 7, None)
    async with (
        serving_api(tmp_path / "keys", feed=FeedHandler(facts)) as api,
        ClientSession() as http,
        http.get(f"{api}/feed", params={"client": "c"}) as response,
    ):
        assert response.status == 200
        assert (await response.text()).count("<entry>") == 7
    assert len(turns) == 7 + 2, "each entry, the feed of them, and its one chunk"
