"""Fields of one item are one entry for people, and a sentence that stands twice is one."""

from dataclasses import replace

import pytest

from connectors.display.entries import MAX_ENTRIES, shown_entries
from connectors.display.headlines import headline
from connectors.display.item_fields import MAX_FIELDS, MAX_ROW
from connectors.display.plain import entries_text
from connectors.readers.reading import read_document
from schemas.records.changes import Diff
from schemas.records.subscriptions import Options, Receiver, Subscription
from streams.diff.regions import changed_regions
from streams.matching.matcher import Matcher
from tests.fakes.outgoing import PAGE, notification

STORM = "Harbour is closed after the storm"
HEADLINES = ["Alpha wins the cup", "Beta opens a shop", "Gamma is under water"]


def diffs(old: str, new: str, *keywords: str) -> tuple[Diff, ...]:
    before, after = (read_document(each.encode(), None, "text/html") for each in (old, new))
    asked = Subscription(
        id="s", watch="w", manager="m", document_url="http://a.test/", url="http://a.test/",
        receiver=Receiver("http://client.test/"), keywords=keywords, options=Options(), created=0,
    )  # fmt: skip
    return Matcher(changed_regions(before.text, after.text, after.headings), "en").diffs(asked)[0]


def cards(*fields: tuple[str, str]) -> str:
    return "".join(
        f"<article><h3>{name}</h3><p>Costs {price}</p><p>There are {left}</p><p>New</p></article>"
        for name, (price, left) in zip(("Chair", "Lamp"), fields, strict=True)
    )


@pytest.mark.parametrize("keywords", [("*",), ("Chair", "Lamp")])
def test_fields_of_a_card_are_one_entry_and_those_of_another_card_another(
    keywords: tuple[str, ...],
) -> None:
    old, new = cards(("3 EUR", "5"), ("8 EUR", "5")), cards(("2 EUR", "4"), ("8 EUR", "7"))
    found = diffs(old, new, *keywords)
    first, second = shown_entries(found)[0]
    assert (first.headings, second.headings) == (("Chair",), ("Lamp",))
    assert len(first.lines) == 2
    assert len(second.lines) == 1


def test_a_state_that_the_item_before_has_as_well_does_not_part_the_fields() -> None:
    card = "<article><h3>{}</h3><p>{}</p><p>{}</p><p>{} reviews</p></article>"
    lamp = card.format("Lamp", "20 EUR", "Sold out", 3)
    pages = [
        lamp + card.format("Chair", *fields)
        for fields in (("40 EUR", "In stock", 12), ("44 EUR", "Sold out", 14))
    ]
    (entry,) = shown_entries(diffs(*pages, "*"))[0]
    assert len(entry.lines) == 3


def test_the_fields_of_an_entry_are_lines_of_it() -> None:
    pages = [f"<h2>Status</h2><p>{state} is {word}</p><p>Web is {word}</p>"
             for state, word in (("API", "up"), ("API", "down"))]  # fmt: skip
    found = diffs(*pages, "up", "down")
    assert entries_text(found).splitlines() == [
        "Status",
        "edited: API is up → down",
        "Web is up → down",
    ]
    said = headline(replace(notification("n"), diffs=found))
    assert said == f"API is down · Web is down: {PAGE}"


def table(name: str, *rows: tuple[str, ...]) -> str:
    cells = "".join("<tr>" + "".join(f"<td>{cell}" for cell in row) for row in rows)
    return f"<h2>{name}</h2><table>{cells}</table>"


def test_rows_of_one_table_are_one_entry_and_those_of_another_another() -> None:
    def page(*states: str) -> str:
        trains = [
            (f"Train {name}", "daily", state) for name, state in zip("ABC", states, strict=True)
        ]
        return table("Trains", *trains) + table("Boats", ("Ferry", states[0]))

    found = diffs(page("late", "late", "late"), page("on time", "late", "cancelled"), "*")
    assert entries_text(found).splitlines() == [
        "Trains",
        "edited: Train A · daily · late → on time",
        "Train C · daily · late → cancelled",
        "Boats",
        "edited: Ferry · late → on time",
    ]


def test_a_row_of_long_cells_is_an_entry_by_itself() -> None:
    pages = [
        table(
            "Trains",
            *((f"Train {name}", "a train " * (MAX_ROW // 8), f"{state} {name}") for name in "AB"),
        )
        for state in ("up", "down")
    ]
    entries, _ = shown_entries(diffs(*pages, "*"))
    assert [len(each.lines) for each in entries] == [1, 1]


def test_an_item_of_very_many_fields_is_several_entries() -> None:
    def page(word: str) -> str:
        return "<h2>All</h2>" + "".join(f"<p>Port{n} is {word}</p>" for n in range(MAX_FIELDS + 2))

    entries, more = shown_entries(diffs(page("up"), page("down"), "*"))
    assert [len(each.lines) for each in entries] == [MAX_FIELDS, 2]
    assert more == 0


def test_a_sentence_that_came_twice_is_shown_once_and_a_state_of_two_items_twice() -> None:
    def page(*entries: str) -> str:
        items = "".join(f"<li>{each}</li>" for each in entries)
        return f"<nav><ul>{items}</ul></nav><main><h2>News</h2><ul>{items}</ul></main>"

    found = diffs(page(*HEADLINES), page(STORM, *HEADLINES), "*")
    assert len(found) == 2
    assert entries_text(found) == f"added: {STORM}"

    def states(word: str) -> str:
        return f"<h3>Chair</h3><p>{word}</p><h3>Lamp</h3><p>{word}</p>"

    entries, _ = shown_entries(diffs(states("In stock"), states("Sold out"), "*"))
    assert [each.headings for each in entries] == [("Chair",), ("Lamp",)]


def test_an_item_that_stands_twice_is_shown_once_with_its_summary() -> None:
    why = "The Harbour was hit by waves"
    title = Diff("removed", "Harbour", STORM, STORM, "removed", headings=("Top",))
    below = replace(title, text=why, snippet=why, headings=("News", STORM))
    whole = replace(title, text=f"{STORM}\n{why}", snippet=f"{STORM}\n{why}", headings=())
    assert entries_text([title, below]) == f"News \u203a {STORM}\nremoved: {why}"
    assert entries_text([title, whole]) == f"removed: {STORM} / {why}"
    came = replace(title, event="added", change="added")
    for other in (came, replace(title, keyword="storm")):
        assert len(shown_entries([other, below])[0]) == 2


def test_a_headline_of_two_sentences_is_shown_as_a_whole() -> None:
    def page(*entries: str) -> str:
        return "".join(f"<li>{each}" for each in entries)

    found = diffs(page(*HEADLINES), page("Trust is good. Control is not", *HEADLINES), "Control")
    assert [each.text for each in found] == ["Control is not"]
    assert entries_text(found) == "added: Trust is good. Control is not"
    text = "Trust is good. "
    found = diffs(page(text, *HEADLINES), page(f"{text}Control is not", *HEADLINES), "Control")
    assert entries_text(found) == "added: Control is not"


def test_people_are_shown_ten_entries_and_how_many_more_there_are() -> None:
    def page(word: str) -> str:
        return "".join(f"<h2>Server {n}</h2><p>It is {word} now</p>" for n in range(24))

    text = entries_text(diffs(page("up"), page("down"), "*"))
    assert MAX_ENTRIES == 10
    assert text.endswith("… and 14 more")
