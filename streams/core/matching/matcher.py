"""Which passages of a change concern a subscription."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from functools import reduce
from itertools import chain
from operator import or_

from schemas.body import fitting
from schemas.facts import Diff, Hunk, Subscription
from streams.core.matching.change_words import ADDED, REMOVED, ChangeWords
from streams.core.matching.snippets import excerpt, snippet
from streams.core.text.passage_words import PassageWords
from streams.core.text.queries import KeywordQuery, query
from streams.core.text.word_forms import WordForm

Options = tuple[bool, bool, bool]

MAX_DIFFS = 1_000
"""Diffs of a change that are kept for other subscriptions with the same keyword."""


class Matcher:
    """One change, in which each keyword is looked for once for all subscriptions alike."""

    def __init__(self, hunks: Sequence[Hunk], language: str) -> None:
        """``language`` is the document's: ISO 639-1 or ``und``."""
        self.words = ChangeWords(hunks, language)
        self._language = language
        self._all = (1 << len(self.words.sides)) - 1
        sides = enumerate(self.words.sides)
        self._pairs = sum(1 << number for number, side in sides if side.replaced)
        self._by_event = {event: self._of(event) for event in (ADDED, REMOVED)}
        self._views: dict[tuple[int, WordForm, bool], PassageWords] = {}
        self._known: defaultdict[Options, dict[str, tuple[KeywordQuery, int]]] = defaultdict(dict)
        self._diffs: dict[tuple[int, str, WordForm, bool, int], Diff] = {}

    def concerns(self, subscription: Subscription) -> bool:
        """Tell whether there is something that a subscription is told."""
        seen = self._seen(subscription)
        return any(passages & seen for _, passages in self._keywords(subscription))

    def diffs(self, subscription: Subscription) -> tuple[tuple[Diff, ...], bool]:
        """Give what a subscription is told, and whether diffs were left out.

        In document order, removed before added, keywords in the order given. Diffs
        are left out from where the body would become larger than MAX_BODY.
        """
        return fitting(subscription.document_url, self._found(subscription))

    def _found(self, told: Subscription) -> Iterator[Diff]:
        form, seen, keywords = self._form(told), self._seen(told), self._keywords(told)
        for number in _bits(seen & reduce(or_, (passages for _, passages in keywords), 0)):
            for wanted, passages in keywords:
                if passages >> number & 1:
                    yield self._diff(number, wanted, form, told.options.snippet_offset)

    def _form(self, told: Subscription) -> WordForm:
        return WordForm(self._language, told.options.enable_stemming, told.options.ignore_case)

    def _seen(self, told: Subscription) -> int:
        """Give the passages that a subscription does not ignore."""
        return self._all & ~(
            (told.options.ignore_added and self._by_event[ADDED])
            | (told.options.ignore_removed and self._by_event[REMOVED])
        )

    def _of(self, event: str) -> int:
        sides = enumerate(self.words.sides)
        return sum(1 << number for number, side in sides if side.event == event)

    def _keywords(self, told: Subscription) -> list[tuple[KeywordQuery, int]]:
        """Give each keyword, compiled, and the passages that would be told of."""
        options = (
            told.options.enable_stemming,
            told.options.ignore_case,
            told.options.filter_stopwords,
        )
        known = self._known[options]
        for keyword in told.keywords:
            if keyword not in known:
                form = self._form(told)
                wanted = query(keyword, form, told.options.filter_stopwords)
                known[keyword] = wanted, self._reported(wanted, form)
        return [known[keyword] for keyword in told.keywords]

    def _reported(self, wanted: KeywordQuery, form: WordForm) -> int:
        """A keyword on both sides of a hunk has neither come nor gone."""
        if wanted.anything:
            return self._all
        having = self._having(wanted, form)
        return having & ~(having >> 1 & self._pairs) & ~((having & self._pairs) << 1)

    def _having(self, wanted: KeywordQuery, form: WordForm) -> int:
        """Give the passages that have every phrase of a query, of which there must be one."""
        if not wanted.phrases:
            return 0
        places, having = self.words.places(form, wanted.filtered), self._all
        for word in chain.from_iterable(wanted.phrases):
            having &= places.get(word, 0)
        if max(map(len, wanted.phrases)) == 1:
            return having
        matching = (n for n in _bits(having) if self._view(n, form, wanted.filtered).match(wanted))
        return sum(1 << number for number in matching)

    def _diff(self, number: int, wanted: KeywordQuery, form: WordForm, offset: int) -> Diff:
        key = number, wanted.keyword, form, wanted.filtered, offset
        known = self._diffs.get(key)
        if known is None:
            known = self._new_diff(number, wanted, form, offset)
            if len(self._diffs) < MAX_DIFFS:
                self._diffs[key] = known
        return known

    def _new_diff(self, number: int, wanted: KeywordQuery, form: WordForm, offset: int) -> Diff:
        side = self.words.sides[number]
        around = self._view(number, form, wanted.filtered).around(wanted)
        start, end = excerpt(side.passage.text, around)
        text = side.passage.text[start:end]
        return Diff(side.event, wanted.keyword, text, snippet(side.passage, start, end, offset))

    def _view(self, number: int, form: WordForm, filtered: bool) -> PassageWords:
        key = number, form, filtered
        if key not in self._views:
            self._views[key] = PassageWords(self.words.sides[number].passage.text, form, filtered)
        return self._views[key]


def _bits(number: int) -> Iterator[int]:
    """Give the places of the bits that are set, the lowest first."""
    while number:
        lowest = number & -number
        yield lowest.bit_length() - 1
        number ^= lowest
