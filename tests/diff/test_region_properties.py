"""What holds for the regions of any two texts."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.records.changes import MAX_CONTEXT, Edit, Place, Region, Sentence
from streams.diff import changed_lines as window
from streams.diff import regions
from streams.diff.grouping import MAX_BLOCK
from streams.diff.regions import changed_regions
from streams.text.tokens import UNIT, split_words
from tests.fakes.changed import edits

SENTENCES = [
    "Zeus rules.",
    "Hera watches him in the evening.",
    "Hera watches him in the morning.",
    "Fire at 12 Main St",
    "Fire at 14 Oak Ave",
    "Medical aid",
    "212 comments",
    "214 comments",
    "99.95 €",
    "東京都に行く。",
    "",
    "a\tb. C\td",
]
texts = st.lists(st.tuples(st.sampled_from(SENTENCES), st.sampled_from(["\n", " ", "\n\n"]))).map(
    lambda pairs: "".join(sentence + end for sentence, end in pairs)
)
# Whatever a reader can return: never NUL or surrogates.
anything = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=60)
orders = st.lists(st.sampled_from(SENTENCES), unique=True).flatmap(
    lambda lines: st.tuples(st.just(lines), st.permutations(lines))
)


def sides(region: Region) -> list[tuple[Place, list[Sentence]]]:
    removed = [edit.removed for edit in region.edits if edit.removed]
    added = [edit.added for edit in region.edits if edit.added]
    pairs = (region.removed, removed), (region.added, added)
    assert [place is None for place, _ in pairs] == [not found for _, found in pairs]
    return [(place, found) for place, found in pairs if place is not None]


def check_offsets(old: str, new: str, region: Region) -> None:
    for place, found in sides(region):
        text = old if place is region.removed else new
        assert text[place.start :].startswith(place.text)
        assert min(each.start for each in found) <= MAX_CONTEXT + MAX_BLOCK
        for each in found:
            check_spans(place.text[each.start : each.end], each)


def check_spans(text: str, found: Sentence) -> None:
    assert text
    assert text == text.strip()
    units = list(UNIT.finditer(text))
    starts, ends = {each.start() for each in units}, {each.end() for each in units}
    last = found.start
    for span in found.changed:
        assert last <= span.start < span.end <= found.end
        assert span.start - found.start in starts
        assert span.end - found.start in ends
        last = span.end


def words_of_edits(regions: tuple[Region, ...], side: str) -> set[str]:
    """Return the words that changed on one side: all of a sentence, unless it was edited."""
    words: set[str] = set()
    for region in regions:
        place = getattr(region, side)
        for edit in region.edits:
            words |= words_of(edit, getattr(edit, side), place)
    return words


def words_of(edit: Edit, found: Sentence | None, place: Place) -> set[str]:
    if found is None:
        return set()
    spans = [(each.start, each.end) for each in found.changed]
    if edit.change != "edited":
        spans = [(found.start, found.end)]
    return {word for start, end in spans for word in split_words(place.text[start:end])}


@given(texts, texts)
def test_offsets_are_exact_and_no_word_is_cut(old: str, new: str) -> None:
    for region in changed_regions(old, new):
        check_offsets(old, new, region)


@given(anything, anything)
def test_any_texts_are_compared(old: str, new: str) -> None:
    for region in changed_regions(old, new):
        check_offsets(old, new, region)


@given(texts | anything, texts | anything)
def test_every_word_that_only_one_side_has_is_in_a_change(old: str, new: str) -> None:
    regions = changed_regions(old, new)
    before, after = set(split_words(old)), set(split_words(new))
    assert after - before <= words_of_edits(regions, "added")
    assert before - after <= words_of_edits(regions, "removed")


@pytest.mark.parametrize("most", [0, 6, 10_000])
@given(old=texts | anything, new=texts | anything)
def test_what_was_removed_or_added_never_overlaps(old: str, new: str, most: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(regions, "MAX_LINES", most)
        patch.setattr(window, "JOINED_LINES", 3)
        found = changed_regions(old, new)
    for side in ("removed", "added"):
        stretches = sorted(
            (getattr(region, side).start + each.start, getattr(region, side).start + each.end)
            for region in found
            for edit in region.edits
            if (each := getattr(edit, side)) and edit.change != "moved"
        )
        assert all(first[1] <= second[0] for first, second in pairwise(stretches))


@given(texts, texts)
def test_a_long_line_that_stands_once_on_both_sides_is_in_no_edit(old: str, new: str) -> None:
    found = edits(changed_regions(old, new))
    sides = [side for kind, *both in found for side in both if kind != "moved"]
    for line in set(old.splitlines()) & set(new.splitlines()):
        if old.count(line) == new.count(line) == 1 and len(line.split()) >= 5 and ". " not in line:
            assert line not in sides


@given(texts)
def test_a_text_does_not_differ_from_itself(text: str) -> None:
    assert changed_regions(text, text) == ()
    assert changed_regions(text, text.replace("\n", " \n\n ")) == ()


@given(orders)
def test_what_only_moved_was_neither_removed_nor_added(both: tuple[list[str], list[str]]) -> None:
    old, new = map("\n".join, both)
    found = edits(changed_regions(old, new))
    assert len(found) <= 1
    assert all(kind == "moved" and gone == come for kind, gone, come in found)


@given(texts, texts)
def test_what_was_removed_one_way_is_added_the_other_way(old: str, new: str) -> None:
    there, back = changed_regions(old, new), changed_regions(new, old)
    assert sentences(there, "removed") == sentences(back, "added")
    assert sentences(there, "added") == sentences(back, "removed")


def sentences(regions: tuple[Region, ...], side: str) -> set[str]:
    """Return the sentences of one side that did not just move, and are no labels."""
    found = (
        (getattr(region, side), getattr(edit, side))
        for region in regions
        for edit in region.edits
        if edit.change != "moved"
    )
    texts = {place.text[each.start : each.end] for place, each in found if each}
    return {text for text in texts if len(text.split()) >= 5}
