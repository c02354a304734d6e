"""What two snapshots differ in, with the blocks that only moved."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.records.changes import Edit, Region
from streams.diff import moved_blocks
from streams.diff.moved_blocks import compared_regions

TEXTS = st.lists(st.sampled_from([*"abcdefg", ""]), max_size=14).map("\n".join)


def kinds(old: str, new: str) -> list[tuple[str, str, str]]:
    return [
        (edit.change, _text(region, edit, "removed"), _text(region, edit, "added"))
        for region in compared_regions(old, new)
        for edit in region.edits
    ]


def _text(region: Region, edit: Edit, side: str) -> str:
    place, sentence = getattr(region, side), getattr(edit, side)
    return "" if place is None or sentence is None else place.text[sentence.start : sentence.end]


def test_a_block_that_moved_is_one_among_what_changed() -> None:
    stays = "\n".join(f"Line {each}" for each in range(9))
    old = f"Weather\nRain in the north\n\n{stays}\nThe price is 12."
    new = f"{stays}\nThe price is 15.\n\nWeather\nRain in the north"
    assert kinds(old, new) == [
        ("edited", "The price is 12.", "The price is 15."),
        ("moved", "Weather", "Weather"),
        ("moved", "Rain in the north", "Rain in the north"),
    ]


def test_lines_that_stand_several_times_have_not_moved() -> None:
    assert kinds("a\nb\n-\nc\n-", "-\na\nb\nc\nnew one\n-") == [("added", "", "new one")]


def test_only_so_many_blocks_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(moved_blocks, "MAX_BLOCKS", 1)
    old = "a\n1\n2\n3\n4\nb\n5\n6\n7"
    new = "1\n2\n3\n4\na\n5\n6\n7\nb"
    assert len(compared_regions(old, new)) == 1


@given(TEXTS, TEXTS)
def test_what_moved_stands_in_both_texts_where_the_region_says(old: str, new: str) -> None:
    for region in compared_regions(old, new):
        for place, text in ((region.removed, old), (region.added, new)):
            if place is not None:
                assert text[place.start : place.start + len(place.text)] == place.text
        for edit in region.edits:
            if edit.change == "moved":
                assert _text(region, edit, "removed") == _text(region, edit, "added")


@given(TEXTS)
def test_a_text_has_no_differences_from_itself(text: str) -> None:
    assert compared_regions(text, text) == ()
