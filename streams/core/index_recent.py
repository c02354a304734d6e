"""The postings that came to an index of late, in dicts: cheap to add to."""

from collections.abc import Iterator
from collections.abc import Set as AbstractSet
from itertools import islice

from streams.core.index_terms import Term
from streams.core.stemming import stem


class Recent:
    """The postings of late, in dicts."""

    def __init__(self) -> None:
        """Start empty."""
        self._postings: dict[str, list[tuple[str | None, int]]] = {}
        self._words: dict[str, dict[str, list[str]]] = {}
        self._seen: dict[str, int] = {}
        self._count = 0

    def __len__(self) -> int:
        return self._count

    def __iter__(self) -> Iterator[tuple[Term, int]]:
        for word, postings in self._postings.items():
            yield from ((Term(word, other), place) for other, place in postings)

    def add(self, term: Term, place: int) -> None:
        """Put a place under a term."""
        self._postings.setdefault(term.word, []).append((term.other, place))
        self._count += 1

    def find(self, forms: AbstractSet[str], language: str) -> Iterator[int]:
        """Give the places whose words have one of these forms in a language."""
        by_form = self._by_form(language)
        for form in by_form.keys() & forms:
            for word in by_form[form]:
                for other, place in self._postings[word]:
                    if other is None or stem(other, language) in forms:
                        yield place

    def _by_form(self, language: str) -> dict[str, list[str]]:
        by_form = self._words.setdefault(language, {})
        for word in islice(self._postings, self._seen.get(language, 0), None):
            by_form.setdefault(stem(word, language), []).append(word)
        self._seen[language] = len(self._postings)
        return by_form
