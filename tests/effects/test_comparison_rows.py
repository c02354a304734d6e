"""A change in its context, with both sides row by row."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from connectors.display.rows import Row, with_gaps
from connectors.display.runs import line_text
from streams.diff.regions import changed_regions
from streams.effects import comparison_rows as rows
from streams.effects.comparison_rows import change_rows
from tests.fakes.regions import added

PROSE = st.lists(
    st.sampled_from(["Io sleeps.", "Io wakes up.", "Argus has 100 eyes.", "Hera left", "7 €", ""]),
    max_size=12,
).map("\n".join)


def shown(old: str, new: str, most: int = 20) -> list[tuple[str, str, str]]:
    found = change_rows(changed_regions(old, new), most, 240)
    return [(row.kind, line_text(row.before), line_text(row.after)) for row in found]


def test_sentences_stand_next_to_what_they_were_in_their_context() -> None:
    old = "Zeus rules. Io hides. Argus has 99 eyes. The end."
    new = "Zeus rules. Argus has 100 eyes. Hera knows it. The end."
    assert shown(old, new) == [
        ("same", "Zeus rules.", "Zeus rules."),
        ("removed", "Io hides.", ""),
        ("edited", "Argus has 99 eyes.", "Argus has 100 eyes."),
        ("added", "", "Hera knows it."),
        ("same", "The end.", "The end."),
    ]


def test_words_that_changed_are_marked_on_both_sides_and_inline() -> None:
    (row,) = change_rows(changed_regions("Price: €1,299", "Price: €1,199"), 20, 240)
    assert [run.text for run in row.before if run.kind == "removed"] == ["€1,299"]
    assert [run.text for run in row.after if run.kind == "added"] == ["€1,199"]
    assert [line_text(line) for line in row.inline] == ["Price: €1,299 → €1,199"]


def test_a_sentence_that_moved_is_shown_as_moved_where_it_was_and_where_it_is() -> None:
    assert shown("Io one.\nHera two.\nZeus three.", "Hera two.\nZeus three.\nIo one.") == [
        ("moved", "Io one.", ""),
        ("same", "Hera two.", "Hera two."),
        ("same", "Zeus three.", "Zeus three."),
        ("moved", "", "Io one."),
    ]


def test_context_that_moved_next_to_another_change_is_shown_as_moved() -> None:
    old = "Top.\nIo one.\nHera two.\nPan three.\nZeus left"
    new = "Top.\nHera two.\nPan three.\nIo one.\nbrand new"
    assert shown(old, new)[:5] == [
        ("same", "Top.", "Top."),
        ("moved", "Io one.", ""),
        ("same", "Hera two.", "Hera two."),
        ("same", "Pan three.", "Pan three."),
        ("removed", "Zeus left", ""),
    ]
    assert ("moved", "", "Io one.") in shown(old, new)


def test_what_is_beyond_the_most_edits_is_no_context() -> None:
    old, new = "Io.\nA b c.\nD e f.", "Io.\nX y z.\nU v w."
    assert shown(old, new, most=1) == [("same", "Io.", "Io."), ("removed", "A b c.", "")]


def test_a_place_with_too_many_sentences_has_those_that_changed_alone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(rows, "MAX_PIECES", 2)
    assert shown("Io one.\nHera two.\nGone it is", "Io one.\nHera two.\nbrand new") == [
        ("removed", "Gone it is", ""),
        ("added", "", "brand new"),
    ]


def test_a_long_sentence_is_cut() -> None:
    (row,) = change_rows([added("word " * 1_000)], 20, 240)
    assert len(line_text(row.after)) < 300


def test_a_sentence_that_moved_and_was_edited_is_told_where_it_is() -> None:
    middle = "\n".join(f"Line {each} stays where it is." for each in range(9))
    edited = "The temple of Hera at Samos opens at {} in the morning."
    old, new = f"{edited.format(9)}\n{middle}", f"{middle}\n{edited.format(10)}"
    found = change_rows(changed_regions(old, new), 20, 240)
    assert [(row.kind, bool(row.inline)) for row in found if row.is_change] == [
        ("edited", False),
        ("edited", True),
    ]


def test_places_that_overlap_are_shown_once() -> None:
    """Of two sentences that moved and were edited, each is in a region, with the other around."""
    stays = "\n".join(f"Line {each}" for each in range(3))
    one, other = "The guide of Samos costs €{} today.", "In stock are {} copies of the map."
    old = f"{one.format(9)}\n{other.format(12)}\n{stays}"
    new = f"{stays}\n{one.format(8)}\n{other.format(10)}"
    assert len(changed_regions(old, new)) > 1
    texts = [text for _, _, text in shown(old, new) if text]
    assert len(texts) == len(set(texts)) == 5


@given(PROSE, PROSE)
def test_each_side_read_down_is_its_text_and_each_edit_is_a_row(old: str, new: str) -> None:
    regions = changed_regions(old, new)
    found = change_rows(regions, 1_000, 10_000)
    assert all((row.before or row.after) != () for row in found if row.kind != "gap")
    for text, side in ((old, "before"), (new, "after")):
        assert _is_in_order([line_text(getattr(row, side)) for row in found], text)
    edits = [edit for region in regions for edit in region.edits]
    sides = sum((edit.removed is not None) + (edit.added is not None) for edit in edits)
    rows_of_edits = [row for row in found if row.headings or row.kind not in ("same", "gap")]
    assert sum(bool(row.before) + bool(row.after) for row in rows_of_edits) >= sides


def _is_in_order(lines: list[str], text: str) -> bool:
    """Whether lines stand in a text one after the other."""
    at, flat = 0, " ".join(text.split())
    for line in filter(None, lines):
        at = flat.find(line, at)
        if at < 0:
            return False
        at += len(line)
    return True


@given(st.lists(st.sampled_from(["same", "added"])), st.integers(0, 3))
def test_gaps_leave_out_context_alone(kinds: list[str], around: int) -> None:
    found = [Row(kind) for kind in kinds]
    kept = list(with_gaps(found, around))
    assert kept.count(Row("added")) == kinds.count("added")
    assert len(kept) <= len(found)
    if "added" in kinds:
        assert kept.count(Row("same")) <= 2 * around * kinds.count("added")
