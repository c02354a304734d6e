"""The different words of a change as they are written, found by any of their normal forms."""

from array import array
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import count, islice, product

import numpy as np
from numpy.typing import NDArray

from streams.text.word_forms import WordForm, is_stopword, normal_forms, other_forms
from streams.text.word_parts import has_part, is_part
from streams.values.steps import Steps, completed

PREFIXES = dict(zip(product((False, True), repeat=2), "abcd", strict=True))
"""The prefix of a word when it is hashed, by whether it is stemmed and its case ignored."""

STEP = 2_000
"""Words whose normal forms are computed in one step."""

Hashes = NDArray[np.int64]


class Spellings:
    """Numbers words, and finds the numbers of those with a normal form, or another one.

    Normal forms are kept as 64-bit hashes, sorted: 16 bytes for each word, where a
    dictionary of texts would take ten times as much. Two words with one hash are taken for
    the same word.

        spellings.numbers["Gods"], spellings.numbers["god"]          # 0, 1
        spellings.having("god", WordForm("en", stemming=True, ignore_case=True))  # [1, 0]
    """

    def __init__(self) -> None:
        """Start empty; look each word up in ``numbers`` first, which numbers it."""
        self.numbers = defaultdict[str, int](count().__next__)
        self._words: list[str] = []
        self._forms: dict[WordForm, tuple[Sequence[int], NDArray[np.int64]]] = {}
        self._hashes: dict[WordForm, Hashes] = {}
        self._plain: dict[WordForm, list[str]] = {}
        self._others: dict[WordForm, tuple[NDArray[np.int64], Hashes]] = {}

    def spelling(self, number: int) -> str:
        """Return a word as it is written."""
        if len(self._words) != len(self.numbers):
            self._words = list(self.numbers)
        return self._words[number]

    def having(self, normal: str, form: WordForm) -> list[int]:
        """Return the numbers of the words that are found by a normal form, or have a part."""
        if is_part(normal):
            has = has_part(normal)
            return [number for number, word in enumerate(self._unstemmed(form)) if has(word)]
        if form not in self._forms:
            completed(self.prepare(form))
        keys, numbers = self._forms[form]
        wanted = hash(_prefix(form) + normal)
        low = high = bisect_left(keys, wanted)
        while high < len(keys) and keys[high] == wanted:
            high += 1
        found: list[int] = numbers[low:high].tolist()
        return found

    def _unstemmed(self, form: WordForm) -> list[str]:
        """Return each word without stemming, in the order of their numbers."""
        known = self._plain.get(form.unstemmed, [])
        if len(known) != len(self.numbers):
            known = self._plain[form.unstemmed] = normal_forms([*self.numbers], form.unstemmed)
        return known

    def hashes(self, form: WordForm) -> Hashes:
        """Return the hashes of the prefixed normal forms of all words, by their numbers."""
        if form not in self._hashes:
            completed(self.prepare(form))
        return self._hashes[form]

    def others(self, form: WordForm) -> tuple[NDArray[np.int64], Hashes]:
        """Return the numbers of words, and the hashes of their other forms; ``prepare`` first."""
        return self._others[form]

    def prepare(self, form: WordForm) -> Steps[None]:
        """Compute all forms of one kind."""
        if form in self._forms:
            return
        prefix, parts = _prefix(form), []
        numbers, others = array("q"), list[str]()
        for words in self._in_steps():
            normals = normal_forms(words, form)
            parts.append(_hashes([prefix + normal for normal in normals]))
            for word, found in other_forms(words, form).items():
                numbers.extend([self.numbers[word]] * len(found))
                others += [prefix + other for other in found]
            yield
        hashes = np.concatenate(parts) if parts else np.empty(0, np.int64)
        self._hashes[form] = hashes
        self._others[form] = np.array(numbers, np.int64), _hashes(others)
        every = np.concatenate((hashes, self._others[form][1]))
        order = every.argsort()
        of_every = np.concatenate((np.arange(len(hashes)), self._others[form][0]))
        # An array of Python's, in which ``bisect`` is much quicker than in one of numpy's.
        self._forms[form] = array("q", every[order].tobytes()), of_every[order]

    def stopwords(self, language: str) -> Steps[NDArray[np.bool_]]:
        """Return for each word whether it is a stop word of a language."""
        parts = [np.empty(0, np.bool_)]
        for words in self._in_steps():
            parts.append(np.array([is_stopword(word, language) for word in words], np.bool_))
            yield
        return np.concatenate(parts)

    def _in_steps(self) -> Iterator[list[str]]:
        words = iter(self.numbers)
        while part := list(islice(words, STEP)):
            yield part


def _prefix(form: WordForm) -> str:
    return PREFIXES[form.stemming, form.ignore_case]


def _hashes(words: Sequence[str]) -> Hashes:
    return np.fromiter(map(hash, words), np.int64, len(words))
