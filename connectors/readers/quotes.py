"""Find a quoted passage again in a page that may have changed.

Bitap (``match_main`` of diff-match-patch) takes seconds for a passage of 1,000 characters in a
text of 1 MB. Words that the passage and the text have in common vote for places instead, and
only there the two are aligned word by word.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import chain, islice

from connectors.readers.parts import Span
from schemas.views import Quote

LEAST = 0.6
"""What is less like the quote than this is not it."""
_SURE = 0.8
"""With this a changed passage in its context comes before the same words in another one."""
_RELATED = 0.3
"""Context of which less is the same is another one."""
_TOKEN = re.compile(r"\w+|[^\w\s]")
_BUCKET = 64
"""Characters: votes for places that are so near each other are for one place."""
_PLACES = 8
"""Places that are looked at."""
_MOST = 1_000
"""Occurrences of a word, or of the quote, that count."""


@dataclass(frozen=True, slots=True)
class FoundQuote:
    """Where a quote is in a text, and how much of it, with its context, is the same: 0 to 1."""

    span: Span
    confidence: float


def found_quote(text: str, quote: Quote) -> FoundQuote | None:
    """Return where a quote is: where its words are, or else what they have become.

    ``prefix`` and ``suffix`` choose among several places.

    >>> found_quote("Now only 13 € a month", Quote("only 12 € a", "Now ", " month"))
    FoundQuote(span=(4, 15), confidence=0.85)
    """
    same = max(_same(text, quote), key=lambda found: found.confidence, default=None)
    if same is not None and same.confidence >= _RELATED:
        return FoundQuote(same.span, 1.0)
    changed = max(_changed(text, quote), key=lambda found: found.confidence, default=None)
    if changed is not None and changed.confidence >= (LEAST if same is None else _SURE):
        return changed
    return None if same is None else FoundQuote(same.span, 1.0)


def _same(text: str, quote: Quote) -> Iterator[FoundQuote]:
    """Yield where exactly the quote is, each with how much of its context is the same."""
    found = re.finditer(re.escape(quote.exact), text)
    for each in islice(found, _MOST):
        before = text[max(0, each.start() - len(quote.prefix)) : each.start()]
        after = text[each.end() : each.end() + len(quote.suffix)]
        yield FoundQuote(each.span(), _likeness(quote.prefix + quote.suffix, before + after))


def _likeness(wanted: str, there: str) -> float:
    if wanted.split() == there.split():
        return 1.0
    words, others = Counter(_TOKEN.findall(wanted)), Counter(_TOKEN.findall(there))
    return 2 * (words & others).total() / (words.total() + others.total())


def _changed(text: str, quote: Quote) -> Iterator[FoundQuote]:
    whole = quote.prefix + quote.exact + quote.suffix
    tokens = list(_TOKEN.finditer(whole))
    begin, end = len(quote.prefix), len(quote.prefix) + len(quote.exact)
    first = sum(token.end() <= begin for token in tokens)
    last = sum(token.start() < end for token in tokens)
    slack = _BUCKET + len(whole) // 4
    for place in _places(text, tokens):
        start = max(0, place - slack)
        there = list(_TOKEN.finditer(text, start, place + len(whole) + slack))
        aligned = _aligned(tokens, there)
        found = _between(aligned, there, first, last)
        if found is not None:
            yield FoundQuote(found, _confidence(tokens, there, aligned, found))


def _places(text: str, tokens: Sequence[re.Match[str]]) -> Iterable[int]:
    """Return where a text has most words as far from each other as they are in the quote."""
    wanted: defaultdict[str, list[int]] = defaultdict(list)
    for token in tokens:
        wanted[token[0]].append(token.start())
    seen: defaultdict[str, list[int]] = defaultdict(list)
    for token in _TOKEN.finditer(text):
        if token[0] in wanted and len(seen[token[0]]) < _MOST:
            seen[token[0]].append(token.start())
    votes: Counter[int] = Counter()
    for word, places in seen.items():
        for at, place in ((at, place) for at in wanted[word][:10] for place in places):
            bucket, weight = (place - at) // _BUCKET, len(word) / len(places)
            votes.update({bucket: weight, bucket + 1: weight})  # type: ignore[dict-item]  # it only adds and compares
    return [bucket * _BUCKET for bucket, _ in votes.most_common(_PLACES)]


def _aligned(tokens: Sequence[re.Match[str]], there: Sequence[re.Match[str]]) -> dict[int, int]:
    """Return which words of the quote are which of the text, by their numbers."""
    words, others = [token[0] for token in tokens], [token[0] for token in there]
    blocks = SequenceMatcher(None, words, others, autojunk=False).get_matching_blocks()
    pairs = (((a + n, b + n) for n in range(size)) for a, b, size in blocks)
    return dict(chain.from_iterable(pairs))


def _between(
    aligned: dict[int, int], there: Sequence[re.Match[str]], first: int, last: int
) -> Span | None:
    """Return the text between what precedes and what follows the quote's words."""
    before = max((aligned[at] for at in aligned if at < first), default=None)
    after = min((aligned[at] for at in aligned if at >= last), default=None)
    inside = [aligned[at] for at in aligned if first <= at < last]
    if not inside and (before is None or after is None):
        return None
    begin = before + 1 if before is not None else min(inside)
    end = after if after is not None else max(inside) + 1
    return (there[begin].start(), there[end - 1].end()) if begin < end else None


def _confidence(
    tokens: Sequence[re.Match[str]],
    there: Sequence[re.Match[str]],
    aligned: dict[int, int],
    found: Span,
) -> float:
    same = sum(len(tokens[at][0]) for at in aligned)
    around = sum(
        len(there[at][0])
        for at in aligned.values()
        if not found[0] <= there[at].start() < found[1]
    )
    inside = sum(len(each[0]) for each in there if found[0] <= each.start() < found[1])
    wanted = sum(len(token[0]) for token in tokens)
    return round(2 * same / (wanted + around + inside), 2)
