import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.changes import MAX_CONTEXT, Hunk, Passage
from streams.core.diff import alignment, cleanup
from streams.core.diff.passages import hunks
from streams.core.text.tokens import UNIT

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


def passages(found: tuple[Hunk, ...]) -> list[tuple[str | None, str | None]]:
    return [(text(hunk.removed), text(hunk.added)) for hunk in found]


def squeezed(text: str) -> str:
    return "".join(text.split())


def kept(text: str, taken: list[Passage]) -> str:
    """Return a text without some of its passages and without white space."""
    for passage in reversed(taken):
        assert text[passage.start :].startswith(passage.text)
        text = text[: passage.start] + text[passage.start + len(passage.text) :]
    return squeezed(text)


def check(old: str, new: str) -> None:
    """What is left of both texts without the hunks is equal, and in the same order."""
    found = hunks(old, new)
    removed = [hunk.removed for hunk in found if hunk.removed is not None]
    added = [hunk.added for hunk in found if hunk.added is not None]
    assert kept(old, removed) == kept(new, added)
    for hunk in found:
        if hunk.removed is not None and hunk.added is not None:
            start, end = hunk.removed.start, hunk.added.start
            assert kept(old[:start], [p for p in removed if p.start < start]) == kept(
                new[:end], [p for p in added if p.start < end]
            )
    for text, several in ((old, removed), (new, added)):
        check_context(text, several)


def check_context(text: str, several: list[Passage]) -> None:
    """Passages are whole units with what stands around them."""
    starts = {unit.start() for unit in UNIT.finditer(text)}
    ends = {unit.end() for unit in UNIT.finditer(text)}
    for passage in several:
        end = passage.start + len(passage.text)
        assert passage.start in starts
        assert end in ends
        assert passage.before == text[max(0, passage.start - MAX_CONTEXT) : passage.start]
        assert passage.after == text[end : end + MAX_CONTEXT]


def test_the_example_of_the_original_gives_its_passages() -> None:
    assert passages(hunks(OLD, NEW)) == [
        (None, "Argus Panoptes"),
        (None, "name"),
        ("Greek", "Norse"),
    ]


def test_a_passage_has_its_offset_and_its_context() -> None:
    assert hunks("a b c", "a x c") == (
        Hunk(Passage("b", 2, "a ", " c"), Passage("x", 2, "a ", " c")),
    )


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
    assert passages(hunks(old, new)) == expected


@given(texts)
def test_identical_texts_have_no_hunks(text: str) -> None:
    assert hunks(text, text) == ()


@given(texts, texts)
def test_hunks_lead_from_the_old_text_to_the_new_one_and_cut_no_word(old: str, new: str) -> None:
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
        patch.setattr(cleanup, "_ANCHOR", 4)
        check(old, new)


def test_far_apart_edits_of_a_large_text_are_found_each_for_itself() -> None:
    chance = random.Random(1)  # noqa: S311 - the same text in every run
    words = chance.choices([f"w{n}" for n in range(5_000)], k=60_000)
    edited = list(words)
    for place in (10, 30_000, 59_000):
        edited[place] = "edited"
    found = hunks(" ".join(words), " ".join(edited))
    assert passages(found) == [(words[place], "edited") for place in (10, 30_000, 59_000)]


def test_more_different_units_than_there_are_characters_make_one_hunk() -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(alignment, "MAX_DISTINCT", 4)
        assert passages(hunks("same a b c", "same d e f")) == [("a b c", "d e f")]
