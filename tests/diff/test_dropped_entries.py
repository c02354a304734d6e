"""Entries that new ones push off the end of a list."""

import json
from collections.abc import Callable

import pytest

from connectors.readers.reading import read_document
from streams.diff.regions import changed_regions
from tests.fakes.changed import edits

KNOWN = "Alpha wins", "Beta opens", "Gamma leads", "Delta floods"
NEW = "Omega begins"
Page = Callable[..., tuple[str, str]]


def lines(*entries: str) -> tuple[str, str]:
    items = "".join(f"<li>{each}</li>" for each in entries)
    return f"<section><h2>News</h2><ul>{items}</ul></section><footer>Imprint</footer>", "text/html"


def list_before(markup: str) -> Page:
    def page(*entries: str) -> tuple[str, str]:
        items = "".join(f"<li><a href='/{len(each)}'>{each}</a></li>" for each in entries)
        return f"<h1>News</h1><ul>{items}</ul>{markup}", "text/html"

    return page


def table_before(*entries: str) -> tuple[str, str]:
    rows = "".join(f"<tr><td>{each}<td>yes" for each in entries)
    return f"<h1>Shop</h1><table><tr><th>Name<th>New{rows}</table><p>Imprint</p>", "text/html"


def cards(*entries: str) -> tuple[str, str]:
    found = "".join(
        f"<article><h3>{each}</h3><p>All of {each}.</p><a href='/'>Read more</a></article>"
        for each in entries
    )
    return f"<h1>Shop</h1><h2>News</h2>{found}<h2>Contact</h2><p>Imprint</p>", "text/html"


def table(*entries: str) -> tuple[str, str]:
    rows = "".join(f"<tr><td>{n}.<td>{each}<td>3" for n, each in enumerate(entries, 1))
    return f"<table><tr><th>#<th>Name<th>Price{rows}</table>", "text/html"


def feed(*entries: str) -> tuple[str, str]:
    items = "".join(
        f"<item><title>{each}</title><description>All of {each}.</description></item>"
        for each in entries
    )
    return f"<rss><channel><title>News</title>{items}</channel></rss>", "application/rss+xml"


def records(*entries: str) -> tuple[str, str]:
    items = [{"name": each, "score": 3} for each in entries]
    return json.dumps({"items": items, "count": "few"}), "application/json"


def dropped(old: tuple[str, str], new: tuple[str, str]) -> list[str]:
    before, after = (read_document(text.encode(), None, kind) for text, kind in (old, new))
    found = changed_regions(before.text, after.text, after.headings)
    flags = [edit.dropped for region in found for edit in region.edits]
    told = edits(found)
    assert all(event == "removed" for (event, *_), flag in zip(told, flags, strict=True) if flag)
    return [str(was) for (_, was, _), flag in zip(told, flags, strict=True) if flag]


BELOW = ("<p>Write to us", "<h2>Imprint", "<footer>Imprint", "Imprint", "<ul><li>Terms<li>Imprint")
PAGES = pytest.mark.parametrize(
    "page", [lines, cards, table, feed, records, table_before, *map(list_before, BELOW)]
)


@PAGES
def test_the_last_entry_is_dropped_if_a_new_one_came_on_top(page: Page) -> None:
    found = dropped(page(*KNOWN), page(NEW, *KNOWN[:-1]))
    assert KNOWN[-1] in found[0]
    assert not any(other in text for text in found for other in KNOWN[:-1])


@PAGES
def test_the_first_entry_is_dropped_if_a_new_one_came_at_the_end(page: Page) -> None:
    found = dropped(page(*KNOWN), page(*KNOWN[1:], NEW))
    assert KNOWN[0] in found[0]


@PAGES
@pytest.mark.parametrize(
    "after",
    [
        (NEW, *KNOWN[:2], KNOWN[-1]),  # from the middle of the list
        (*KNOWN[:2], NEW, KNOWN[2]),  # the new one in the middle
        KNOWN[:-1],  # none has come
        (*KNOWN[:-1], NEW),  # in the place of the last one
        (NEW, *KNOWN[:2]),  # two have gone
    ],
)
def test_an_entry_that_went_otherwise_is_removed(page: Page, after: tuple[str, ...]) -> None:
    assert dropped(page(*KNOWN), page(*after)) == []


@PAGES
def test_a_short_list_may_be_anything(page: Page) -> None:
    assert dropped(page(*KNOWN[:3]), page(NEW, *KNOWN[:2])) == []


def test_the_last_of_entries_that_differ_in_their_number_is_dropped_below_a_heading() -> None:
    page = list_before("<p>Imprint")
    old, new = (page(*(f"Episode {n}" for n in range(last, last - 5, -1))) for last in (6, 7))
    assert dropped(old, new) == ["Episode 2"]


def test_all_lines_of_an_entry_are_dropped_with_it() -> None:
    found = dropped(cards(*KNOWN), cards(NEW, *KNOWN[:-1]))
    assert found == [KNOWN[-1], f"All of {KNOWN[-1]}.", "Read more"]


def test_the_last_entry_of_another_list_is_removed() -> None:
    two = "<h2>Politics</h2>{}<h2>Sports</h2>{}<h2>Contact</h2>"
    politics, sports = KNOWN, [f"{each} again" for each in KNOWN]

    def page(*sides: list[str]) -> tuple[str, str]:
        found = ("".join(f"<article><h3>{each}</h3><p>All.</p></article>" for each in side)
                 for side in sides)  # fmt: skip
        return two.format(*found), "text/html"

    old, new = page(list(politics), sports), page([NEW, *politics], sports[:-1])
    assert dropped(old, new) == []


def test_sentences_of_a_paragraph_are_no_entries() -> None:
    text = "We keep data.\nWe sell none.\nWe ask first.\nWe delete it.\nWe tell you."
    before, after = text, f"We are new.\n{text.rpartition(chr(10))[0]}"
    assert dropped((before, "text/plain"), (f"{after}\nWe", "text/plain")) == []


HEADLINES = [
    "Mayor of Piraeus opens the new bridge",
    "Storm of the century hits the coast",
    "Central bank raises its rates again",
    "Home team wins the cup in extra time",
    "Schools of the city close early today",
    "Rain floods the valley for a third day",
]


@pytest.mark.parametrize("entry", ["<div><a href='/'>{}</a></div>", "<p>{}</p>", "{}<br>"])
def test_the_last_of_the_paragraphs_that_are_a_list_is_dropped(entry: str) -> None:
    def text(*entries: str) -> str:
        page = "<h1>News</h1>{}<p>Imprint</p><p>Contact</p>"
        markup = page.format("".join(map(entry.format, entries)))
        return read_document(markup.encode(), None, "text/html").text

    def dropped(*entries: str) -> list[bool]:
        regions = changed_regions(text(*HEADLINES), text(*entries))
        found = (edit for region in regions for edit in region.edits)
        return [each.dropped for each in found if each.added is None]

    new = "Fire destroys the old mill in the woods"
    assert dropped(new, *HEADLINES[:-1]) == [True]
    assert dropped(new, *HEADLINES[:4], HEADLINES[5]) == [False]
    assert dropped(*HEADLINES[:-1]) == [False]
