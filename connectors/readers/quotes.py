"""Find a quoted passage again in a changed page.

Bitap (``match_main`` of diff-match-patch) takes 0.9 s for 55 characters in a text of 286 KB. Words
common to passage and text vote for places instead, and only there the two are aligned word by word.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from heapq import nlargest
from itertools import chain, islice

from rapidfuzz.fuzz import partial_ratio_alignment, ratio

from connectors.readers.parts import Span
from schemas.records.scripts import DENSE_SCRIPTS
from schemas.records.views import Quote

LEAST = 0.6
"""The least likeness of a text to the quote."""
_SURE = 0.9
"""The same words in a context of which less is the same may be another passage."""
_TOKEN = re.compile(rf"\d+(?:[.,]\d+)*|[{DENSE_SCRIPTS}]|[^\W{DENSE_SCRIPTS}]+|[^\w\s]")
_BUCKET = 64
"""Characters: votes within this distance are for the same place."""
_PLACES = 8
"""The most places to examine."""
_SPACE = re.compile(r"\s")
_MOST = 1_000
"""The most occurrences of a word, or of the quote, to count."""


@dataclass(frozen=True, slots=True)
class FoundQuote:
    """The place of a quote in a text, and its share of equal text, with its context: 0 to 1."""

    span: Span
    confidence: float


def found_quote(text: str, quote: Quote) -> FoundQuote | None:
    """Return the place of a quote: of its words, or of their replacements.

    ``prefix`` and ``suffix`` choose among several places.

    >>> found_quote("Now only 13 € a month", Quote("only 12 € a", "Now ", " month"))
    FoundQuote(span=(4, 15), confidence=0.88)
    """
    nearest = nearest_passage(text, quote)
    return nearest if nearest is not None and nearest.confidence >= LEAST else None


def nearest_passage(text: str, quote: Quote) -> FoundQuote | None:
    """Return the passage most like a quote, even if too little alike to be found."""
    same = max(_same(text, quote), key=lambda found: found.confidence, default=None)
    if same is None or same.confidence < _SURE:
        changed = max(_changed(text, quote), key=lambda found: found.confidence, default=None)
        least = 0.0 if same is None else max(LEAST, same.confidence)
        if changed is not None and changed.confidence >= least:
            return changed
    return None if same is None else FoundQuote(same.span, 1.0)


def _same(text: str, quote: Quote) -> Iterator[FoundQuote]:
    """Yield where exactly the quote is, each with how much is the same with its context."""
    wanted = " ".join((quote.prefix + quote.exact + quote.suffix).split())
    words = map(re.escape, quote.exact.split())
    overlapping = re.finditer("(?=(" + r"\s+".join(words) + "))", text)
    for each in islice(overlapping, _MOST):
        start, end = each.span(1)
        there = text[max(0, start - len(quote.prefix)) : end + len(quote.suffix)]
        yield FoundQuote((start, end), ratio(wanted, " ".join(there.split())) / 100)


def _changed(text: str, quote: Quote) -> Iterator[FoundQuote]:
    whole = quote.prefix + quote.exact + quote.suffix
    tokens = list(_TOKEN.finditer(whole))
    begin, end = len(quote.prefix), len(quote.prefix) + len(quote.exact)
    first = sum(token.end() <= begin for token in tokens)
    last = sum(token.start() < end for token in tokens)
    slack = len(whole) // 4
    for place in _places(text, tokens):
        start = max(0, place - _BUCKET)
        nearest = partial_ratio_alignment(whole, text[start : place + len(whole) + 2 * _BUCKET])
        assert nearest is not None, "without a cutoff there always is one"
        begin_char = _outside(text, start + nearest.dest_start - slack)
        end_char = _outside(text, start + nearest.dest_end + slack)
        there = list(_TOKEN.finditer(text, begin_char, end_char))
        aligned = _aligned(tokens, there)
        found = _between(aligned, there, first, last)
        if found is not None:
            yield FoundQuote(found, _confidence(tokens, there, aligned, found))


def _outside(text: str, place: int) -> int:
    """Return a place nearby outside of words and numbers, unless the word is very long."""
    if place <= 0:
        return 0
    place = min(place, len(text)) - 1
    space = _SPACE.search(text, place, place + _BUCKET)
    return space.start() if space else place + 1


def _places(text: str, tokens: Sequence[re.Match[str]]) -> Iterable[int]:
    """Return where a text has most words as far from each other as they are in the quote."""
    wanted: defaultdict[str, list[int]] = defaultdict(list)
    for token in tokens:
        wanted[token[0]].append(token.start())
    seen: defaultdict[str, list[int]] = defaultdict(list)
    for token in _TOKEN.finditer(text):
        if token[0] in wanted and len(seen[token[0]]) < _MOST:
            seen[token[0]].append(token.start())
    votes: defaultdict[int, float] = defaultdict(float)
    for word, places in seen.items():
        for at, place in ((at, place) for at in wanted[word][:10] for place in places):
            bucket, weight = (place - at) // _BUCKET, len(word) / len(places)
            votes[bucket] += weight
            votes[bucket + 1] += weight
    return [bucket * _BUCKET for bucket in nlargest(_PLACES, votes, key=votes.__getitem__)]


def _aligned(tokens: Sequence[re.Match[str]], there: Sequence[re.Match[str]]) -> dict[int, int]:
    """Return which words of the quote are which of the text, by their numbers."""
    words, others = [token[0] for token in tokens], [token[0] for token in there]
    blocks = SequenceMatcher(None, words, others, autojunk=False).get_matching_blocks()
    pairs = (((a + n, b + n) for n in range(size)) for a, b, size in blocks)
    return dict(chain.from_iterable(pairs))


def _between(
    aligned: dict[int, int], there: Sequence[re.Match[str]], first: int, last: int
) -> Span | None:
    """Return the text between the texts before and after the quote's words.

    Where nothing is known to, as many other words are there as words of the quote are gone.
    """
    before = max((aligned[at] for at in aligned if at < first), default=None)
    after = min((aligned[at] for at in aligned if at >= last), default=None)
    inside = [at for at in aligned if first <= at < last]
    if not inside and (before is None or after is None):
        return None
    begin = before + 1 if before is not None else aligned[min(inside)] - (min(inside) - first)
    end = after if after is not None else aligned[max(inside)] + last - max(inside)
    begin, end = max(0, begin), min(end, len(there))
    return (there[begin].start(), there[end - 1].end()) if begin < end else None


def _confidence(
    tokens: Sequence[re.Match[str]],
    there: Sequence[re.Match[str]],
    aligned: dict[int, int],
    found: Span,
) -> float:
    same = sum(len(tokens[at][0]) for at in aligned)
    around = sum(
        len(there[at][0]) for at in aligned.values() if not found[0] <= there[at].start() < found[1]
    )
    inside = sum(len(each[0]) for each in there if found[0] <= each.start() < found[1])
    wanted = sum(len(token[0]) for token in tokens)
    return round(2 * same / (wanted + around + inside), 2)
