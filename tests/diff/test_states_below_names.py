"""States that stand on lines below the headings of their cards."""

import pytest

from connectors.readers.html import html_text
from schemas.records.answers import Heading
from streams.diff.regions import changed_regions
from tests.fakes.changed import Told, changed

NAMES = ("Lamp", "Chair", "Desk")


def changed_cards(old: str, new: str) -> list[Told]:
    headings = tuple(Heading(new.index(name), 3) for name in NAMES if name in new)
    return changed(old, new, headings)


@pytest.mark.parametrize("more", [("", ""), ("\n\nSeen 3 times", "\n\nSeen 4 times")])
def test_states_that_two_cards_exchange_are_told_of_both(more: tuple[str, str]) -> None:
    cards = "Lamp\n{}\n\nChair\n{}"
    found = changed_cards(
        cards.format("Sold out", "In stock") + more[0],
        cards.format("In stock", "Sold out") + more[1],
    )
    assert found[:4] == [
        ("removed", "Sold out", None),
        ("added", None, "In stock"),
        ("removed", "In stock", None),
        ("added", None, "Sold out"),
    ]
    assert [event for event, *_ in found[4:]] == ["edited"] * bool(more[0])


def test_states_that_paragraphs_of_two_sections_exchange_are_told_of_both() -> None:
    def page(*states: str) -> str:
        return "\n\n".join(f"{name}\n\n{state}" for name, state in zip(NAMES, states, strict=True))

    found = changed_cards(
        page("Sold out", "In stock", "In stock"), page("In stock", "Sold out", "In stock")
    )
    assert found == [
        ("removed", "Sold out", None),
        ("added", None, "In stock"),
        ("removed", "In stock", None),
        ("added", None, "Sold out"),
    ]


@pytest.mark.parametrize("entry", ["<li>{}: {}", "<p>{}: {}"])
def test_states_that_lines_with_labels_exchange_are_told_of_the_label(entry: str) -> None:
    old, new = (
        html_text("".join(map(entry.format, (*NAMES, "Sofa", "Bed"), states))).text
        for states in (
            ("Sold out", "In stock", "Soon", "In stock", "Soon"),
            ("In stock", "Sold out", "Soon", "In stock", "Soon"),
        )
    )
    assert changed(old, new) == [
        ("edited", "Lamp: [Sold out]", "Lamp: [In stock]"),
        ("edited", "Chair: [In stock]", "Chair: [Sold out]"),
    ]


def test_states_that_go_round_three_cards_are_told_of_each() -> None:
    cards = "Lamp\n30 €\n{}\n\nChair\n40 €\n{}\n\nDesk\n50 €\n{}"
    states = ["Sold out", "In stock", "Back soon"]
    found = changed_cards(cards.format(*states), cards.format(*states[1:], states[0]))
    assert found == [
        each
        for old, new in zip(states, [*states[1:], states[0]], strict=True)
        for each in (("removed", old, None), ("added", None, new))
    ]


def test_cards_that_change_places_have_moved() -> None:
    old = "Lamp\nSold out\n\nChair\nIn stock"
    new = "Chair\nIn stock\n\nLamp\nSold out"
    assert [event for event, *_ in changed_cards(old, new)] == ["moved"]


def test_entries_of_a_list_below_a_heading_that_change_places_have_moved() -> None:
    old, new = "Learn\nBlog\nCourses\nPress\nEvents", "Learn\nBlog\nPress\nCourses\nEvents"
    assert [event for event, *_ in changed(old, new, (Heading(0, 2),))] == ["moved"]


def test_headlines_that_two_sections_exchange_have_moved() -> None:
    sections = "Lamp\n{}\n\nChair\n{}"
    first, other = "A lamp that shines in the dark", "Why a chair has four legs"
    found = changed_cards(sections.format(first, other), sections.format(other, first))
    assert [event for event, *_ in found] == ["moved"]


ROWS = pytest.mark.parametrize(
    "rows",
    [
        "<table><tr><td>{}<td>{}<tr><td>{}<td>{}</table>",
        "<dl><dt>{}<dd>{}<dt>{}<dd>{}</dl>",
        "<dl><div><dt>{}<dd>{}</div><div><dt>{}<dd>{}</div></dl>",
    ],
)


@ROWS
def test_states_that_rows_exchange_are_told_with_their_names(rows: str) -> None:
    old, new = (
        html_text(rows.format("Lamp", one, "Chair", other)).text
        for one, other in (("Sold out", "In stock"), ("In stock", "Sold out"))
    )
    assert changed(old, new) == [
        ("edited", "Lamp\t[Sold out]", "Lamp\t[In stock]"),
        ("edited", "Chair\t[In stock]", "Chair\t[Sold out]"),
    ]


@ROWS
def test_rows_that_change_places_have_moved(rows: str) -> None:
    lamp, chair = ("Lamp", "Sold out"), ("Chair", "In stock")
    old, new = (html_text(rows.format(*each)).text for each in (lamp + chair, chair + lamp))
    assert [event for event, *_ in changed(old, new)] == ["moved"]


def test_a_value_of_a_list_of_terms_is_told_with_its_term() -> None:
    page = "<dl><dt>Price<dd>{}<dt>Weight<dd>10 kg</dl><p>Buy"
    old, new = (html_text(page.format(price)).text for price in ("30 €", "25 €"))
    assert changed(old, new) == [("edited", "Price\t[30] €", "Price\t[25] €")]


@pytest.mark.parametrize("card", ["<li><b>{}</b> {}", "<li>{} <i>{}</i>", "<p>The {} is {}"])
def test_states_that_lines_exchange_are_told_of_the_beginning_of_each(card: str) -> None:
    old, new = (
        html_text("".join(map(card.format, NAMES, states))).text
        for states in (("sold out", "in stock", "soon"), ("in stock", "sold out", "soon"))
    )
    begins = [line.partition("sold")[0].partition("in stock")[0] for line in old.split("\n")]
    assert changed(old, new) == [
        ("edited", f"{begins[0]}[sold out]", f"{begins[0]}[in stock]"),
        ("edited", f"{begins[1]}[in stock]", f"{begins[1]}[sold out]"),
    ]


def test_headlines_with_one_first_word_are_others() -> None:
    found = changed("Zeus rains\nHera waits at home", "Zeus marries\nHera leaves for Samos")
    assert {event for event, *_ in found} == {"removed", "added"}


def test_a_state_is_that_of_the_record_that_changed_and_not_of_the_one_that_moved() -> None:
    records = [f"name: {name}\ntext: {name}.\nstate: {{}}" for name in ("Zeus", "Hera", "Ares")]
    old = "\n\n".join(records).format("open", "shut", "open")
    records[:2] = records[1::-1]
    new = "\n\n".join(records).format("shut", "open", "shut")
    (region,) = changed_regions(old, new)
    (edit,) = region.edits
    assert region.added is not None
    assert edit.added is not None
    assert region.added.start + edit.added.start == new.rindex("state: shut")


def test_values_that_records_exchange_are_told_of_both() -> None:
    page = "\n\n".join(f"all.sku: {n}\nall.name: {n} legs\nall.new: {{}}" for n in (3, 4))
    assert changed(page.format("true", "false"), page.format("false", "true")) == [
        ("edited", "all.new: [true]", "all.new: [false]"),
        ("edited", "all.new: [false]", "all.new: [true]"),
    ]
