"""An entry says of which item it is, where no heading of the new text does."""

import json
from collections.abc import Callable

import pytest

from connectors.readers.reading import read_document
from schemas.records.subscriptions import Options, Receiver, Subscription
from streams.diff.regions import changed_regions
from streams.matching.matcher import Matcher

ITEMS = [
    ("Alpha wins", "The team of Alpha won. It was late."),
    ("Beta opens", "A shop has opened. It sells shoes."),
    ("Gamma leads", "Third in line. And more of it."),
]
Page = Callable[..., tuple[str, str]]
Told = list[tuple[tuple[str, ...], str]]


def told(old: str, new: str, keyword: str, kind: str = "text/html") -> Told:
    before, after = (read_document(each.encode(), None, kind) for each in (old, new))
    subscription = Subscription(
        id="s", watch="w", manager="m", document_url="http://e.test/", url="http://e.test/",
        receiver=Receiver("http://e.test/"), keywords=(keyword,), created=0,
        options=Options(notify_dropped=True),
    )  # fmt: skip
    matcher = Matcher(changed_regions(before.text, after.text, after.headings), "en")
    return [(each.headings, each.text) for each in matcher.diffs(subscription)[0]]


def articles(*items: tuple[str, str]) -> tuple[str, str]:
    found = "".join(f"<article><h3>{name}</h3><p>{text}</p></article>" for name, text in items)
    return f"<h1>News</h1>{found}", "text/html"


def feed(*items: tuple[str, str]) -> tuple[str, str]:
    found = "".join(
        f"<item><title>{name}</title><description>{text}</description></item>"
        for name, text in items
    )
    return f"<rss><channel><title>News</title>{found}</channel></rss>", "application/rss+xml"


@pytest.mark.parametrize("page", [articles, feed])
def test_a_sentence_of_a_new_or_gone_item_is_below_its_title(page: Page) -> None:
    (all_items, kind), (rest, _), (first, _) = page(*ITEMS), page(*ITEMS[1:]), page(*ITEMS[:2])
    assert told(rest, all_items, "late", kind) == [(("News", "Alpha wins"), "It was late.")]
    assert told(all_items, rest, "late", kind) == [(("News", "Alpha wins"), "It was late.")]
    assert told(all_items, first, "more", kind) == [(("News", "Gamma leads"), "And more of it.")]


@pytest.mark.parametrize("page", [articles, feed])
def test_a_title_is_not_below_itself(page: Page) -> None:
    (new, kind), (old, _) = page(*ITEMS), page(*ITEMS[1:])
    assert told(old, new, "Alpha wins", kind)[0][0] == ("News",)
    whole = "Alpha wins\nThe team of Alpha won. It was late."
    assert told(old, new, "*", kind) == [(("News",), whole)]


def records(*items: tuple[int, str, str]) -> str:
    return json.dumps([{"id": n, "kind": kind, "place": place} for n, kind, place in items])


def test_a_value_is_below_the_id_of_its_record() -> None:
    first, second = (1, "Fire", "Main St"), (2, "Aid", "High St")
    old, new = records(first, second), records(second, (3, "Jam", "Low Rd"))
    assert told(old, new, "fire", "application/json") == []
    assert told(old, new, "Fire", "application/json") == [(("id: 1",), "kind: Fire")]
    assert told(old, new, "Jam", "application/json") == [(("id: 3",), "kind: Jam")]
    changed = records(first, (2, "Jam", "High St"))
    found = told(old, changed, "Jam", "application/json")
    assert found == [(("id: 2",), "Jam")]


def test_a_value_is_below_the_name_of_its_record() -> None:
    old, new = (
        json.dumps([{"price": price, "title": "Chair"}, {"price": 3, "title": "Lamp"}])
        for price in (30, 25)
    )
    found = told(old, new, "25", "application/json")
    assert found == [(("title: Chair",), "25")]


def test_an_entry_of_a_list_is_no_title_of_another() -> None:
    def page(*names: str) -> str:
        return "<h1>Courses</h1><hr><ul>" + "".join(f"<li>{each}" for each in names) + "</ul>"

    known = "Java for all", "Rust for some"
    found = told(page(*known), page("Basic for none", "Ada for few", *known), "Ada")
    assert found == [(("Courses",), "Ada for few")]


def test_a_sentence_that_stands_twice_in_an_item_is_two_entries() -> None:
    twice = ("Alpha wins the cup", "Alpha wins the cup")
    (old, kind), (new, _) = feed(*ITEMS[1:]), feed(twice, *ITEMS[1:])
    assert [text for _, text in told(old, new, "cup", kind)] == ["Alpha wins the cup"] * 2


def test_a_field_that_says_nothing_of_its_record_is_no_title() -> None:
    old, new = (
        json.dumps({"about": {"name": "Shop"}, "chair": {"size": 3, "price": price}})
        for price in (30, 25)
    )
    assert told(old, new, "25", "application/json") == [((), "25")]


def test_a_line_that_stays_is_no_title_of_what_is_new_below_it() -> None:
    old, new = ("<p>Open all day</p>" + more for more in ("", "<p>Closed on Sunday</p>"))
    assert told(old, new, "Sunday") == [((), "Closed on Sunday")]


def test_a_large_block_has_no_title() -> None:
    lines = [f"<p>line {n} of many" for n in range(400)]
    old, new = (f"<h1>Log</h1>{more}<hr>" for more in ("", "".join(lines)))
    assert told(old, new, "399") == [(("Log",), "line 399 of many")]


def test_an_edited_sentence_is_below_the_new_title_on_both_sides() -> None:
    def page(state: str) -> str:
        return json.dumps([{"title": f"Crane {state}", "text": f"The crane of quay B is {state}."}])

    found = told(page("out of service"), page("back in service"), "quay", "application/json")
    assert {headings for headings, _ in found} == {("title: Crane back in service",)}


def test_an_entry_of_a_new_list_is_below_the_label_above_the_list() -> None:
    versions = [f"## 2.{n}\n\n- Search is faster in {n}.\n- Printing works in {n}." for n in (4, 3)]
    old, new = "# Changes\n\n" + versions[1], "\n\n".join(["# Changes", *versions])
    assert told(old, new, "Printing", "text/markdown") == [
        (("Changes", "2.4"), "Printing works in 4.")
    ]
