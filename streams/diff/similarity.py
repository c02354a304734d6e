"""Similarity of sentences, by words, for one change: with a bound on all that is compared."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain

import numpy as np
from numpy.typing import NDArray
from rapidfuzz import process
from rapidfuzz.distance import Indel

from streams.diff.alignment import new_alphabet
from streams.text.tokens import split_words

# Words times words that are compared in one change: about 100 ms.
BUDGET = 200_000_000
# Words of all units of a change; units beyond them are like none.
_MAX_WORDS = 2_000_000
# Different words of all units; the characters below are left for units that are like none.
_MAX_DISTINCT = 0x100000
_UNREAD = 0xD800
# Words that choose candidates where not all pairs can be compared: a unit's rarest ones, if
# they are in few units.
_RAREST = 4
_MAX_SHARED = 64
# What comparing two units costs however short they are, in words times words.
PER_PAIR = 200
_PER_CALL = 1_000
# Pairs that are quicker compared one by one: most places have a few units.
_FEW = 16
# Above it only the words of two units are compared, not their order.
HUGE = 4_000_000

Numbers = NDArray[np.int64]
Scores = NDArray[np.float64]


class Likeness:
    """Compares the units of one change; each word is encoded as one character, once."""

    def __init__(self) -> None:
        """Compare nothing as yet."""
        self._budget = BUDGET
        self._coded = _Coded()

    def count_words(self, text: str) -> int:
        """Count the words of a unit."""
        return len(self._coded[text])

    def best_first(
        self, old: Sequence[str], new: Sequence[str], least: float
    ) -> Iterator[tuple[int, int]]:
        """Yield the numbers of units that are at least so much alike, the most alike first.

        Of equals those come first that are nearest in their order.
        """
        before, after = ([self._coded[text] for text in side] for side in (old, new))
        cost = sum(map(len, before)) * sum(map(len, after)) + PER_PAIR * len(old) * len(new)
        if cost > self._budget:
            rows, columns, found = self._of_rare_words(before, after, least)
        else:
            self._budget -= cost
            if len(old) * len(new) <= _FEW:
                return _few_best_first(before, after, least)
            scores = process.cdist(
                before, after, scorer=Indel.normalized_similarity, score_cutoff=least
            )
            rows, columns = np.nonzero(scores)
            found = scores[rows, columns]
        order = np.lexsort((columns, rows, np.abs(rows - columns), -found))
        return zip(rows[order].tolist(), columns[order].tolist(), strict=True)

    def _of_rare_words(
        self, old: Sequence[str], new: Sequence[str], least: float
    ) -> tuple[Numbers, Numbers, Scores]:
        """Compare units that share one of their rarest words, until the budget is spent."""
        found: list[tuple[int, int, float]] = []
        settled: tuple[set[int], set[int]] = (set(), set())
        for i, j in _sharing_rare_words(old, new, settled):
            if self._budget <= 0:
                break
            score, cost = _likeness(old[i], new[j], least)
            self._budget -= cost
            if score:
                found.append((i, j, score))
                settled[0].add(i)
                settled[1].add(j)
        rows, columns, scores = zip(*found, strict=True) if found else ((), (), ())
        return np.array(rows, np.int64), np.array(columns, np.int64), np.array(scores, np.float64)


def _few_best_first(
    old: Sequence[str], new: Sequence[str], least: float
) -> Iterator[tuple[int, int]]:
    """Yield the numbers of units that are alike, as ``best_first``: quicker for a few."""
    found = [
        (-score, abs(i - j), i, j)
        for i, one in enumerate(old)
        for j, other in enumerate(new)
        if (score := Indel.normalized_similarity(one, other, score_cutoff=least))
    ]
    return ((i, j) for _, _, i, j in sorted(found))


def _likeness(old: str, new: str, least: float) -> tuple[float, int]:
    """Return how alike two units are, 0 if that is too little, and what it cost."""
    cost = len(old) * len(new)
    if cost <= HUGE:
        return Indel.normalized_similarity(old, new, score_cutoff=least), cost + _PER_CALL
    total = len(old) + len(new)
    score = 2 * (Counter(old) & Counter(new)).total() / total
    return score if score >= least else 0, 16 * total


def _sharing_rare_words(
    old: Sequence[str], new: Sequence[str], settled: tuple[set[int], set[int]]
) -> Iterator[tuple[int, int]]:
    """Yield the numbers of old and new units that share a rare word, the rarest word first.

    Units that are ``settled`` meanwhile are left out.
    """
    sets = [list(map(set, side)) for side in (old, new)]
    counts, others = (Counter(chain.from_iterable(side)) for side in sets)
    shared = ((counts[word] + others[word], word) for word in counts.keys() & others.keys())
    rare = sorted(each for each in shared if each[0] <= _MAX_SHARED)
    ranks = {word: rank for rank, (_, word) in enumerate(rare)}
    before, after = (_by_rank(side, ranks) for side in sets)
    for rank in sorted(before.keys() & after.keys()):
        left = [j for j in after[rank] if j not in settled[1]]
        for i in before[rank]:
            for j in left:
                if i in settled[0]:
                    break
                if j not in settled[1]:
                    yield i, j


def _by_rank(units: Sequence[set[str]], ranks: Mapping[str, int]) -> dict[int, list[int]]:
    """Return the numbers of the units that have a word among their rarest, by its rank."""
    having: defaultdict[int, list[int]] = defaultdict(list)
    for number, words in enumerate(units):
        for rank in sorted([ranks[word] for word in words if word in ranks])[:_RAREST]:
            having[rank].append(number)
    return having


class _Coded(dict[str, str]):
    """Encodes units that are asked for, a word as a character, up to a number of words."""

    def __init__(self) -> None:
        super().__init__()
        self._alphabet = new_alphabet()
        self._left = _MAX_WORDS

    def __missing__(self, text: str) -> str:
        # What has no words at all is like nothing else.
        words = split_words(text) or [text]
        self._left -= len(words)
        if self._left >= 0 and len(self._alphabet) + len(words) <= _MAX_DISTINCT:
            code = "".join(map(self._alphabet.__getitem__, words))
        else:
            # The alphabet has no characters below the last one that is used here.
            code = chr(len(self) % _UNREAD)
        self[text] = code
        return code
