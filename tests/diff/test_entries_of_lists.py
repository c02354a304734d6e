"""Lists that get an entry and lose another one: each entry has its place."""

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.records.answers import Heading
from streams.diff.regions import changed_regions
from tests.fakes.changed import Told, changed

Entry = Callable[[int], str]

ENTRIES: dict[str, Entry] = {
    "lines": "Episode {}".format,
    "feed": "Entry {0}\nBody of {0}\n".format,
    "JSON": "title: Episode {}\nkind: audio\n".format,
    "articles": "Bulletin {}\nRead the bulletin.\n".format,
    "rows": "2024-05-{0}\t{0}.5 m\topen".format,
    "long lines": "The bulletin number {} of our weekly podcast is out now".format,
    "calls": lambda number: f"Fire at {number} {'Elm' if number % 2 else 'Oak'} Street, unit four",
    "dates": lambda number: f"Minutes of the meeting on {number} {'MayJune'[:3 + number % 2]} 2024",
}  # fmt: skip


def page(entry: Entry, numbers: list[int], lists: int = 1) -> str:
    found = "\n".join(map(entry, numbers)).strip()
    return "Podcast\n\n" + "\n\nMore\n\n".join([found] * lists) + "\n\nImprint"


def lines_of(found: list[Told], kind: str) -> list[str]:
    return [gone or come or "" for event, gone, come in found if event == kind]


@pytest.mark.parametrize("kind", ENTRIES)
@pytest.mark.parametrize("lists", [1, 2])
@pytest.mark.parametrize("is_last_first", [True, False])
def test_a_new_entry_is_no_edit_of_the_one_that_left_at_the_other_end(
    kind: str, lists: int, is_last_first: bool
) -> None:
    step = -1 if is_last_first else 1
    old, new = sorted(range(11, 21))[::step], sorted(range(12, 22))[::step]
    entry = ENTRIES[kind]
    found = changed(page(entry, old, lists), page(entry, new, lists))
    assert not lines_of(found, "edited")
    assert lines_of(found, "added").count(entry(21).split("\n")[0]) == lists
    assert lines_of(found, "removed").count(entry(11).split("\n")[0]) == lists


@given(st.sampled_from(sorted(ENTRIES)), st.integers(4, 12), st.data())
def test_new_entries_on_top_are_never_edits_that_are_noise(
    kind: str, size: int, data: st.DataObject
) -> None:
    more = data.draw(st.integers(1, size - 1))
    old = list(range(40, 40 - size, -1))
    new = [*range(40 + more, 40, -1), *old][:size]
    before, after = (page(ENTRIES[kind], each) for each in (old, new))
    edits = [edit for region in changed_regions(before, after) for edit in region.edits]
    assert not [edit for edit in edits if edit.noise]


def test_which_entry_became_which_is_not_sure_if_all_are_others() -> None:
    old, new = (page(ENTRIES["lines"], list(range(n, n - 5, -1))) for n in (20, 40))
    (region,) = changed_regions(old, new)
    assert "" in {edit.noise for edit in region.edits}


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Views: 20\nAlpha", "Views: 21\nAlpha"),
        ("Alpha\n3 comments\nBeta\n4 comments", "Alpha\n5 comments\nBeta\n6 comments"),
        ("Zeus\n3 comments\n\nHera\nAres", "Hera\nAres\n\nZeus\n5 comments"),
    ],
)
def test_a_counter_in_its_place_or_next_to_its_line_is_noise(old: str, new: str) -> None:
    edits = [edit for region in changed_regions(old, new) for edit in region.edits]
    assert [edit.change for edit in edits] == ["edited"] * len(edits)
    assert {edit.noise for edit in edits} == {"numbers"}


def test_a_row_that_moved_is_the_same_one_with_another_age() -> None:
    others = "\n".join(f"{name}\tSmith of all the gods\tOlympus\t30d" for name in "ABC")
    row = "Hera\tQueen of all the gods\tOlympus\t{}d"
    found = changed(f"{row.format(4)}\n{others}", f"{others}\n{row.format(5)}")
    assert [event for event, *_ in found] == ["edited"]


