"""What a view sees of a page when it is tried."""

from dataclasses import dataclass, replace
from itertools import islice
from math import ceil
from typing import Any

from schemas.codec.json_values import nested_json
from schemas.records.changes import Diff
from schemas.records.numbers import NumberReading
from schemas.records.views import Selector

MAX_FIRST = 200
"""Characters of the first text that a selector finds."""
MAX_MATCHES = 100


@dataclass(frozen=True, slots=True)
class SelectorResult:
    """What one selector finds by itself: so many lines, or why none.

    ``confidence`` (0 to 1) is how much of a quote is the same; ``doubt`` says why it may not find
    the same after a change.
    """

    position: str
    selector: Selector
    lines: int = 0
    first: str = ""
    reason: str = ""
    doubt: str = ""
    confidence: float | None = None


@dataclass(frozen=True, slots=True)
class IgnoredText:
    """What one pattern of a view removes from the text: so many matches, and the first one."""

    position: str
    pattern: str
    matches: int = 0
    first: str = ""


@dataclass(frozen=True, slots=True)
class SeenPage:
    """A page as a view reads it; ``reason`` says why it cannot, and then there is no text.

    ``matches`` are the entries of a notification if all of the text were new; ``more`` says
    that there are others. ``read_ms`` is of CPU, 0 if the page was not read to its end.
    """

    status: int = 0
    url: str = ""
    content_type: str = ""
    bytes: int = 0
    reason: str = ""
    read_as: str = ""
    language: str = ""
    title: str = ""
    text: str = ""
    number: NumberReading | None = None
    selectors: tuple[SelectorResult, ...] = ()
    ignored: tuple[IgnoredText, ...] = ()
    matches: tuple[Diff, ...] = ()
    more: bool = False
    fetch_ms: int = 0
    read_ms: int = 0


def milliseconds(seconds: float) -> int:
    """Return a time in whole milliseconds, rounded up.

    >>> milliseconds(0.0021)
    3
    """
    return ceil(1000 * seconds)


def first_lines(seen: SeenPage, lines: int, characters: int) -> tuple[SeenPage, int]:
    r"""Return the page with the first lines of its text, and how many lines it has in all.

    >>> first_lines(SeenPage(text="a\nb\nc"), 2, 100)[0].text
    'a\nb'
    """
    every = seen.text.split("\n") if seen.text else []
    text = "\n".join(islice(every, lines))[:characters]
    return replace(seen, text=text), len(every)


def seen_json(seen: SeenPage, lines: int, characters: int) -> dict[str, Any]:
    """Return a tried page by REST's names, with so many lines of its text."""
    shown, count = first_lines(seen, lines, characters)
    found = {
        "status": shown.status,
        "url": shown.url,
        "contentType": shown.content_type,
        "bytes": shown.bytes,
        "reason": shown.reason,
        "readAs": shown.read_as,
        "language": shown.language,
        "title": shown.title,
        "number": None if shown.number is None else _number_json(shown.number),
        "selectors": [_selector_json(each) for each in shown.selectors],
        "ignored": [_ignored_json(each) for each in shown.ignored],
        "matches": [_match_json(each) for each in shown.matches],
        "moreMatches": shown.more,
    }
    present = {name: value for name, value in found.items() if value}
    times = {"fetchMs": shown.fetch_ms, "readMs": shown.read_ms}
    return present | times | {"lines": count, "text": shown.text}


def _number_json(number: NumberReading) -> dict[str, Any]:
    found = {"written": number.written, "value": number.value, "unit": number.unit}
    return found | ({"doubts": list(number.doubts)} if number.doubts else {})


def _match_json(match: Diff) -> dict[str, Any]:
    words = [[span.start, span.end] for span in match.marks.text.keyword]
    found = {"keyword": match.keyword, "text": match.text, "words": words}
    return found | ({"headings": list(match.headings)} if match.headings else {})


def _selector_json(found: SelectorResult) -> dict[str, Any]:
    selector = {"position": found.position, **nested_json(found.selector), "lines": found.lines}
    more = {
        "confidence": found.confidence,
        "first": found.first,
        "reason": found.reason,
        "doubt": found.doubt,
    }
    return selector | {name: value for name, value in more.items() if value}


def _ignored_json(ignored: IgnoredText) -> dict[str, Any]:
    found = {
        "position": ignored.position,
        "pattern": ignored.pattern,
        "matches": ignored.matches,
    }
    return found | ({"first": ignored.first} if ignored.first else {})
