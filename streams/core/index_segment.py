"""Thousands of an index's subscriptions and their postings, packed: small, quick to search."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from schemas.facts import Subscription
from streams.core.index_recent import Recent
from streams.core.index_terms import UNDETERMINED, formed, is_stemmed

Ints = NDArray[np.int32]
Hashes = NDArray[np.uint32]
NONE = -1
"""The number of no word."""
_LANGUAGES = 4


@dataclass(frozen=True, slots=True)
class Postings:
    """Which place stands under which word and which other one, all by number."""

    words: Sequence[str]
    owners: Ints
    others: Ints
    places: Ints

    @classmethod
    def of(cls, recent: Recent) -> "Postings":
        """Number the words of what came of late."""
        words = list(dict.fromkeys(chain(recent.words, filter(None, recent.others))))
        numbers: dict[str | None, int] = {word: number for number, word in enumerate(words)}
        numbers[None] = NONE
        owners, others = (
            np.fromiter(map(numbers.__getitem__, each), np.int32, len(each))
            for each in (recent.words, recent.others)
        )
        return cls(words, owners, others, np.array(recent.places, np.int32))

    def and_then(self, later: "Postings", places: int) -> "Postings":
        """Add postings whose places begin behind the ``places`` of these."""
        numbers = {word: number for number, word in enumerate(self.words)}
        known = np.full(len(later.words) + 1, NONE, np.int32)
        known[:-1] = [numbers.setdefault(word, len(numbers)) for word in later.words]
        return Postings(
            list(numbers),
            np.append(self.owners, known[later.owners]),
            np.append(self.others, known[later.others]),
            np.append(self.places, later.places + np.int32(places)),
        )

    def only(self, kept: NDArray[np.bool_]) -> "Postings":
        """Leave out the places that are not kept, and number the others anew."""
        there = kept[self.places]
        owners, others = self.owners[there], self.others[there]
        used = np.unique(np.concatenate([owners, others[others != NONE]]))
        numbers = np.full(len(self.words) + 1, NONE, np.int32)
        numbers[used] = np.arange(len(used))
        words = [self.words[number] for number in used.tolist()]
        places = (np.cumsum(kept) - 1).astype(np.int32)[self.places[there]]
        return Postings(words, numbers[owners], numbers[others], places)


class Segment:
    """Subscriptions and their postings as compressed sparse rows, words in order of their hashes.

    Two words of one hash count as the same: that costs a needless look, no match.
    """

    def __init__(self, subscriptions: Sequence[Subscription], postings: Postings) -> None:
        """The places are those in ``subscriptions``."""
        self.subscriptions = list(subscriptions)
        hashes = hashed(postings.words)
        order = np.argsort(hashes, kind="stable")
        numbers = np.empty(len(order) + 1, np.int32)
        numbers[order] = np.arange(len(order))
        numbers[NONE] = NONE
        self._text = "\n".join([postings.words[number] for number in order.tolist()]).encode()
        self._hashes = hashes[order]
        self._stemmed: dict[str, tuple[Hashes, Ints]] = {}
        owners = numbers[postings.owners]
        by_word = np.argsort(owners, kind="stable")
        counts = np.bincount(owners, minlength=len(order))
        self._starts = np.append(0, np.cumsum(counts)).astype(np.int32)
        self._others = numbers[postings.others[by_word]]
        self._places = postings.places[by_word].astype(np.uint16)

    def __len__(self) -> int:
        return len(self.subscriptions)

    def find(self, wanted: Hashes, language: str) -> Iterable[Subscription]:
        """Give the subscriptions under words whose forms in a language have these sorted hashes."""
        words = self._words(wanted, language)
        there = np.zeros(len(self._hashes) + 1, bool)
        there[words] = there[NONE] = True
        found = spread(self._starts[words], self._starts[words + 1])
        places = self._places[found[there[self._others[found]]]]
        return [self.subscriptions[place] for place in places.tolist()]

    def postings(self) -> Postings:
        """Unpack the postings."""
        words = self._vocabulary()
        owners = np.repeat(np.arange(len(words), dtype=np.int32), np.diff(self._starts))
        return Postings(words, owners, self._others, self._places.astype(np.int32))

    def _vocabulary(self) -> list[str]:
        return self._text.decode().split("\n") if self._text else []

    def _words(self, wanted: Hashes, language: str) -> NDArray[np.integer]:
        """Give the numbers of the words whose forms have one of these hashes."""
        as_they_are = _ranges(self._hashes, wanted)
        if language == UNDETERMINED:
            return as_they_are
        hashes, numbers = self._stems(language)
        return np.append(as_they_are, numbers[_ranges(hashes, wanted)])

    def _stems(self, language: str) -> tuple[Hashes, Ints]:
        """Give the sorted hashes of the stems that there are, kept for the latest languages."""
        if language not in self._stemmed:
            if len(self._stemmed) >= _LANGUAGES:
                del self._stemmed[next(iter(self._stemmed))]
            words = self._vocabulary()
            numbers = np.flatnonzero(np.fromiter(map(is_stemmed, words), bool, len(words)))
            hashes = hashed(formed([words[number] for number in numbers.tolist()], language))
            order = np.argsort(hashes, kind="stable")
            self._stemmed[language] = hashes[order], numbers[order].astype(np.int32)
        return self._stemmed[language]


def hashed(words: Collection[str]) -> Hashes:
    """Give the hashes of words; they hold within this process."""
    return np.fromiter(map(hash, words), np.int64, len(words)).astype(np.uint32)


def spread(low: NDArray[np.integer], high: NDArray[np.integer]) -> NDArray[np.int64]:
    """Give all places from each ``low`` up to before its ``high``, one behind the other."""
    counts = high - low
    ends = np.cumsum(counts)
    return np.repeat(low - (ends - counts), counts) + np.arange(counts.sum())


def _ranges(hashes: Hashes, wanted: Hashes) -> NDArray[np.int64]:
    low = np.searchsorted(hashes, wanted, "left")
    return spread(low, np.searchsorted(hashes, wanted, "right"))
