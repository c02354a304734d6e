"""How an edited sentence is shown: what was and what is, marked."""

import re
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from connectors.display.directions import direction
from connectors.display.runs import line_text, one_line
from connectors.display.sentences import MAX_LETTERS, edited_lines
from connectors.display.shortening import GAP, MAX_LINE
from connectors.display.words import MAX_WORDS, changed_words, words

ARROW = re.compile(" [→←] ")
SPACE = st.sampled_from([" ", "  ", "\n", "\t"])
WORDS = st.sampled_from(
    ["a", "the", "Argus", "€1,299.00", "4 %", "(never)", "sleeps.", "百眼", "—"]
)
SENTENCES = st.one_of(st.text(max_size=100), st.lists(WORDS, max_size=20).map(" ".join))
GAPS = " which was said by many who stood around and saw what happened there "
TAGS = {"same": "{}", "removed": "[-{}-]", "added": "[+{}+]"}


def is_short(text: str) -> bool:
    return len(one_line(text)) <= MAX_LINE


def marked(before: str, after: str) -> list[str]:
    """Return the lines of an edit, with what was removed and added in brackets."""
    return [
        "".join(TAGS[run.kind].format(run.text) for run in line)
        for line in edited_lines(before, after)
    ]


@pytest.mark.parametrize(
    ("before", "after", "shown"),
    [
        (
            "Price: €1,299.00",
            "Price: €1,199.00",
            "Price: [-€1,299.00-] → [+€1,199.00+]",
        ),
        (
            "Fines shall not exceed 2 % of it.",
            "Fines shall not exceed 4 % of it.",
            "Fines shall not exceed [-2 %-] → [+4 %+] of it.",
        ),
        (
            "212 confirmed, 13 open",
            "214 confirmed, 15 open",
            "[-212-] → [+214+] confirmed, [-13-] → [+15+] open",
        ),
        (
            "Status: Major Outage.",
            "Status: Degraded.",
            "Status: [-Major Outage-] → [+Degraded+].",
        ),
    ],
)
def test_words_that_were_replaced_are_shown_within_one_line(
    before: str, after: str, shown: str
) -> None:
    assert marked(before, after) == [shown]


def test_words_that_came_or_went_alone_are_shown_by_both_sentences() -> None:
    assert marked("Argus sleeps.", "Argus never sleeps.") == [
        "Argus sleeps.",
        "→ Argus [+never +]sleeps.",
    ]


def test_several_phrases_that_changed_are_shown_by_both_sentences() -> None:
    before = "The old king of Argos who watched the white cow has long slept."
    after = "The new queen of Argos who watched the black bull has long slept."
    assert marked(before, after) == [
        "The [-old king-] of Argos who watched the [-white cow-] has long slept.",
        "→ The [+new queen+] of Argos who watched the [+black bull+] has long slept.",
    ]


def test_a_number_is_shown_whole_and_of_a_compound_what_changed() -> None:
    assert marked("Rechtsschutzversicherung ab 1,299 €", "Rechtschutzversicherung ab 1,199 €") == [
        "Rechts[-s-]chutzversicherung ab [-1,299 €-] → Rechtschutzversicherung ab [+1,199 €+]"
    ]


def test_a_short_word_is_shown_whole() -> None:
    assert marked("open on Sunday", "open on Monday") == ["open on [-Sunday-] → [+Monday+]"]


def test_a_number_inside_an_address_is_not_cut() -> None:
    assert marked("see https://a.example/2024/x", "see https://a.example/2025/x") == [
        "see https://a.example/[-2024-]/x → https://a.example/[+2025+]/x"
    ]


def test_scripts_without_spaces_show_the_characters_that_changed() -> None:
    before, after = "今日の東京の気温は二十度です。", "今日の東京の気温は三十度です。"
    assert marked(before, after) == [
        "今日の東京の気温は[-二-]十度です → 今日の東京の気温は[+三+]十度です。"
    ]


def test_a_long_sentence_is_cut_at_words_around_what_changed() -> None:
    line = marked(
        f"{'so it began ' * 50}with Io {'and ended ' * 50}",
        f"{'so it began ' * 50}with Hera {'and ended ' * 50}",
    )[0]
    assert line.startswith(f"{GAP} ")
    assert line.endswith(f" {GAP}")
    assert "began with [-Io-] → [+Hera+] and ended" in line
    assert {"so", "it", "began", "with", "and", "ended"} >= {
        word for word in line.split() if word.isalpha()
    }


@given(SENTENCES, SENTENCES)
def test_both_sentences_are_what_is_shown_without_the_marks(before: str, after: str) -> None:
    parts = changed_words(before, after)
    assert "".join(part.before for part in parts) == before
    assert "".join(part.after for part in parts) == after
    assert all(one.same != other.same for one, other in pairwise(parts))


@given(SENTENCES.filter(is_short), SENTENCES.filter(is_short))
def test_short_sentences_are_shown_whole(before: str, after: str) -> None:
    lines = [line_text(line) for line in edited_lines(before, after)]
    was, now = one_line(before.strip()), one_line(after.strip())
    if len(lines) == 2:
        assert lines == [was, f"{'←' if direction(now) == 'rtl' else '→'} {now}"]
    elif len(ARROW.findall(lines[0])) == 1 and not set("→←") & set(before + after):
        left, right = ARROW.split(lines[0])
        assert was == left + right[len(right) - (len(was) - len(left)) :]
        assert now == left[: len(now) - len(right)] + right


@given(st.text(min_size=1), st.text(), st.text(), st.integers(1, 40))
def test_a_line_is_bounded_whatever_a_page_contains(
    word: str, before: str, after: str, times: int
) -> None:
    for line in edited_lines(f"{word * times} {before}" * times, f"{after} {word}" * times):
        assert len(line_text(line)) <= 2 * MAX_LINE + 8 * len(GAP)


@given(st.text())
def test_words_joined_are_the_text(text: str) -> None:
    text = " ".join(text.split())
    assert "".join(words(text)) == text


def test_a_change_far_into_a_sentence_is_found() -> None:
    before, after = (
        f"{'word ' * 5 * MAX_WORDS}{side}{' tail' * MAX_WORDS}" for side in ("Io", "Hera")
    )
    assert [part for part in changed_words(before, after) if not part.same] == [("Io", "Hera")]


def test_the_words_that_are_compared_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    sizes: list[int] = []

    def opcodes(old: list[str], new: list[str]) -> list[object]:
        sizes.extend((len(old), len(new)))
        return []

    monkeypatch.setattr("connectors.display.words.Indel.opcodes", opcodes)
    changed_words("ab " * 4_000, "cd " * 4_000)
    assert sizes == [MAX_WORDS + 1] * 2


def test_the_characters_that_are_compared_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    compared: list[str] = []

    def letters(old: str, new: str) -> tuple[list[object], list[object]]:
        compared.extend((old, new))
        return [], []

    monkeypatch.setattr("connectors.display.sentences.changed_letters", letters)
    words_before = [f"{number:040}x" for number in range(90)]
    edited_lines(GAPS.join(words_before), GAPS.join(f"{w}y" for w in words_before))
    assert compared
    assert sum(map(len, compared)) <= MAX_LETTERS


def test_a_side_without_a_mark_is_cut_where_the_other_one_has_its_mark() -> None:
    words = " ".join(f"word{n}" for n in range(60))
    twice = words.replace("word40", "word40 word40")
    was, now = marked(words, twice)
    for line in (was, now):
        assert "word39" in line
        assert "word2 " not in line
    assert "+]" in now
    assert "[" not in was
