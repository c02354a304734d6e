"""The result of a trial of a page, for people."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import NamedTuple

from connectors.display.reasons import shown_reason
from connectors.languages.texts import gettext, msgid
from connectors.page.add.add_form import AddForm
from schemas.records.changes import Diff
from schemas.records.numbers import NumberReading
from schemas.records.previews import SelectorResult

MAX_MARKS = 1_000
"""Marked words in a text."""
MAX_PASSAGES = 3
"""The most passages shown of a keyword."""


class TextRun(NamedTuple):
    """A run of text, marked or not."""

    text: str
    is_marked: bool


@dataclass(frozen=True, slots=True)
class SeenKeyword:
    """The matches of a keyword in the present page: the first passages, and the count of all."""

    keyword: str
    passages: tuple[tuple[TextRun, ...], ...]
    count: int


@dataclass(frozen=True, slots=True)
class FoundPart:
    """The part of the page found by a selector, or the ``reason`` for finding nothing."""

    kind: str
    is_chosen: bool
    lines: int
    first: str
    reason: str
    doubt: str


def found_parts(selectors: Iterable[SelectorResult], chosen: str) -> list[FoundPart]:
    """Return the matches of a form's CSS selector and quote; ``chosen`` is either of them."""
    found = []
    for each in selectors:
        kind = "css" if each.selector.quote is None else "quote"
        texts = each.first, shown_reason(each.reason), each.doubt
        found.append(FoundPart(kind, kind == chosen, each.lines, *texts))
    return sorted(found, key=lambda part: not part.is_chosen)


def seen_keywords(keywords: Sequence[str], matches: Sequence[Diff]) -> list[SeenKeyword]:
    """Return the matches of each keyword, keywords without matches too."""
    found = []
    for keyword in keywords:
        own = [match for match in matches if match.keyword == keyword]
        passages = (tuple(runs(each.text, _words(each))) for each in own[:MAX_PASSAGES])
        found.append(SeenKeyword(keyword, tuple(passages), len(own)))
    return found


def marked_text(text: str, matches: Iterable[Diff]) -> list[TextRun]:
    """Return a page's text with the matches of keywords marked.

    >>> marked_text("Zeus sleeps.", [])
    [TextRun(text='Zeus sleeps.', is_marked=False)]
    """
    spans: set[tuple[int, int]] = set()
    for match in matches:
        for start in _starts(text, match.text, MAX_MARKS - len(spans)):
            spans |= {(start + begin, start + end) for begin, end in _words(match)}
    return list(runs(text, sorted(spans)))


def _words(match: Diff) -> list[tuple[int, int]]:
    """Return where the keyword of a match is in its text."""
    return [(span.start, span.end) for span in match.marks.text.keyword]


def runs(text: str, spans: Iterable[Sequence[int]]) -> Iterator[TextRun]:
    """Yield a text in runs; ``spans`` in order are marked."""
    at = 0
    for start, end in spans:
        begin = max(at, start)
        if end <= begin:
            continue
        if begin > at:
            yield TextRun(text[at:begin], is_marked=False)
        yield TextRun(text[begin:end], is_marked=True)
        at = end
    if at < len(text):
        yield TextRun(text[at:], is_marked=False)


def _starts(text: str, part: str, most: int) -> Iterator[int]:
    at = text.find(part) if part else -1
    while at >= 0 and most > 0:
        yield at
        most -= 1
        at = text.find(part, at + len(part))


_BEYOND = {
    "below": msgid(
        "%(value)s is below %(limit)s already: you are notified when it has gone back and is "
        "below %(limit)s again."
    ),
    "above": msgid(
        "%(value)s is above %(limit)s already: you are notified when it has gone back and is "
        "above %(limit)s again."
    ),
}


def beyond_limits(number: NumberReading | None, form: AddForm) -> list[str]:
    """Return which limits a number is beyond already, for people.

    >>> beyond_limits(NumberReading("19.90", "EUR", "19.90 €"), AddForm(number=True, below="20"))
    ['19.90 is below 20 already: you are notified when it has gone back and is below 20 again.']
    """
    if number is None:
        return []
    value, found = number.value, []
    for name, limit in (("below", form.below), ("above", form.above)):
        with suppress(InvalidOperation):  # what is no number is said at its field
            amount, bound = Decimal(value), Decimal(limit)
            if amount < bound if name == "below" else amount > bound:
                found.append(gettext(_BEYOND[name], value=value, limit=limit))
    return found
