"""Which edited sentences are no news to a subscription: other forms of its words, or noise."""

from collections.abc import Callable
from functools import cached_property
from itertools import chain

from streams.matching.change_words import ChangeWords
from streams.matching.marks import WordPlaces
from streams.matching.relevant_noise import matters
from streams.matching.sentence_set import SentenceSet
from streams.matching.sentences import EDITED, REMOVED, ChangedSentence
from streams.matching.snippets import excerpt
from streams.matching.stretches import SENTENCE
from streams.text.keywords import KeywordQuery
from streams.text.tokens import WORD
from streams.text.word_forms import WordForm
from streams.values.steps import Steps

NUMBERS_OR_FORM = {"numbers", "form"}
STEP = 100
"""Edited sentences that are compared in one step."""


class EditedSentences:
    """The sentences of a change that were edited, and what differs in them."""

    def __init__(self, words: ChangeWords) -> None:
        """Find them among the sentences of a change."""
        self._words = words
        self.all = SentenceSet.of_those(words.sentences, lambda each: each.change == EDITED)
        """Both sides of each."""
        self._compared: dict[WordForm, tuple[SentenceSet, SentenceSet]] = {}

    @cached_property
    def unchanged(self) -> SentenceSet:
        """Those that have lost or got no word: all that differs is on the other side."""
        return self._where(lambda each: not each.sentence.changed)

    @cached_property
    def _noisy(self) -> SentenceSet:
        return self._where(lambda each: bool(each.edit.noise))

    @cached_property
    def _first(self) -> SentenceSet:
        return self._where(lambda each: each.event == REMOVED)

    def _where(self, is_in: Callable[[ChangedSentence], bool]) -> SentenceSet:
        if not self.all:  # as in most changes
            return self.all
        return SentenceSet.of_those(
            self._words.sentences, lambda each: each.change == EDITED and is_in(each)
        )

    def on_both_sides(self, found: SentenceSet) -> SentenceSet:
        """Return the sentences of which the other side is found, too."""
        first = found & self._first & found.preceding()
        return first | first.following()

    def same_in(self, form: WordForm, found: SentenceSet) -> Steps[SentenceSet]:
        """Return those found that are the same on both sides to who compares words in a form."""
        known, same = self._compared.get(form, (SentenceSet(), SentenceSet()))
        pending = self.on_both_sides(found & self.all) & self._first
        for count, number in enumerate(pending - known):
            if count % STEP == STEP - 1:
                yield
            if self._are_same(number, form):
                same |= SentenceSet.of((number, number + 1))
        self._compared[form] = known | pending, same
        return same & found

    def dropped_as_noise(
        self, query: KeywordQuery, found: SentenceSet, *, is_close: bool
    ) -> Steps[SentenceSet]:
        """Return those found that differ in nothing but noise.

        One stays in which an amount changed, or a number or a date next to the keyword; and if
        the keyword is looked for close by, one in which it came or went.
        """
        dropped = found & self._noisy
        if is_close and not query.matches_anything:
            dropped = self.on_both_sides(dropped)
        for count, number in enumerate(dropped):
            if count % STEP == STEP - 1:
                yield
            if self._matters(number, query):
                dropped -= SentenceSet.of((number, self._words.sentences.other_side(number)))
        return dropped

    def _are_same(self, number: int, form: WordForm) -> bool:
        search = self._words.search(SENTENCE)
        if not search.are_same(number, number + 1, form):
            return False
        one, other = (self._words.sentences[n].text for n in (number, number + 1))
        return WORD.sub(" ", one).split() == WORD.sub(" ", other).split()

    def _matters(self, number: int, query: KeywordQuery) -> bool:
        each = self._words.sentences[number]
        if not each.sentence.changed:
            return False
        first = each.sentence.changed[0]
        low, high = excerpt(each.place.text, (each.start, each.end), (first.start, first.end))
        text = each.place.text[low:high]
        changed = [(span.start - low, span.end - low) for span in each.sentence.changed]
        places = WordPlaces(text, (0, len(text)), query)
        keyword = chain.from_iterable(map(places.of, query.phrases))
        only_numbers = each.edit.noise in NUMBERS_OR_FORM
        return matters(text, changed, list(keyword), only_numbers=only_numbers)
