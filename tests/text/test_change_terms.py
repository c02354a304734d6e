"""The terms of changes, and the excerpts that show why one was found."""

from dataclasses import replace

import pytest

from schemas.records.changes import DocumentChanged
from streams.text import change_terms as terms_module
from streams.text.change_terms import change_terms, searched_phrases, term_choices
from streams.text.excerpts import MAX_EXCERPT, Excerpt, excerpt
from streams.text.stemming import PluginLanguage
from tests.fakes.regions import added, changed, edited

CHANGE = DocumentChanged("c", "http://u.test/", "w", 1, 0, "text/html", "en", (), 1)


def of(*texts: str, title: str = "") -> DocumentChanged:
    return replace(CHANGE, regions=tuple(map(added, texts)), title=title)


def shown(change: DocumentChanged, text: str, language: str = "en") -> Excerpt | None:
    return excerpt(change, searched_phrases(text), language)


def test_the_terms_are_those_of_both_sides_and_of_the_title() -> None:
    both = replace(CHANGE, regions=(changed("Old giants.", "New Zeus's."),), title="Fires")
    assert change_terms(both, "en") == "fire giant new old zeus"
    begins = PluginLanguage("en", "two letters", lambda word: word[:2])  # no version of a plug-in
    assert change_terms(both, begins) == "fi gi ne ol ze"


def test_more_words_than_are_looked_at_are_not_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(terms_module, "MAX_WORDS", 2)
    assert change_terms(of("a b c"), "en") == "a b"


def test_a_very_long_word_has_a_short_term() -> None:
    assert len(change_terms(of("x" * 10_000), "en")) == 64
    assert term_choices(searched_phrases("x" * 200), ["en"]) == (("x" * 64,),)


@pytest.mark.parametrize("text", ["", "?!", '"', '""', "*", "\0", "\udcff", "( ) :"])
def test_no_words_are_no_search(text: str) -> None:
    assert searched_phrases(text) == ()


def test_a_sign_without_a_letter_is_no_term() -> None:
    assert change_terms(of("a \u0640"), "en") == "a"
    assert term_choices(searched_phrases("a \u0640"), ["en"]) == (("a",),)
    assert term_choices(searched_phrases("\u0640"), ["en"]) == ()


def test_the_sentence_with_most_phrases_is_shown_with_its_words_marked() -> None:
    change = of("Giants sleep.", "The giant woke Zeus.", "Zeus wakes")
    assert shown(change, "giants zeus") == Excerpt("The giant woke Zeus.", ((4, 9), (15, 19)))
    assert shown(change, '"giant sleeps" wakes') == Excerpt("Giants sleep.", ((0, 6), (7, 12)))
    assert shown(change, '"zeus giants"') is None
    assert shown(change, "hera") is None


def test_a_word_on_one_side_or_in_the_title_is_enough() -> None:
    both = replace(CHANGE, regions=(edited("old one", "new one", ((0, 3),), ((0, 3),)),))
    assert shown(both, "one") == Excerpt("new one", ((4, 7),))
    assert shown(both, "old") == Excerpt("old one", ((0, 3),))
    assert shown(replace(both, title="Zeus"), "old zeus") == Excerpt("old one", ((0, 3),))


@pytest.mark.parametrize("before", ["", "x " * 300, "x" * 700 + " "])
def test_a_long_sentence_is_cut_around_the_first_word(before: str) -> None:
    found = shown(of(f"{before}giant" + " y giant" * 200), "giant")
    assert found is not None
    assert len(found.text) <= MAX_EXCERPT
    assert all("giant".startswith(found.text[start:end]) for start, end in found.marks)
    assert found.text[found.marks[0][0] :].startswith("giant")
    assert (found.text[0], found.text[-1]) == ("…" if before else "g", "…")
