"""Finds words in the stretches of one change, once for all subscriptions."""

from array import array
from bisect import bisect
from collections.abc import Iterable, Sequence
from itertools import repeat
from operator import add
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from streams.matching.marks import Bounds, Positions, near_rarest, smallest_span
from streams.matching.sentence_numbers import overlaps
from streams.matching.sentence_set import SentenceSet
from streams.matching.sentences import ADDED, REMOVED
from streams.matching.spellings import Hashes, Spellings
from streams.matching.stretches import Stretch
from streams.matching.word_table import WordSets, WordTable
from streams.text.keywords import KeywordQuery, Phrase
from streams.text.signs import Signs, bounds_with_signs
from streams.text.tokens import located_words
from streams.text.word_forms import WordForm
from streams.values.steps import Steps, completed

if TYPE_CHECKING:
    from schemas.records.changes import Span

MAX_WORDS = 250_000
"""Words that are looked at of what was removed, and as many of what was added: 3 MB of English."""
MAX_KNOWN = 10_000
"""Words whose sentences are kept for other keywords."""
MAX_SIGNED = 20_000
"""Occurrences of a phrase that are looked at for its signs."""
STEP = 2_000
"""Characters that are read without a stop: a stop costs as much as ten words."""


class WordSearch:
    """The words of each unit of a change, in order.

    Units are sentences, their blocks or the two texts; what is found is always sentences.
    Words are looked at when they are first asked for, or before that, in steps, by
    ``prepare``; beyond MAX_WORDS they are not, and ``truncated`` is true.
    """

    def __init__(
        self,
        stretches: Iterable[Stretch],
        language: str,
        count: int,
        units: list[int] | None = None,
    ) -> None:
        """``units`` are those of ``count`` sentences; without them, each is its own unit."""
        self.language = language
        self._stretches = stretches
        self._count = count
        self._units = None if units is None else np.array(units, np.int64)
        self._truncated = False
        self._spellings = Spellings()
        self._tables: dict[bool, WordTable] = {}
        self._known: dict[tuple[str, WordForm, bool, bool], SentenceSet] = {}
        # For signs: the text of each stretch, by the position of its first word.
        self._begins = array("I")
        self._texts: list[tuple[str, Sequence[Span] | None]] = []

    @property
    def truncated(self) -> bool:
        """Whether there are words that are not looked at."""
        self._table(filtered=False)
        return self._truncated

    def __len__(self) -> int:
        """The number of words that have been looked at."""
        return len(self._tables[False].numbers) if False in self._tables else 0

    @property
    def words(self) -> Iterable[str]:
        """The different words, as they are written; call ``prepare`` first."""
        return self._spellings.numbers.keys()

    def prepare(self, forms: Iterable[WordForm]) -> Steps[None]:
        """Look at all words, and compute these normal forms of them."""
        if False not in self._tables:
            self._tables[False] = yield from self._read()
        for form in forms:
            yield from self._spellings.prepare(form)

    def prepare_filtered(self) -> Steps[None]:
        """Find the stop words; call ``prepare`` first."""
        if True not in self._tables:
            stopwords = yield from self._spellings.stopwords(self.language)
            self._tables[True] = self._table(filtered=False).without(stopwords)

    def hashes(self, form: WordForm, bits: int) -> tuple[Hashes, NDArray[np.uint64]]:
        """Return the hashes of each different word in a form, and which units have it.

        The units are the bits of a number: unit n is bit n modulo ``bits``.
        """
        table = self._table(filtered=False)
        if not len(table.order):
            return np.empty(0, np.int64), np.empty(0, np.uint64)
        shifts = (table.units[table.order] % bits).astype(np.uint64)
        first = np.concatenate(([0], table.ends[:-1]))
        units = np.bitwise_or.reduceat(np.uint64(1) << shifts, first)
        hashes = self._spellings.hashes(form)
        numbers, others = self._spellings.others(form)
        return np.concatenate((hashes, others)), np.concatenate((units, units[numbers]))

    def having_word(
        self, word: str, form: WordForm, *, filtered: bool, changed: bool
    ) -> SentenceSet:
        """Return the sentences that have a word, in its normal form.

        ``filtered``: no stop words; ``changed``: changed words alone.
        """
        key = word, form, filtered, changed
        known = self._known.get(key)
        if known is None:
            known = self._having_word(*key)
            if len(self._known) < MAX_KNOWN:
                self._known[key] = known
        return known

    def _having_word(self, word: str, form: WordForm, filtered: bool, changed: bool) -> SentenceSet:
        self._table(filtered=False)  # it numbers the words
        numbers = self._spellings.having(word, form)
        if not numbers:  # as most words, so stop words need not be known for them
            return SentenceSet()
        table = self._table(filtered=filtered)
        positions = table.positions(numbers)
        if changed:
            positions = positions[table.is_changed[positions]]
        return self._set(table.units[positions])

    def having_phrase(
        self, phrase: Phrase, signs: Signs, form: WordForm, *, filtered: bool, changed: bool
    ) -> tuple[SentenceSet, bool]:
        """Return the sentences that have a phrase, and whether there may be more of them."""
        table = self._table(filtered=filtered)
        found, has_more = table.occurrences(self._sets(phrase, form))
        if signs:
            has_more |= len(found) > MAX_SIGNED
            found = self._with_signs(found[:MAX_SIGNED], len(phrase), signs, changed=changed)
        elif changed:
            found = table.changed_throughout(found, len(phrase))
        return self._set(table.units[found]), has_more

    def span(self, number: int, query: KeywordQuery) -> Bounds:
        """Return the smallest span of a unit's characters with every phrase of a keyword.

        It is empty if the unit does not have them all.
        """
        table = self._table(filtered=query.filtered)
        bounds = table.bounds(number)
        phrases = list(dict.fromkeys(zip(query.phrases, query.signs, strict=True)))
        found = [
            self._with_signs(begins, len(phrase), signs) if signs else begins
            for phrase, signs in phrases
            for begins in (table.occurrences(self._sets(phrase, query.form), bounds)[0],)
        ]
        lengths = [len(phrase) for phrase, _ in phrases]
        return smallest_span(
            [
                self._spans(table, begins, length)
                for begins, length in zip(near_rarest(found), lengths, strict=True)
            ]
        )

    def are_same(self, one: int, other: int, form: WordForm) -> bool:
        """Whether the words of two units are equal in a form, in the same order."""
        table, hashes = self._table(filtered=False), self._spellings.hashes(form)
        (a, b), (c, d) = table.bounds(one), table.bounds(other)
        return b - a == d - c and bool(
            np.array_equal(hashes[table.numbers[a:b]], hashes[table.numbers[c:d]])
        )

    def _spans(self, table: WordTable, begins: Positions, length: int) -> list[Bounds]:
        """Return the characters of phrases of so many words."""
        last = begins + (length - 1)
        lengths = [len(self._spellings.spelling(n)) for n in table.numbers[last].tolist()]
        ends = map(add, table.starts[last].tolist(), lengths)
        return list(zip(table.starts[begins].tolist(), ends, strict=True))

    def _with_signs(
        self, begins: Positions, length: int, signs: Signs, *, changed: bool = False
    ) -> Positions:
        """Return those beginnings of a phrase of so many words that have its signs.

        ``changed``: only those in which words or signs changed.
        """
        table = self._table(filtered=False)
        spans = (self._spans(table, begins + at, 1) for at in range(length))
        kept = [
            self._has_signs(begin, words, signs, changed=changed)
            for begin, *words in zip(begins.tolist(), *spans, strict=True)
        ]
        return begins[np.array(kept, np.bool_)]

    def _has_signs(
        self, begin: int, words: Sequence[Bounds], signs: Signs, *, changed: bool
    ) -> bool:
        at = bisect(self._begins, begin)
        if at < len(self._begins) and self._begins[at] < begin + len(words):
            return False  # it would go on in another text
        text, spans = self._texts[at - 1]
        found = bounds_with_signs(text, words, signs)
        if found is None or not changed or spans is None:
            return found is not None
        return overlaps(found, [(span.start, span.end) for span in spans])

    def _sets(self, phrase: Phrase, form: WordForm) -> WordSets:
        return [self._spellings.having(word, form) for word in phrase]

    def _set(self, units: NDArray[np.uint32]) -> SentenceSet:
        """Return the sentences of units."""
        size = self._count
        if self._units is not None:  # a text may have the word, and no sentence that changed
            size = 1 + max(int(np.max(self._units, initial=0)), int(np.max(units, initial=0)))
        is_in = np.zeros(size, np.bool_)
        is_in[units] = True
        if self._units is not None:
            is_in = is_in[self._units]
        return SentenceSet.of_flags(is_in)

    def _table(self, *, filtered: bool) -> WordTable:
        if filtered not in self._tables:
            completed(self.prepare(()))
            if filtered:
                completed(self.prepare_filtered())
        return self._tables[filtered]

    def _read(self) -> Steps[WordTable]:
        numbers, units, starts, changed = array("I"), array("I"), array("I"), array("b")
        left = dict.fromkeys((ADDED, REMOVED), MAX_WORDS)
        number, read = self._spellings.numbers, 0
        for each in self._stretches:
            size = each.end - each.start
            if read and read + size > STEP:
                read = 0
                yield
            read += size
            self._begins.append(len(numbers))
            self._texts.append((each.text, each.changed))
            for found in located_words(each.text[each.start : each.end]):
                taken = found[: left[each.event]]
                left[each.event] -= len(taken)
                numbers.extend([number[word] for word, _ in taken])
                units.extend(repeat(each.unit, len(taken)))
                begins = [each.start + start for _, start in taken]
                starts.extend(begins)
                changed.frombytes(each.changed_words(begins))
                if size > STEP:
                    yield
                if len(taken) < len(found):
                    self._truncated = True
                    break
        return WordTable.of(numbers, units, starts, changed)