@pytest.mark.parametrize("field", ["Release date: {}", "Release date\n{}", "{}"])
@pytest.mark.parametrize(
    ("names", "are_alike"),
    [
        (("Desktop", "Lite", "Full"), False),
        (("Desktop", "Lite", "Full"), True),
        (("Image", "Image", "Image"), True),
    ],
)
def test_fields_that_stay_are_no_news_of_an_entry_whose_other_fields_changed(
    field: str, names: tuple[str, ...], *, are_alike: bool
) -> None:
    def entries(dates: list[str], sizes: list[str]) -> str:
        return "\n\n".join(
            f"{name}\n{field.format(date)}\nKernel 6.1\nDebian 12 (bookworm)\nSize: {size}"
            for name, date, size in zip(names, dates, sizes, strict=True)
        )

    days = ["March 15th 2024", "May 3rd 2024", "June 7th 2023"]
    others = ["October 1st 2025", "August 2nd 2025", "July 9th 2026"]
    if are_alike:
        days, others = days[:1] * 3, others[:1] * 3
    found = changed(
        entries(days, ["1,105 MB", "2,205 MB", "3,305 MB"]),
        entries(others, ["1,117 MB", "2,217 MB", "3,317 MB"]),
    )
    assert str(found).count("MB") == 6
    assert not [edit for edit in found if "bookworm" in str(edit) or "Kernel" in str(edit)]


def _releases(*fields: tuple[str, str, str], row: str = "") -> tuple[str, tuple[Heading, ...]]:
    entry = "{}\nReleased: {}\nKernel 6.1\nDebian 12 (bookworm)\nSize: {} MB"
    text = ("\n" if row else "\n\n").join((row or entry).format(*each) for each in fields)
    starts = (text.index(name) for name, *_ in fields)
    return text, () if row else tuple(Heading(start, 3) for start in starts)


@pytest.mark.parametrize("row", ["", "{}\t{}\t6.1\tbookworm\t{} MB"])
def test_fields_that_stay_are_no_news_of_an_entry_that_moved_as_well(row: str) -> None:
    desktop, lite = ("Desktop", "2024-03-15", "1105"), ("Lite", "2024-05-03", "2205")
    old, _ = _releases(desktop, lite, ("Full", "2024-06-07", "3305"), row=row)
    new, headings = _releases(("Full", "2026-07-09", "3317"), desktop, lite, row=row)
    found = changed(old, new, headings)
    assert {event for event, *_ in found} == {"edited"}
    told = str(found)
    assert "[3317]" in told
    assert "2026" in told
    assert "Desktop" not in told


def test_entries_of_a_ranking_that_change_places_are_edited_in_their_counters_alone() -> None:
    found = changed(
        "Storm moves north 3,201\nCup final tonight 2,900\nOld bridge closed 900",
        "Cup final tonight 4,120\nMetro strike announced 3,800\nStorm moves north 3,400",
    )
    assert [event for event, *_ in found].count("edited") == 2
    assert lines_of(found, "added") == ["Metro strike announced 3,800"]
    assert lines_of(found, "removed") == ["Old bridge closed 900"]


TOOLS = ["Foo tool", "Bar game", "Baz app", "Qux song"]


@pytest.mark.parametrize("row", ["{}\t{}\tnew", "{}.\t{}", "#{}\t{}", "{}. {}", "{}) {} of Hera"])
def test_the_number_of_a_row_is_no_text_of_it(row: str) -> None:
    def rows(names: list[str]) -> str:
        return "\n".join(row.format(number, name) for number, name in enumerate(names, 1))

    assert changed(rows(TOOLS), rows(["New thing", *TOOLS])) == [
        ("added", None, row.format(1, "New thing"))
    ]
    assert changed(rows(TOOLS), rows(TOOLS[1:])) == [("removed", row.format(1, "Foo tool"), None)]


def test_a_number_in_the_first_cell_that_counts_no_rows_is_text() -> None:
    found = changed("5\tLamps\n9\tChairs", "3\tLamps\n9\tChairs")
    assert found == [("edited", "[5]\tLamps", "[3]\tLamps")]


AGED = ["{}\n{}", "{} by Ann {}", "{}\tAnn\t{}"]


def aged(entry: str, age: str) -> str:
    return "\n\n".join(entry.format(name, age) for name in TOOLS)


@pytest.mark.parametrize("entry", AGED)
@pytest.mark.parametrize(
    ("first", "then"),
    [
        ("59 minutes ago", "1 hour ago"),
        ("just now", "2 minutes ago"),
        ("vor 2 Tagen", "vor 3 Tagen"),
    ],
)
def test_the_age_of_an_entry_is_no_text_of_it(entry: str, first: str, then: str) -> None:
    assert changed(aged(entry, first), aged(entry, then)) == []
    assert changed("Zeus\njust now", "Zeus\nyesterday") == []
    assert changed("Closed on 3 May 2024", "Closed on 4 May 2024") != []


@pytest.mark.parametrize("entry", AGED)
def test_a_new_entry_on_top_of_aged_ones_is_all_that_is_new(entry: str) -> None:
    new = entry.format("New thing of today", "just now")
    found = changed(aged(entry, "3 hours ago"), f"{new}\n\n{aged(entry, '4 hours ago')}")
    assert {event for event, *_ in found} == {"added"}
    assert not [text for *_, text in found if any(name in str(text) for name in TOOLS)]
