import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from streams.diff import alignment, comparison
from streams.text.tokens import UNIT
from tests.fakes.word_edits import Passage, WordEdit, word_edits

OLD = "is the of the 100-eyed giant in Greek mythology."
NEW = "Argus Panoptes is the name of the 100-eyed giant in Norse mythology."

WORDS = ["a", "b. a", "b", "don't", "giant", "3.14", "€5", "東京", "ที่", "é\u0301", "👍🏽", "-", "'"]
# Whatever a reader can return: never NUL or surrogates.
ANY = st.characters(exclude_categories=["Cs"], exclude_characters="\0")
SPACES = [" ", "\n", "", "\u00a0 ", ". "]
texts = st.lists(st.tuples(st.sampled_from(WORDS), st.sampled_from(SPACES)), max_size=40).map(
    lambda pairs: "".join(word + space for word, space in pairs)
)


def text(passage: Passage | None) -> str | None:
    return passage.text if passage is not None else None


def passages(found: list[WordEdit]) -> list[tuple[str | None, str | None]]:
    return [(text(edit.removed), text(edit.added)) for edit in found]


def squeezed(text: str) -> str:
    return "".join(text.split())


def kept(text: str, taken: list[Passage]) -> str:
    """Return a text without some of its passages and without white space."""
    for passage in reversed(taken):
        assert text[passage.start :].startswith(passage.text)
        text = text[: passage.start] + text[passage.start + len(passage.text) :]
    return squeezed(text)


def check(old: str, new: str) -> None:
    """What is left of both texts without the edits is equal, and in the same order."""
    found = word_edits(old, new)
    removed = [edit.removed for edit in found if edit.removed is not None]
    added = [edit.added for edit in found if edit.added is not None]
    assert kept(old, removed) == kept(new, added)
    for edit in found:
        if edit.removed is not None and edit.added is not None:
            start, end = edit.removed.start, edit.added.start
            assert kept(old[:start], [p for p in removed if p.start < start]) == kept(
                new[:end], [p for p in added if p.start < end]
            )
    for text, several in ((old, removed), (new, added)):
        check_edges(text, several)


def check_edges(text: str, several: list[Passage]) -> None:
    """Passages are whole units."""
    starts = {unit.start() for unit in UNIT.finditer(text)}
    ends = {unit.end() for unit in UNIT.finditer(text)}
    for passage in several:
        end = passage.start + len(passage.text)
        assert passage.start in starts
        assert end in ends


def test_the_example_of_the_original_gives_its_passages() -> None:
    assert passages(word_edits(OLD, NEW)) == [
        (None, "Argus Panoptes"),
        (None, "name"),
        ("Greek", "Norse"),
    ]


def test_a_passage_has_its_offset() -> None:
    assert word_edits("a b c", "a x c") == [WordEdit(Passage("b", 2), Passage("x", 2))]


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("costs $5 now", "costs €5 now", [("$", "€")]),
        ("the start", "the art", [("start", "art")]),
        ("one two", "one\n\n two ", []),
        ("", "one two", [(None, "one two")]),
        ("one two", "", [("one two", None)]),
        ("don't", "don", [("don't", "don")]),
        ("東京都に行く", "京都に行く", [("東", None)]),
        ("ผมไปบ้าน", "ผมไปร้าน", [("บ้", "ร้")]),
        ("a b c d e f", "a X c Y e f", [("b c d", "X c Y")]),
        ("a b c d e f g h", "a X c d e Y g h", [("b", "X"), ("f", "Y")]),
    ],
)
def test_texts_are_compared_by_words(
    old: str, new: str, expected: list[tuple[str | None, str | None]]
) -> None:
    assert passages(word_edits(old, new)) == expected


@given(texts)
def test_identical_texts_have_no_edits(text: str) -> None:
    assert word_edits(text, text) == []


@given(texts, texts)
def test_edits_lead_from_the_old_text_to_the_new_one_and_cut_no_word(old: str, new: str) -> None:
    check(old, new)


@given(st.text(alphabet=ANY), st.text(alphabet=ANY))
def test_any_two_texts_can_be_compared(old: str, new: str) -> None:
    check(old, new)


@given(st.lists(texts, min_size=1, max_size=8), st.lists(texts, max_size=8), st.randoms())
def test_texts_beyond_the_budget_are_compared_by_coarser_units(
    shared: list[str], others: list[str], chance: random.Random
) -> None:
    old = " ".join(chance.sample([*shared, *others], len(shared)))
    new = " ".join(chance.sample([*shared, *others], len(shared)))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(alignment, "_BUDGET", 50)
        patch.setattr(alignment, "_BLOCK", 3)
        patch.setattr(comparison, "_ANCHOR", 4)
        check(old, new)


def test_far_apart_edits_of_a_large_text_are_found_each_for_itself() -> None:
    chance = random.Random(1)  # noqa: S311 - the same text in every run
    words = chance.choices([f"w{n}" for n in range(5_000)], k=60_000)
    edited = list(words)
    for place in (10, 30_000, 59_000):
        edited[place] = "edited"
    found = word_edits(" ".join(words), " ".join(edited))
    assert passages(found) == [(words[place], "edited") for place in (10, 30_000, 59_000)]


def test_more_different_units_than_there_are_characters_make_one_edit() -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(alignment, "_LAST", 3)
        assert passages(word_edits("same a b c", "same d e f")) == [("a b c", "d e f")]
