"""The words of one change, found once for all subscriptions."""

from array import array
from collections.abc import Iterable, Iterator, Sequence
from itertools import repeat
from operator import add
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from schemas.changes import Hunk, Passage
from streams.core.matching.closest import Positions, Span, near_rarest, smallest_span
from streams.core.matching.passage_set import PassageSet
from streams.core.matching.spellings import Hashes, Spellings
from streams.core.matching.word_table import WordSets, WordTable
from streams.core.steps import Steps, completed
from streams.core.text.keywords import Phrase
from streams.core.text.queries import KeywordQuery
from streams.core.text.tokens import located_words
from streams.core.text.word_forms import WordForm

ADDED = "added"
REMOVED = "removed"

MAX_WORDS = 250_000
"""Words that are looked at of what was removed, and as many of what was added: 3 MB of English."""
MAX_KNOWN = 10_000
"""Words whose passages are kept for other keywords."""


class ChangedPassage(NamedTuple):
    """A passage of a change; ``is_replaced`` says that the next one took its place."""

    event: str
    passage: Passage
    is_replaced: bool


class ChangeWords:
    """Which passages of a change have which words, in which order.

    Passages are numbered in document order, what was removed before what was added in
    its place. Words are looked at when they are first asked for, or before that, in steps,
    by ``prepare``; beyond MAX_WORDS they are not, and ``truncated`` is true.
    """

    def __init__(self, hunks: Sequence[Hunk], language: str) -> None:
        """``language`` is the document's: ISO 639-1 or ``und``."""
        self.language = language
        self.passages = tuple(_passages(hunks))
        self._truncated = False
        self._spellings = Spellings()
        self._tables: dict[bool, WordTable] = {}
        self._known: dict[tuple[str, WordForm, bool], PassageSet] = {}

    @property
    def truncated(self) -> bool:
        """Whether there are words that are not looked at."""
        self._table(filtered=False)
        return self._truncated

    def form(self, stemming: bool, ignore_case: bool) -> WordForm:
        """Return how words of this change's language are compared with these options."""
        return WordForm(self.language, stemming, ignore_case)

    def prepare(self, forms: Iterable[WordForm]) -> Steps[None]:
        """Look at all words, and compute these normal forms of them."""
        if False not in self._tables:
            self._tables[False] = yield from self._read()
        for form in forms:
            yield from self._spellings.prepare(form)
            yield

    def prepare_filtered(self) -> Steps[None]:
        """Find the stop words; call ``prepare`` first."""
        if True not in self._tables:
            stopwords = yield from self._spellings.stopwords(self.language)
            self._tables[True] = self._table(filtered=False).without(stopwords)

    def hashes(self, form: WordForm, bits: int) -> tuple[Hashes, NDArray[np.uint64]]:
        """Return the hash of each different word in a form, and which passages have it.

        The passages are the bits of a number: passage n is bit n modulo ``bits``.
        """
        table = self._table(filtered=False)
        if not len(table.order):
            return np.empty(0, np.int64), np.empty(0, np.uint64)
        shifts = (table.passages[table.order] % bits).astype(np.uint64)
        first = np.concatenate(([0], table.ends[:-1]))
        passages = np.bitwise_or.reduceat(np.uint64(1) << shifts, first)
        return self._spellings.hashes(form), passages

    def passages_with(self, word: str, form: WordForm, *, filtered: bool) -> PassageSet:
        """Return the passages that have a word, in its normal form; ``filtered``: no stop words."""
        key = word, form, filtered
        known = self._known.get(key)
        if known is None:
            table = self._table(filtered=filtered)
            positions = table.positions(self._spellings.having(word, form))
            known = self._set(table.passages[positions])
            if len(self._known) < MAX_KNOWN:
                self._known[key] = known
        return known

    def passages_with_phrase(
        self, phrase: Phrase, form: WordForm, *, filtered: bool
    ) -> tuple[PassageSet, bool]:
        """Return the passages that have a phrase, and whether there may be more of them."""
        table = self._table(filtered=filtered)
        found, has_more = table.occurrences(self._sets(phrase, form))
        return self._set(table.passages[found]), has_more

    def span(self, number: int, query: KeywordQuery) -> Span:
        """Return the smallest span of a passage's characters with every phrase of a keyword."""
        table = self._table(filtered=query.filtered)
        bounds = table.bounds(number)
        phrases = list(dict.fromkeys(query.phrases))
        found = [table.occurrences(self._sets(each, query.form), bounds)[0] for each in phrases]
        lengths = map(len, phrases)
        return smallest_span(
            [
                self._spans(table, begins, length)
                for begins, length in zip(near_rarest(found), lengths, strict=True)
            ]
        )

    def _spans(self, table: WordTable, begins: Positions, length: int) -> list[Span]:
        """Return the characters of phrases of so many words."""
        last = begins + (length - 1)
        lengths = [len(self._spellings.spelling(n)) for n in table.numbers[last].tolist()]
        ends = map(add, table.starts[last].tolist(), lengths)
        return list(zip(table.starts[begins].tolist(), ends, strict=True))

    def _sets(self, phrase: Phrase, form: WordForm) -> WordSets:
        return [self._spellings.having(word, form) for word in phrase]

    def _set(self, numbers: NDArray[np.uint32]) -> PassageSet:
        is_in = np.zeros(len(self.passages), np.bool_)
        is_in[numbers] = True
        return PassageSet(int.from_bytes(np.packbits(is_in, bitorder="little").tobytes(), "little"))

    def _table(self, *, filtered: bool) -> WordTable:
        if filtered not in self._tables:
            completed(self.prepare(()))
            if filtered:
                completed(self.prepare_filtered())
        return self._tables[filtered]

    def _read(self) -> Steps[WordTable]:
        columns = array("I"), array("I"), array("I")
        left = dict.fromkeys((ADDED, REMOVED), MAX_WORDS)
        for number, (event, passage, _) in enumerate(self.passages):
            for found in located_words(passage.text):
                taken = found[: left[event]]
                left[event] -= len(taken)
                columns[0].extend([self._spellings.numbers[word] for word, _ in taken])
                columns[1].extend(repeat(number, len(taken)))
                columns[2].extend([start for _, start in taken])
                yield
                if len(taken) < len(found):
                    self._truncated = True
                    break
        return WordTable.of(*columns)


def _passages(hunks: Sequence[Hunk]) -> Iterator[ChangedPassage]:
    for hunk in hunks:
        if hunk.removed is not None:
            yield ChangedPassage(REMOVED, hunk.removed, is_replaced=hunk.added is not None)
        if hunk.added is not None:
            yield ChangedPassage(ADDED, hunk.added, is_replaced=False)
