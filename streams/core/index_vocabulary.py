"""The words of an index by number, packed, and their forms in each language seen."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from streams.core.index_terms import UNDETERMINED
from streams.core.stemming import stem

Ints = NDArray[np.int32]
Longs = NDArray[np.int64]
_LANGUAGES = 4


@dataclass(frozen=True, slots=True)
class Forms:
    """The forms of words in one language: their sorted hashes, each with the word's number.

    Two forms of one hash count as the same: that costs a needless check, no match.
    """

    hashes: Longs
    numbers: Ints

    @classmethod
    def of(cls, hashes: Longs) -> "Forms":
        """Sort the hashes of the words from 0 on."""
        order = np.argsort(hashes, kind="stable")
        return cls(hashes[order], order.astype(np.int32))

    def find(self, forms: Collection[str]) -> Ints:
        """Give the numbers of the words that have one of these forms."""
        wanted = hashed(forms)
        low = np.searchsorted(self.hashes, wanted, "left")
        high = np.searchsorted(self.hashes, wanted, "right")
        return self.numbers[spread(low, high)]

    def in_order(self) -> Longs:
        """Give the hashes in the order of the words."""
        hashes = np.empty_like(self.hashes)
        hashes[self.numbers] = self.hashes
        return hashes


class Vocabulary:
    """Words by number, as UTF-8 in one run."""

    def __init__(self, words: Sequence[str] = ()) -> None:
        """Number the words from 0."""
        self._text = b""
        self._ends = np.zeros(1, np.int64)
        self._forms: dict[str, Forms] = {}
        self.extend(words)

    def __len__(self) -> int:
        return len(self._ends) - 1

    def __iter__(self) -> Iterator[str]:
        for low, high in pairwise(self._ends.tolist()):
            yield self._text[low:high].decode()

    def __getitem__(self, number: int) -> str:
        return self._text[self._ends[number] : self._ends[number + 1]].decode()

    def extend(self, words: Sequence[str]) -> None:
        """Number more words, from the last number on."""
        new = [word.encode() for word in words]
        self._text = b"".join([self._text, *new])
        self._ends = np.append(self._ends, self._ends[-1] + np.cumsum([*map(len, new)], dtype=int))
        for language, forms in self._forms.items():
            more = hashed([stem(word, language) for word in words])
            self._forms[language] = Forms.of(np.append(forms.in_order(), more))

    def forms(self, language: str) -> Forms:
        """Give the forms of the words in a language, made when first asked for.

        The latest few languages are kept, besides the words as they are.
        """
        if language not in self._forms:
            stemmed = [known for known in self._forms if known != UNDETERMINED]
            if len(stemmed) >= _LANGUAGES:
                del self._forms[stemmed[0]]
            self._forms[language] = Forms.of(hashed([stem(word, language) for word in self]))
        return self._forms[language]

    def numbers(self, words: Sequence[str]) -> dict[str, int]:
        """Give the numbers of those of the words that are here."""
        if not len(self):
            return {}
        forms = self.forms(UNDETERMINED)
        places = np.searchsorted(forms.hashes, hashed(words)).clip(max=len(self) - 1)
        found = zip(words, forms.numbers[places].tolist(), strict=True)
        return {word: number for word, number in found if self[number] == word}

    def only(self, numbers: Ints) -> "Vocabulary":
        """Give a vocabulary of these words, in this order."""
        kept = Vocabulary([self[number] for number in numbers.tolist()])
        kept._forms = {
            language: Forms.of(forms.in_order()[numbers]) for language, forms in self._forms.items()
        }
        return kept


def hashed(words: Collection[str]) -> Longs:
    """Give the hashes of words; they hold within this process."""
    return np.fromiter(map(hash, words), np.int64, len(words))


def spread(low: NDArray[np.integer], high: NDArray[np.integer]) -> Longs:
    """Give all places from each ``low`` up to before its ``high``, one behind the other."""
    counts = high - low
    ends = np.cumsum(counts)
    return np.repeat(low - (ends - counts), counts) + np.arange(counts.sum())
