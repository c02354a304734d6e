"""The passages that entries show: the same for all keywords in them, so each is made once."""

from collections.abc import Sequence
from typing import NamedTuple
from urllib.parse import quote

from schemas.records.changes import Place, Sentence, Span, ValueChange
from streams.matching.marks import Bounds, spans_within
from streams.matching.sentence_numbers import value_changes
from streams.matching.sentences import EDITED, REMOVED, ChangedSentence, ChangedSentences
from streams.matching.snippets import MAX_SEEN, context, excerpt, most_shown

MAX_MERGED = 500
"""Characters of adjacent new (gone) sentences that are one entry."""
MAX_PASSAGES = 1_000
"""Passages of a change that are cached for other keywords."""

MAX_WHOLE = 60
"""Characters of a text that stands in its link as a whole."""
_WORDS = 5
"""Words at the start and at the end by which a longer text is found."""


class Sides(NamedTuple):
    """Both sides of an edited sentence, and the numbers that changed in it; else nothing."""

    before: str = ""
    after: str = ""
    values: tuple[ValueChange, ...] = ()


class Passage(NamedTuple):
    """A text that is shown, and the snippet around it.

    ``bounds`` and ``around`` are those of text and snippet in their place, ``shift`` counts the
    characters that stand for text cut off before the snippet, ``changed`` are the changed words
    in the text and in the snippet. ``position`` counts the unchanged characters of the sentence
    before the text.
    """

    text: str
    snippet: str
    bounds: Bounds
    around: Bounds
    shift: int
    changed: tuple[tuple[Span, ...], tuple[Span, ...]]
    sides: Sides
    link: str
    position: int


class Passages:
    """Makes passages of the sentences of one change."""

    def __init__(self, sentences: ChangedSentences, page: str) -> None:
        """``page`` is the URL that links lead to; empty: there are no links."""
        self._sentences = sentences
        self._page = page
        self._known: dict[tuple[int, int, Bounds, int], Passage] = {}
        self._sides: dict[int, Sides] = {}

    def of(self, numbers: Sequence[int], shown: Bounds, offset: int) -> Passage:
        """Return the passage of adjacent sentences, with so much context around it."""
        key = numbers[0], numbers[-1], shown, offset
        known = self._known.get(key)
        if known is None:
            known = self._new(numbers, shown, offset)
            if len(self._known) < MAX_PASSAGES:
                self._known[key] = known
        return known

    def _new(self, numbers: Sequence[int], shown: Bounds, offset: int) -> Passage:
        first, last = (self._sentences[number] for number in (numbers[0], numbers[-1]))
        text, new = first.place.text, self._new_around(numbers)
        around, left, right = context(text, shown, offset, new)
        changed = [(first.start, last.end)] if first.change != EDITED else spans_of(first.sentence)
        if new:
            changed = sorted([*changed, *new.values()])
        # What is gone is no longer in the page.
        has_link = bool(self._page) and first.change != REMOVED
        sides, shown_text = self._both_sides(first), text[slice(*shown)]
        return Passage(
            text=shown_text,
            snippet=f"{left}{text[slice(*around)]}{right}",
            bounds=shown,
            around=around,
            shift=len(left),
            changed=(
                spans_within(changed, shown, 0),
                spans_within(changed, around, len(left)),
            ),
            sides=sides,
            link=text_link(self._page, sides.after or shown_text) if has_link else "",
            position=_unchanged_before(first, shown[0]),
        )

    def _both_sides(self, sentence: ChangedSentence) -> Sides:
        """Return both sides of an edited sentence, once for all passages in it."""
        if sentence.change != EDITED:
            return Sides()
        known = self._sides.get(id(sentence.edit))
        if known is None:
            before, old = _side(sentence.region.removed, sentence.edit.removed)
            after, new = _side(sentence.region.added, sentence.edit.added)
            known = Sides(before, after, value_changes(before, old, after, new))
            if len(self._sides) < MAX_PASSAGES:
                self._sides[id(sentence.edit)] = known
        return known

    def _new_around(self, numbers: Sequence[int]) -> dict[int, Bounds]:
        """Return the adjacent sentences of the same kind, by where they begin."""
        sentences = self._sentences
        found: dict[int, Bounds] = {}
        kind = sentences[numbers[0]].change
        if kind == EDITED:
            return {}
        for number, step in ((numbers[0], sentences.preceding), (numbers[-1], sentences.following)):
            at = step(number)
            while at is not None and sentences[at].change == kind and len(found) < MAX_SEEN:
                found[sentences[at].start] = sentences[at].start, sentences[at].end
                if abs(sentences[at].start - sentences[number].start) > MAX_MERGED + MAX_SEEN:
                    break
                at = step(at)
        return found


def spans_of(sentence: Sentence) -> list[Bounds]:
    """Return the runs of changed words of a sentence."""
    return [(span.start, span.end) for span in sentence.changed]


def _unchanged_before(sentence: ChangedSentence, start: int) -> int:
    """Count the characters of an edited sentence before its text that stand on both sides."""
    if sentence.change != EDITED:
        return 0
    text, at, count = sentence.place.text, sentence.start, 0
    for low, high in spans_of(sentence.sentence):
        if low >= start:
            break
        count += _visible(text[at:low])
        at = high
    return count + _visible(text[at:start])


def _visible(text: str) -> int:
    return len("".join(text.split()))


def _side(place: Place | None, sentence: Sentence | None) -> tuple[str, list[Bounds]]:
    """Return a sentence, cut around what changed if it is long, and its changed runs."""
    assert place is not None, "an edited sentence has two sides"
    assert sentence is not None, "an edited sentence has two sides"
    text, spans = place.text, spans_of(sentence)
    around = spans[0] if spans else (sentence.start, sentence.start)
    bounds = sentence.start, sentence.end
    low, high = excerpt(text, bounds, around, most_shown(text, bounds), is_keyword=False)
    return text[low:high], [(max(a, low) - low, b - low) for a, b in spans if a < high and b > low]


def text_link(url: str, text: str) -> str:
    """Return the link to a text in the page of a URL.

    >>> text_link("https://d.test/", "Fines: 2-4 %, at most")
    'https://d.test/#:~:text=Fines%3A%202%2D4%20%25%2C%20at%20most'
    """
    lines = [line for line in text.replace("\t", "\n").split("\n") if line.strip()]
    if not lines:
        return ""
    first = lines[0].split()
    if len(lines) > 1 or (len(text) > MAX_WHOLE and len(first) >= 2 * _WORDS):
        ends = first[:_WORDS], lines[-1].split()[-_WORDS:]
        directive = ",".join(map(_encoded, ends))
    else:
        directive = _encoded(first)
    return f"{url}{'' if '#' in url else '#'}:~:text={directive}"


def _encoded(words: list[str]) -> str:
    # These two have a meaning of their own in a text directive.
    return quote(" ".join(words), safe="").replace("-", "%2D")
