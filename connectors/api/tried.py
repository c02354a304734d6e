"""Trials and backtests as JSON, the same in the REST API and in the commands."""

from typing import Any

from schemas.codec.backtests import PastNotifications, past_notification_json
from schemas.codec.json_values import nested_json
from schemas.codec.times import rfc3339
from schemas.records.changes import Diff
from schemas.records.numbers import NumberReading
from schemas.records.previews import IgnoredText, SeenPage, SelectorResult, first_lines


def seen_json(seen: SeenPage, lines: int, characters: int) -> dict[str, Any]:
    """Return a tried page with so many lines and characters of its text."""
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


def backtest_json(found: PastNotifications) -> dict[str, Any]:
    """Return the result of a backtest."""
    return {
        "since": None if found.since is None else rfc3339(found.since),
        "until": None if found.until is None else rfc3339(found.until),
        "changes": found.changes,
        "withoutTexts": found.without_texts,
        "dropped": found.dropped,
        "waiting": found.waiting,
        "held": found.held,
        "total": found.total,
        "keywords": [
            {"keyword": keyword, "total": each.count, "last": rfc3339(each.last)}
            for keyword, each in found.keywords.items()
        ],
        "notifications": list(map(past_notification_json, found.listed)),
        "stopped": found.stopped or None,
        "next": found.next,
        **({"judged": found.judged, "modelTokens": found.tokens} if found.judged else {}),
    }
