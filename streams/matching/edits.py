"""Edited sentences that are no news to a subscription: other forms of its words, or noise."""

import re
from collections.abc import Callable, Sequence
from functools import cached_property
from itertools import chain, islice
from unicodedata import category

from streams.matching.change_words import ChangeWords
from streams.matching.marks import Bounds, WordPlaces
from streams.matching.sentence_numbers import changed_numbers, overlaps
from streams.matching.sentence_set import SentenceSet
from streams.matching.sentences import EDITED, REMOVED, ChangedSentence
from streams.matching.snippets import excerpt
from streams.matching.stretches import SENTENCE
from streams.text.keywords import KeywordQuery
from streams.text.times import TIMES
from streams.text.tokens import WORD
from streams.text.word_forms import WordForm
from streams.values.steps import Steps

NUMBERS_OR_FORM = {"numbers", "form"}
STEP = 100
"""Edited sentences that are compared in one step."""

NEAR = 3
"""Words within which a number belongs to a keyword, or to the name of an amount."""
NEAR_TIME = 6
"""Words within which a date or a time of day belongs to a keyword."""
_WINDOW = 32
"""Characters in which the words next to a number are looked for."""

_UNIT_AFTER = re.compile(r"\s?(?:%|\u2030|percent\b|per cent\b|Prozent\b|EUR\b|USD\b|GBP\b|CHF\b)")
_UNIT_BEFORE = re.compile(r"(?:EUR|USD|GBP|CHF)\s?$")
_AMOUNTS = re.compile(
    r"\b(?:prices?|costs?|fees?|preise?|kosten|prix|coûts?|precios?|coste|euros?|eur|dollars?|usd|"
    r"pounds?|gbp|francs?|franken|chf|yen|jpy|yuan|cny|percent|prozent|versions?|versión|release)\b"
    "|价格|價格|価格|料金|版本|バージョン|元|円",
    re.IGNORECASE,
)
"""Finds the names of prices, shares and versions."""


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
        keyword = chain.from_iterable(places.of(query))
        only_numbers = each.edit.noise in NUMBERS_OR_FORM
        return matters(text, changed, list(keyword), only_numbers=only_numbers)


def matters(
    text: str, changed: Sequence[Bounds], keyword: Sequence[Bounds], *, only_numbers: bool
) -> bool:
    """Whether a number that changed in a text is an amount, or belongs to a keyword in it.

    An amount is a price, a share or a version. A number belongs to a keyword next to it, and so
    does a date or a time of day; ``3 hours ago`` belongs to nothing. A number that is none of
    these matters only if nothing but numbers and form changed: it may be a part of an id.
    """
    return any(
        _number_matters(text, number, keyword, only_numbers)
        for number in changed_numbers(text, changed)
    )


def _number_matters(
    text: str, number: Bounds, keyword: Sequence[Bounds], only_numbers: bool
) -> bool:
    distance = min((_words_between(text, number, each) for each in keyword), default=NEAR_TIME)
    is_amount = only_numbers and _is_amount(text, number)
    # Times are looked for last, as that takes the longest.
    if distance >= NEAR_TIME and not is_amount:
        return False
    low, high = max(0, number[0] - _WINDOW), number[1] + _WINDOW
    times = TIMES.finditer(text, low, high)
    time = next((each for each in times if overlaps(each.span(), (number,))), None)
    if time is None:
        return is_amount or (only_numbers and distance < NEAR)
    return time["absolute"] is not None and distance < NEAR_TIME


def _is_amount(text: str, number: Bounds) -> bool:
    start, end = number
    before, after = text[max(0, start - 6) : start], text[end : end + 12]
    beside = f"{before.rstrip()[-1:]}{after.lstrip()[:1]}"
    is_currency = any(category(each) == "Sc" for each in beside)
    has_unit = bool(_UNIT_AFTER.match(after) or _UNIT_BEFORE.search(before))
    if is_currency or has_unit:
        return True
    names = _AMOUNTS.finditer(text, max(0, start - _WINDOW), end + _WINDOW)
    return any(_words_between(text, number, each.span()) < NEAR for each in names)


def _words_between(text: str, one: Bounds, other: Bounds) -> int:
    """Count the words between two parts of a text, up to NEAR_TIME."""
    low, high = min(one[1], other[1]), max(one[0], other[0])
    return sum(1 for _ in islice(WORD.finditer(text, low, high), NEAR_TIME)) if low < high else 0
