"""The indexed terms that are compared by stem, and where their stems lead in each language."""

from collections.abc import Collection, Iterable
from operator import add

import numpy as np

from streams.matching.index.merge_tree import Hashes, MergeTree, SortedRun
from streams.text.stemming import has_stemmer, stem_words
from streams.values.steps import Steps

_MAX_LANGUAGES = 4
_PAGE = 256
_BITS = 24
_STEP = 5_000
"""Terms that are stemmed in one step."""


class Vocabulary:
    """Terms as text, because another language may ask for their stems at any time.

    They stand in the order of their coming, so that each language remembers up to which
    it has stemmed them. Most are in pages of joined text: a separate string would take
    50 bytes more.
    """

    def __init__(self) -> None:
        self._pages: list[bytes] = []
        self._rest: list[str] = []
        self._stems: dict[str, tuple[int, MergeTree]] = {}

    def __len__(self) -> int:
        return len(self._pages) * _PAGE + len(self._rest)

    def add(self, terms: Iterable[str]) -> None:
        """Add terms; any of them may be there already."""
        self._rest += terms
        whole = len(self._rest) // _PAGE * _PAGE
        for start in range(0, whole, _PAGE):
            self._pages.append("\n".join(self._rest[start : start + _PAGE]).encode())
        del self._rest[:whole]

    def stems(self, language: str) -> Steps[MergeTree]:
        """Return the hashes of terms by the hash of their stem in a language.

        Only terms that came since the last call are stemmed. The latest four languages
        are cached. Without a stemmer for the language there are none: its words are
        found as they are.
        """
        if not has_stemmer(language):
            return MergeTree()
        # If ``keep`` comes between two steps, what is stemmed here is for this call only.
        cache = self._stems
        seen, runs = cache.pop(language, (0, MergeTree()))
        while len(cache) >= _MAX_LANGUAGES:
            del cache[next(iter(cache))]
        end = len(self)
        if seen < end:
            terms = list(dict.fromkeys(self._since(seen)))
            parts = []
            for start in range(0, len(terms), _STEP):
                part = terms[start : start + _STEP]
                stems = stem_words([term[1:] for term in part], language)
                kinds = (term[0] for term in part)
                parts.append(word_hashes(list(map(add, kinds, stems))))
                yield
            runs.add(SortedRun.of(np.concatenate(parts), word_hashes(terms)))
        cache[language] = end, runs
        return runs

    def keep(self, used: Iterable[Hashes]) -> None:
        """Drop repeated terms, and those of which no posting has the hash (but for a few)."""
        # A flag for the first 24 bits of each hash, not a set of all hashes: 16 MB for a moment.
        is_used = np.zeros(1 << _BITS, bool)
        for hashes in used:
            is_used[hashes >> (32 - _BITS)] = True
        terms = list(dict.fromkeys(self._since(0)))
        kept = is_used[word_hashes(terms) >> (32 - _BITS)].tolist()
        self._pages, self._rest, self._stems = [], [], {}
        self.add(term for term, stays in zip(terms, kept, strict=True) if stays)

    def _since(self, seen: int) -> list[str]:
        page, terms = seen // _PAGE, seen % _PAGE
        if page == len(self._pages):
            return self._rest[terms:]
        return (b"\n".join(self._pages[page:]).decode().split("\n") + self._rest)[terms:]


def word_hashes(words: Collection[str]) -> Hashes:
    """Hash words to 32 bits; the hashes are the same only within this process."""
    return np.fromiter(map(hash, words), np.int64, len(words)).astype(np.uint32)
