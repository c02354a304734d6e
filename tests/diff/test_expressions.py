"""Changes within 99.95, node.js, 2026-11-21 are changes of the whole expression."""

# ruff: noqa: RUF001 - characters of many scripts are what is tested here
import pytest
from hypothesis import given
from hypothesis import strategies as st

from streams.text.tokens import JOINT
from tests.fakes.word_edits import Passage, word_edits

EXPRESSIONS = st.lists(
    st.lists(st.sampled_from(["3", "99", "node", "é\u0301", "價"]), min_size=1, max_size=5),
    max_size=8,
)
JOINED = st.sampled_from([".", ",", ":", "/", "-", "@", "–", "!"])
texts = st.tuples(EXPRESSIONS, JOINED, st.sampled_from([" ", "\n", ". "])).map(
    lambda parts: parts[2].join(parts[1].join(words) for words in parts[0])
)


def notified(old: str, new: str) -> list[tuple[str, str]]:
    sides = [(edit.removed, edit.added) for edit in word_edits(old, new)]
    return [(went.text if went else "", came.text if came else "") for went, came in sides]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("99.99", "99.95"),
        ("3.13", "3.14"),
        ("3", "3.14"),
        ("3.14", "3"),
        ("1,000", "1,500"),
        ("2026-11-21", "2025-11-22"),
        ("9:30-10:30", "9:30–10:30"),
        ("node.js", "deno.js"),
        ("zeus@olymp.gr", "hera@olymp.gr"),
        ("100-eyed", "100-headed"),
        ("é\u0301.js", "é\u0301.ts"),
        ("a.org/x/y.html", "a.org/x/z.html"),
    ],
)
def test_a_change_within_an_expression_is_reported_as_one_of_all_of_it(old: str, new: str) -> None:
    assert notified(f"It is ({old}) now.", f"It is ({new}) now.") == [(old, new)]


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("costs $5 now", "costs €5 now", [("$", "€")]),
        ("It was. Then", "It is. Then", [("was", "is")]),
        ("red,green", "red,blue", [("green", "blue")]),
        ("価格は99.95円", "価格は99.99円", [("99.95", "99.99")]),
        ("大阪.東", "大坂.東", [("阪", "坂")]),
        ("in 3.14 a", "in 3. 14 a", []),
        ("end.Next a", "end. Next b", [("a", "b")]),
    ],
)
def test_what_is_no_expression_is_not_widened(
    old: str, new: str, expected: list[tuple[str, str]]
) -> None:
    assert notified(old, new) == expected


def test_a_long_chain_is_widened_no_further_than_some_units() -> None:
    chain = "-".join(map(str, range(1_000)))
    (change,) = notified(chain, chain.replace("-500-", "-x-"))
    assert change[1] == "-".join(map(str, range(492, 509))).replace("500", "x")


@given(texts, texts)
def test_no_passage_begins_or_ends_within_an_expression(old: str, new: str) -> None:
    for edit in word_edits(old, new):
        for text, passage in ((old, edit.removed), (new, edit.added)):
            if passage is not None:
                check_edges(text, passage)


def check_edges(text: str, passage: Passage) -> None:
    joints = {found.start() for found in JOINT.finditer(text)}
    inside = joints | {joint + 1 for joint in joints}
    assert inside.isdisjoint({passage.start, passage.start + len(passage.text)})
