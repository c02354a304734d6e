"""Matching a change takes work in proportion to its size, in small steps, up to a limit."""

from itertools import product
from typing import Any

import pytest

from schemas.records.changes import Region
from schemas.records.subscriptions import Options, Receiver, Subscription
from streams.matching import spellings, word_search, word_table
from streams.matching.matcher import Matcher
from streams.text import tokens, word_forms
from streams.text.tokens import PART
from streams.values.steps import Steps
from tests.fakes.regions import added, changed
from tests.fakes.variants import varied

BASE = Subscription("s", "w", "m", "u", "u", Receiver(session="c"), ("k",), Options(), 0)
FORMS = [
    {"enable_stemming": stemming, "ignore_case": case, "filter_stopwords": filtering}
    for stemming, case, filtering in product((False, True), repeat=3)
]


def everyone(*keywords: str) -> list[Subscription]:
    """Return two subscriptions of each way to compare words."""
    return [varied(BASE, keywords=keywords, **form) for form in FORMS * 2]


def replaced(old: str, new: str) -> list[Region]:
    return [changed(old, new)]


class Work:
    """Counts what is done between two steps: ``most`` words in one, ``words`` in all."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.words = self.step = self.most = 0
        normal_forms = word_forms.normal_forms

        def counted(words: list[str], form: Any) -> list[str]:
            self.add(len(words))
            return normal_forms(words, form)

        monkeypatch.setattr(spellings, "normal_forms", counted)
        located = tokens.located_words

        def counted_parts(text: str) -> Any:
            for part in located(text):
                self.add(len(part))
                yield part

        monkeypatch.setattr(word_search, "located_words", counted_parts)

    def add(self, words: int) -> None:
        self.words += words
        self.step += words
        self.most = max(self.most, self.step)

    def run(self, steps: Steps[Any]) -> Any:
        while True:
            self.step = 0
            try:
                next(steps)
            except StopIteration as end:
                return end.value


@pytest.mark.slow  # five seconds of a core
def test_six_megabytes_replaced_are_matched_in_small_steps(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    work = Work(monkeypatch)
    old, new = (" ".join(f"{side}{n:05}" for n in range(430_000)) for side in ("a", "B"))
    assert len(old) + len(new) > 6_000_000
    subscriptions = everyone('"B00010 B00011"', "B00012 the", "absent")
    matcher = Matcher(replaced(old, new), "en")
    work.run(matcher.prepare(subscriptions))
    for each in subscriptions:
        diffs, truncated = work.run(matcher.diff_steps(each))
        filters = each.options.filter_stopwords
        assert [diff.keyword for diff in diffs] == list(each.keywords[: 1 + filters])
        assert truncated
    read = 2 * word_search.MAX_WORDS
    assert work.most <= max(PART // 2, spellings.STEP)
    # Once as they are written, then in each of the four normal forms.
    assert read < work.words <= 5 * read + 2 * PART


def test_beyond_the_limit_no_word_is_found_and_the_notification_says_so(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(word_search, "MAX_WORDS", 3)
    matcher = Matcher(replaced("one two three four", "five six seven eight"), "en")
    found = {
        word: matcher.diffs(varied(BASE, keywords=(word,)))
        for word in ("three", "four", "six", "*")
    }
    events = {word: [diff.event for diff in diffs] for word, (diffs, _) in found.items()}
    assert events == {"three": ["removed"], "four": [], "six": ["added"], "*": ["removed", "added"]}
    assert all(truncated for _, truncated in found.values())


def test_within_the_limit_nothing_is_truncated(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(word_search, "MAX_WORDS", 3)
    matcher = Matcher(replaced("one two three", "four five six"), "en")
    assert not matcher.diffs(varied(BASE, keywords=("six",)))[1]


def test_a_phrase_is_sought_only_where_its_rarest_word_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(word_table, "MAX_OCCURRENCES", 2)
    text = "new " * 50 + "new york new " + "old " * 10
    matcher = Matcher([added(text)], "en")
    diffs, truncated = matcher.diffs(varied(BASE, keywords=('"new york new"',)))
    assert (len(diffs), truncated) == (1, False)


def test_a_phrase_of_frequent_words_is_sought_so_often_and_the_notification_says_so(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(word_table, "MAX_OCCURRENCES", 3)
    regions = [added("new")] * 5 + [added("old new"), added("old " * 9)]
    matcher = Matcher(regions, "en")
    diffs, truncated = matcher.diffs(varied(BASE, keywords=('"old new"', "new")))
    assert truncated
    assert [diff.keyword for diff in diffs] == ["new"] * 6


def test_signs_of_a_frequent_word_are_sought_so_often_and_the_notification_says_so(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(word_search, "MAX_SIGNED", 3)
    matcher = Matcher([added("C++ and C"), added("C " * 9), added("C++")], "en")
    diffs, truncated = matcher.diffs(varied(BASE, keywords=("C++",)))
    assert truncated
    assert len(diffs) == 1
    assert not matcher.diffs(varied(BASE, keywords=("and",)))[1]


def test_only_normal_forms_that_a_subscription_asks_for_are_computed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    work = Work(monkeypatch)
    matcher = Matcher(replaced("one two", "three four"), "en")
    work.run(matcher.prepare([varied(BASE, keywords=("four",))]))
    assert work.words == 4 + 4
