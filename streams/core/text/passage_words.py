"""Where in a passage the words of a query are."""

from collections.abc import Iterable, Iterator

from streams.core.text.keywords import Phrase
from streams.core.text.queries import KeywordQuery
from streams.core.text.tokens import WORD
from streams.core.text.word_forms import WordForm, is_stopword, normal_form

Span = tuple[int, int]


class PassageWords:
    """The words of a passage in one normal form, with their places."""

    def __init__(self, text: str, form: WordForm, filtered: bool) -> None:
        """``filtered`` leaves out stop words."""
        found = [(word[0], word.span()) for word in WORD.finditer(text)]
        if filtered:
            found = [each for each in found if not is_stopword(each[0], form.language)]
        self._spans = [span for _, span in found]
        self._normals = [normal_form(word, form) for word, _ in found]
        self._places: dict[str, list[int]] = {}
        for place, word in enumerate(self._normals):
            self._places.setdefault(word, []).append(place)

    def match(self, query: KeywordQuery) -> bool:
        """Tell whether the passage has every phrase of a query, of which there must be one."""
        return bool(query.phrases) and all(map(self._has, query.phrases))

    def around(self, query: KeywordQuery) -> Span:
        """Give the smallest span of characters with every phrase of a query that matches."""
        places = ((which, at) for which in set(query.phrases) for at in self._find(which))
        ends = ((self._spans[at][0], self._spans[at + len(p) - 1][1], p) for p, at in places)
        return min(_covering(sorted(ends), len(set(query.phrases))), default=(0, 0), key=_length)

    def _has(self, phrase: Phrase) -> bool:
        if len(phrase) == 1:
            return phrase[0] in self._places
        return next(self._find(phrase), None) is not None

    def _find(self, phrase: Phrase) -> Iterator[int]:
        """Give where a phrase begins, looking only where its rarest word is."""
        counts = [len(self._places.get(word, ())) for word in phrase]
        rarest = counts.index(min(counts))
        wanted = list(phrase)
        for place in self._places.get(phrase[rarest], ()):
            start = place - rarest
            if start >= 0 and self._normals[start : start + len(wanted)] == wanted:
                yield start


def _covering(found: Iterable[tuple[int, int, Phrase]], count: int) -> Iterator[Span]:
    """Give, at each occurrence, the span back to the latest one of every phrase."""
    latest: dict[Phrase, Span] = {}
    for start, end, phrase in found:
        latest.pop(phrase, None)
        latest[phrase] = start, end
        if len(latest) == count:
            oldest = next(iter(latest.values()))
            yield oldest[0], max(end for _, end in latest.values())


def _length(span: Span) -> int:
    return span[1] - span[0]
