"""The words of one change, found once for all subscriptions that compare words alike."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import NamedTuple

from schemas.facts import Hunk, Passage
from streams.core.matching.passage_set import PassageSet
from streams.core.text.tokens import split_words
from streams.core.text.word_forms import WordForm, is_stopword, normal_forms

ADDED = "added"
REMOVED = "removed"


class ChangedPassage(NamedTuple):
    """A passage of a change; ``is_replaced`` says that the next one took its place."""

    event: str
    passage: Passage
    is_replaced: bool


class ChangeWords:
    """Which passages of a change have which words.

    Passages are numbered in document order, what was removed before what was added in
    its place.
    """

    def __init__(self, hunks: Sequence[Hunk], language: str) -> None:
        """``language`` is the document's: ISO 639-1 or ``und``."""
        self.language = language
        self.passages = tuple(_passages(hunks))
        self._all = (1 << len(self.passages)) - 1
        self._normal_forms: dict[WordForm, dict[str, str]] = {}
        self._by_word: dict[tuple[WordForm, bool], Mapping[str, int]] = {}

    def form(self, stemming: bool, ignore_case: bool) -> WordForm:
        """Return how words of this change's language are compared with these options."""
        return WordForm(self.language, stemming, ignore_case)

    def passages_by_word(self, form: WordForm, *, filtered: bool) -> Mapping[str, int]:
        """Return the passages of each word, by its normal form; ``filtered``: no stop words.

        The passages are the bits of a number, as in ``PassageSet``: the index computes
        with them in arrays.
        """
        key = form, filtered
        if key not in self._by_word:
            # Lists of stop words have them as they are written, not stemmed.
            written = self._without_stopwords if filtered else self._by_spelling
            forms = self._forms(written, form)
            self._by_word[key] = _united(zip(forms, written.values(), strict=True))
        return self._by_word[key]

    def passages_with(self, words: Iterable[str], form: WordForm, *, filtered: bool) -> PassageSet:
        """Return the passages that have all of these words, in their normal form."""
        by_word, bits = self.passages_by_word(form, filtered=filtered), self._all
        for word in words:
            bits &= by_word.get(word, 0)
        return PassageSet(bits)

    def _forms(self, words: Iterable[str], form: WordForm) -> Iterable[str]:
        # Shared by words with and without stop words, as stemming costs most of all.
        known = self._normal_forms.setdefault(form, {})
        new = [word for word in words if word not in known]
        known.update(zip(new, normal_forms(new, form), strict=True))
        return map(known.__getitem__, words)

    @cached_property
    def _without_stopwords(self) -> dict[str, int]:
        every = self._by_spelling.items()
        return {word: bits for word, bits in every if not is_stopword(word, self.language)}

    @cached_property
    def _by_spelling(self) -> dict[str, int]:
        """The passages of each word as it is written."""
        numbered = enumerate(self.passages)
        return _united(
            (word, 1 << n) for n, each in numbered for word in split_words(each.passage.text)
        )


def _united(found: Iterable[tuple[str, int]]) -> dict[str, int]:
    """Unite the passages of each word."""
    united: dict[str, int] = {}
    for word, passages in found:
        united[word] = united.get(word, 0) | passages
    return united


def _passages(hunks: Sequence[Hunk]) -> Iterator[ChangedPassage]:
    for hunk in hunks:
        if hunk.removed is not None:
            yield ChangedPassage(REMOVED, hunk.removed, is_replaced=hunk.added is not None)
        if hunk.added is not None:
            yield ChangedPassage(ADDED, hunk.added, is_replaced=False)
