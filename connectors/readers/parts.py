"""The places of the parts of a page in its marked text, and the text of some of them.

Before the text is taken from a page, labels are put around each part of a view. So all views are
read from the same text.
"""

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from operator import itemgetter

from connectors.readers.marks import BREAK

_LABEL = re.compile(r"\0(\d+)([()])")
"""No text of HTML, XML or JSON has a NUL, so no page can pretend to have a label."""

Span = tuple[int, int]
"""The begin and the end of an element in a marked text."""


@dataclass(frozen=True, slots=True)
class Part:
    """An element in a marked text, or, with a ``literal``, a text found at its place.

    ``place`` grows with the order of the document. The same text may be found at an element several
    times; ``repeat`` is how many times before.
    """

    start: int
    end: int
    literal: str | None = None
    place: int = 0
    repeat: int = 0


def labels(number: int) -> tuple[str, str]:
    """Return the labels before and after a part, by its number."""
    return f"\0{number}(", f"\0{number})"


def unlabelled(labelled: str) -> tuple[str, dict[int, Span]]:
    """Return a text without its labels, and the spans of the parts by their numbers.

    >>> unlabelled("a" + labels(7)[0] + "bc" + labels(7)[1])
    ('abc', {7: (1, 3)})
    """
    first, *rest = _LABEL.split(labelled)
    texts, at, begun, spans = [first], len(first), {}, {}
    for number, side, text in zip(rest[::3], rest[1::3], rest[2::3], strict=True):
        if side == "(":
            begun[int(number)] = at
        else:
            spans[int(number)] = begun.get(int(number), at), at
        texts.append(text)
        at += len(text)
    return "".join(texts), spans


def without_labels(labelled: str) -> str:
    """Return a text without its labels."""
    return _LABEL.sub("", labelled)


def repeats(found: Iterable[Hashable]) -> Iterator[int]:
    """Return for each match of a selector its number of earlier matches.

    >>> list(repeats("aba"))
    [0, 0, 1]
    """
    counts: Counter[Hashable] = Counter()
    for each in found:
        yield counts[each]
        counts[each] += 1


def text_of_parts(text: str, selected: Iterable[Part], excluded: Iterable[Span]) -> str:
    """Return the selected parts of a marked text without the excluded ones, in their order.

    A part inside another part is there once, as is a part with several selectors.
    """
    every = dict.fromkeys(selected)
    places: dict[Span, int] = {}
    for part in every:
        if part.literal is None:
            span = part.start, part.end
            places[span] = min(part.place, places.get(span, part.place))
    cuts = list(_outermost(excluded))
    texts = [(places[span], _remaining(text, span, cuts)) for span in _outermost(places)]
    texts += [(part.place, part.literal) for part in every if part.literal is not None]
    return BREAK.join(found for _, found in sorted(texts, key=itemgetter(0)))


def _outermost(spans: Iterable[Span]) -> Iterator[Span]:
    end = -1
    for start, stop in sorted(set(spans), key=lambda span: (span[0], -span[1])):
        if start >= max(end, 0) and (start, stop) != (end, end):
            yield start, stop
            end = stop


def _remaining(text: str, span: Span, cuts: Sequence[Span]) -> str:
    """Return a part without the cuts, which are in order."""
    kept, at = [], span[0]
    for index in range(bisect_right(cuts, at, key=itemgetter(1)), len(cuts)):
        start, stop = cuts[index]
        if start >= span[1]:
            break
        kept.append(text[at : max(start, at)])
        at = stop
    return "".join((*kept, text[at : span[1]]))
