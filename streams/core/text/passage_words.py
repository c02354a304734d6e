"""Where in a passage the words of a keyword are."""

from collections.abc import Iterable, Iterator

from streams.core.text.keywords import Phrase
from streams.core.text.queries import KeywordQuery
from streams.core.text.tokens import WORD
from streams.core.text.word_forms import WordForm, is_stopword, normal_form

Span = tuple[int, int]


class PassageWords:
    """The words of a passage in one normal form, in order, with where each one is."""

    def __init__(self, text: str, form: WordForm, *, filtered: bool) -> None:
        """``filtered`` leaves out stop words, so that those around them are adjacent."""
        found = [(word[0], word.span()) for word in WORD.finditer(text)]
        if filtered:
            found = [each for each in found if not is_stopword(each[0], form.language)]
        self._spans = [span for _, span in found]
        self._normals = [normal_form(word, form) for word, _ in found]
        self._positions: dict[str, list[int]] = {}
        for position, word in enumerate(self._normals):
            self._positions.setdefault(word, []).append(position)

    def match(self, query: KeywordQuery) -> bool:
        """Whether the passage has every phrase of a keyword; one without phrases never matches."""
        return bool(query.phrases) and all(map(self._has, query.phrases))

    def span_of(self, query: KeywordQuery) -> Span:
        """Return the smallest span of characters with every phrase of a keyword that matches."""
        phrases = set(query.phrases)
        starts = ((phrase, at) for phrase in phrases for at in self._find(phrase))
        spans = ((self._spans[at][0], self._spans[at + len(p) - 1][1], p) for p, at in starts)
        return min(_covering(sorted(spans), len(phrases)), default=(0, 0), key=_length)

    def _has(self, phrase: Phrase) -> bool:
        if len(phrase) == 1:
            return phrase[0] in self._positions
        return next(self._find(phrase), None) is not None

    def _find(self, phrase: Phrase) -> Iterator[int]:
        """Yield the positions where a phrase begins, looking only where its rarest word is."""
        counts = [len(self._positions.get(word, ())) for word in phrase]
        rarest = counts.index(min(counts))
        wanted = list(phrase)
        for position in self._positions.get(phrase[rarest], ()):
            start = position - rarest
            if start >= 0 and self._normals[start : start + len(wanted)] == wanted:
                yield start


def _covering(found: Iterable[tuple[int, int, Phrase]], count: int) -> Iterator[Span]:
    """Yield, at each occurrence, the span back to the latest one of every phrase."""
    latest: dict[Phrase, Span] = {}
    for start, end, phrase in found:
        # Inserted again, so that the first entry is always the oldest.
        latest.pop(phrase, None)
        latest[phrase] = start, end
        if len(latest) == count:
            oldest = next(iter(latest.values()))
            yield oldest[0], max(end for _, end in latest.values())


def _length(span: Span) -> int:
    return span[1] - span[0]
