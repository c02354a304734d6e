"""The words of an index that are stemmed, and by which stems they are found in each language."""

from collections.abc import Collection, Iterable

import numpy as np

from streams.core.index.merge_tree import Hashes, MergeTree, SortedRun
from streams.core.index.terms import stemmed_words

_LANGUAGES = 4
_PAGE = 256
_BITS = 24


class Vocabulary:
    """Words in order of their coming, most of them as text in pages of a fixed number."""

    def __init__(self) -> None:
        """Start empty."""
        self._pages: list[bytes] = []
        self._late: list[str] = []
        self._stems: dict[str, tuple[int, MergeTree]] = {}

    def __len__(self) -> int:
        return len(self._pages) * _PAGE + len(self._late)

    def add(self, words: Iterable[str]) -> None:
        """Take in marked words; any of them may be there already."""
        self._late += words
        whole = len(self._late) // _PAGE * _PAGE
        for start in range(0, whole, _PAGE):
            self._pages.append("\n".join(self._late[start : start + _PAGE]).encode())
        del self._late[:whole]

    def stems(self, language: str) -> MergeTree:
        """Give hashes of words by those of their stems, kept for the latest languages."""
        seen, runs = self._stems.pop(language, (0, MergeTree()))
        while len(self._stems) >= _LANGUAGES:
            del self._stems[next(iter(self._stems))]
        if seen < len(self):
            words = list(dict.fromkeys(self._since(seen)))
            runs.add(SortedRun.of(word_hashes(stemmed_words(words, language)), word_hashes(words)))
        self._stems[language] = len(self), runs
        return runs

    def clean(self, live: Iterable[Hashes]) -> None:
        """Keep of each word one, if its hash is among the live ones (a few others stay)."""
        there = np.zeros(1 << _BITS, bool)
        for hashes in live:
            there[hashes >> (32 - _BITS)] = True
        words = list(dict.fromkeys(self._since(0)))
        kept = there[word_hashes(words) >> (32 - _BITS)].tolist()
        self._pages, self._late, self._stems = [], [], {}
        self.add(word for word, stays in zip(words, kept, strict=True) if stays)

    def _since(self, seen: int) -> list[str]:
        page, words = seen // _PAGE, seen % _PAGE
        if page == len(self._pages):
            return self._late[words:]
        return (b"\n".join(self._pages[page:]).decode().split("\n") + self._late)[words:]


def word_hashes(words: Collection[str]) -> Hashes:
    """Give the hashes of words; they hold within this process."""
    return np.fromiter(map(hash, words), np.int64, len(words)).astype(np.uint32)
