"""What a trial has seen of a page, as people are shown it."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

MAX_MARKS = 1_000
"""Marked words in a text."""
MAX_PASSAGES = 3
"""Passages that are shown of a keyword."""


class TextRun(NamedTuple):
    """A run of text, marked or not."""

    text: str
    is_marked: bool


@dataclass(frozen=True, slots=True)
class SeenKeyword:
    """What one keyword matches in the page as it is: the first passages, and how many in all."""

    keyword: str
    passages: tuple[tuple[TextRun, ...], ...]
    count: int


@dataclass(frozen=True, slots=True)
class FoundPart:
    """What a selector finds in the page as it is, or the ``reason`` for which it finds nothing."""

    kind: str
    is_chosen: bool
    lines: int
    first: str
    reason: str
    doubt: str


def found_parts(selectors: Iterable[dict[str, Any]], chosen: str) -> list[FoundPart]:
    """Return what the CSS selector and the quote of a form find, of which one is ``chosen``."""
    found = []
    for each in selectors:
        kind = "quote" if "quote" in each else "css"
        texts = (each.get(name, "") for name in ("first", "reason", "doubt"))
        found.append(FoundPart(kind, kind == chosen, each["lines"], *texts))
    return sorted(found, key=lambda part: not part.is_chosen)


def seen_keywords(keywords: Sequence[str], matches: Sequence[dict[str, Any]]) -> list[SeenKeyword]:
    """Return what each keyword matches, those that match nothing too."""
    found = []
    for keyword in keywords:
        own = [match for match in matches if match["keyword"] == keyword]
        passages = (tuple(runs(each["text"], each["words"])) for each in own[:MAX_PASSAGES])
        found.append(SeenKeyword(keyword, tuple(passages), len(own)))
    return found


def marked_text(text: str, matches: Iterable[dict[str, Any]]) -> list[TextRun]:
    """Return a page's text with the words marked that keywords match.

    >>> marked_text("Zeus sleeps.", [{"text": "Zeus sleeps.", "words": [[0, 4]]}])
    [TextRun(text='Zeus', is_marked=True), TextRun(text=' sleeps.', is_marked=False)]
    """
    spans: set[tuple[int, int]] = set()
    for match in matches:
        for start in _starts(text, match["text"], MAX_MARKS - len(spans)):
            spans |= {(start + begin, start + end) for begin, end in match["words"]}
    return list(runs(text, sorted(spans)))


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
