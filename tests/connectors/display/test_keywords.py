"""Which words of an edited sentence are marked as those that a subscription asks for."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from connectors.display.entries import shown_entries
from connectors.display.runs import Run, line_of, line_text, with_keywords
from schemas.records.changes import Diff, Marked, Marks, Span


def edit(before: str, after: str, keyword: str) -> Diff:
    """Return the entry of an edited sentence in which a keyword stands."""
    start = after.index(keyword)
    marked = Marked((), (Span(start, start + len(keyword)),))
    return Diff("added", keyword, after, after, "edited", before, after, Marks(marked, marked))


def asked(line: tuple[Run, ...]) -> list[str]:
    """Return what is marked as a keyword; one that changes in part is several runs."""
    return [run.text for run in line if run.keyword]


@pytest.mark.parametrize(
    ("before", "after", "keyword", "marked"),
    [
        ("Argus has 90 eyes", "Argus has 100 eyes", "Argus", ["Argus"]),
        ("東京の天気は良い", "東京の天気は悪い", "東京", ["東京"] * 2),
        ("私は東京で寝る", "私は東京で起きる", "東京", ["東京"] * 2),
        ("ภาษาไทยดี 90", "ภาษาไทยดี 91", "ไทย", ["ไทย"]),
        ("我看Argus睡觉 90", "我看Argus睡觉 91", "Argus", ["Argus"]),
        ("東京A 90", "東京A 91", "東京", ["東京"]),
        ("an art starts 90", "an art starts 91", "art", ["art"]),
        ("INC-4711-open", "INC-4712-open", "INC", ["INC", "INC"]),
    ],
)
def test_a_keyword_is_marked_in_any_script_where_it_is_a_whole_word(
    before: str, after: str, keyword: str, marked: list[str]
) -> None:
    (entry,), _ = shown_entries([edit(before, after, keyword)])
    assert [text for line in entry.lines[:1] for text in asked(line)] == marked


def test_a_keyword_of_which_a_part_changed_is_marked_as_a_whole() -> None:
    line = Run("the hundred "), Run("ey", "same"), Run("es", "added"), Run(" see")
    assert asked(with_keywords(line, ["eyes"])) == ["ey", "es"]
    assert asked(with_keywords(line, ["es", "ey"])) == []


def test_a_letter_with_another_vowel_sign_is_another_letter() -> None:
    assert asked(with_keywords([Run("कि क")], ["क"])) == ["क"]
    assert line_text(with_keywords([Run("कि क")], ["क"])[:1]) == "कि "


@given(
    st.lists(
        st.builds(Run, st.text(st.sampled_from("ab東京 \n")), st.just("same"), st.just(False))
    ),
    st.lists(st.text(st.sampled_from("ab東京"), min_size=1)),
)
def test_marks_leave_the_text_as_it_is(runs: list[Run], spellings: list[str]) -> None:
    line = line_of(runs)
    marked = with_keywords(line, spellings)
    assert line_text(marked).split() == line_text(line).split()
    assert all(set(text) <= set("".join(spellings)) for text in asked(marked))


def test_a_keyword_is_shown_though_it_stands_far_from_what_changed() -> None:
    words = [f"word{n}" for n in range(80)]
    before, after = " ".join(words), " ".join(["other", *words[1:]])
    [entry], _ = shown_entries([edit(before, after, "word60")])
    shown = line_text(entry.lines[-1])
    assert shown.startswith("word0 → other word1")
    assert "word59 word60 word61" in shown
    assert "word40" not in shown
    assert asked(entry.lines[-1]) == ["word60"]
    [near], _ = shown_entries([edit(before, after, "word1")])
    assert line_text(near.lines[-1]).count("word1 ") == 1
