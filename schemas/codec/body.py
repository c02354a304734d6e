"""The JSON body of a notification, byte for byte."""

from collections.abc import Iterable, Sequence
from hashlib import sha256
from itertools import chain
from typing import Any

import msgspec

from schemas.codec.times import rfc3339
from schemas.records.changes import Diff, Marked, Returned
from schemas.records.delivery_times import Held
from schemas.records.notifications import Notification
from schemas.records.numbers import NumberNews
from schemas.records.waiting import Stood

MAX_BODY = 256 * 1024
"""Bytes of a body, as UTF-8."""
DIGEST = "digest"
"""The status of a body with several notifications."""
_LONGEST, _FRAME, _MARK = 6, 400, 24
"""The most bytes of a character in JSON, of the frame around the texts of a diff, and of a span."""
_ENDS = 9_700
"""Bytes of a body for all but URL and diffs: its title has at most 300 characters, its name 200,
and its tags have 1,000; the pages of a subscription take 1,000 bytes."""


def body(notification: Notification) -> bytes:
    """Return the body of a notification, in UTF-8."""
    return _json(_shown(notification))


def digest_body(notifications: Sequence[Notification]) -> bytes:
    """Return the body of several notifications of a subscription, in UTF-8."""
    newest = notifications[-1]
    return _json(
        {
            "status": DIGEST,
            "url": newest.url,
            "subscription": newest.subscription,
            **({"name": newest.name} if newest.name else {}),
            "notifications": [{"id": each.id, **_shown(each)} for each in notifications],
        }
    )


def digest_id(notifications: Iterable[Notification]) -> str:
    """Return the id of several notifications in a body: the same for the same notifications."""
    return sha256("\0".join(each.id for each in notifications).encode()).hexdigest()[:32]


def _shown(notification: Notification) -> dict[str, Any]:
    shown = {
        "status": notification.status,
        "url": notification.url,
        "diffs": list(map(diff_json, notification.diffs)),
        "name": notification.name,
        "title": notification.title,
        "at": rfc3339(notification.at),
        "subscription": notification.subscription,
        "returned": returned_json(notification.returned),
        "reason": notification.reason,
        "pictureChange": share_json(notification.picture_change),
        "tags": list(notification.tags) or None,
        "number": number_json(notification.number),
        "stood": stood_json(notification.stood),
        "held": held_json(notification.held),
        "history": notification.history or None,
        "document": notification.document,
        "pages": notification.pages,
        "verdict": notification.verdict,
        "because": notification.because,
        "summary": notification.summary,
    }
    return {name: value for name, value in shown.items() if value not in (None, "")}


def diff_json(diff: Diff) -> dict[str, Any]:
    """Return an entry without absent or empty fields.

    >>> diff_json(Diff("added", "argus", "Argus", "Argus sleeps"))["change"]
    'added'
    """
    shown = {
        "event": diff.event,
        "keyword": diff.keyword,
        "text": diff.text,
        "snippet": diff.snippet,
        "change": diff.change,
    }
    marks = {"text": _marked_json(diff.marks.text), "snippet": _marked_json(diff.marks.snippet)}
    more = {
        "before": diff.before,
        "after": diff.after,
        "offsets": {name: value for name, value in marks.items() if value},
        "headings": list(diff.headings),
        "values": [{"before": each.before, "after": each.after} for each in diff.values],
        "link": diff.link,
        "noise": diff.noise,
        "dropped": diff.dropped,
    }
    return shown | {name: value for name, value in more.items() if value}


def share_json(of_10_000: int | None) -> float | None:
    """Return a share from 0 to 1.

    >>> share_json(2_345)
    0.2345
    """
    return None if of_10_000 is None else of_10_000 / 10_000


def returned_json(returned: Returned | None) -> dict[str, Any] | None:
    """Return since when, and how often, a document has had its text before."""
    if returned is None:
        return None
    return {"since": rfc3339(returned.since), "times": returned.times}


def number_json(number: NumberNews | None) -> dict[str, Any] | None:
    """Return the former and the present number, and the reason of the notification.

    >>> number_json(NumberNews("21", "19.90", "EUR"))
    {'before': '21', 'after': '19.90', 'unit': 'EUR', 'why': []}
    """
    if number is None:
        return None
    return {
        "before": number.before,
        "after": number.after,
        "unit": number.unit,
        "why": list(number.why),
    }


def stood_json(stood: Stood | None) -> dict[str, Any] | None:
    """Return the begin of a change, and the number of visits since."""
    return None if stood is None else {"since": rfc3339(stood.since), "visits": stood.visits}


def held_json(held: Held | None) -> dict[str, Any] | None:
    """Return the begin, the end and the reason of a notification's wait."""
    if held is None:
        return None
    return {"since": rfc3339(held.since), "until": rfc3339(held.until), "reason": held.reason}


def fits(notification: Notification) -> bool:
    """Return whether the body of a notification is no larger than MAX_BODY."""
    return len(body(notification)) <= MAX_BODY


def fitting(url: str, diffs: Iterable[Diff]) -> tuple[tuple[Diff, ...], bool]:
    """Return the first diffs fitting into a body of MAX_BODY, and whether any are left out.

    ``url`` is the document's, as in the notification.
    """
    rest = iter(diffs)
    most = _ENDS + _LONGEST * len(url)
    taken: list[Diff] = []
    for diff in rest:
        taken.append(diff)
        most += _most(diff)
        if most > MAX_BODY:
            return _counted(url, chain(taken, rest))
    return tuple(taken), False


def _most(diff: Diff) -> int:
    """Return the most bytes of a diff."""
    texts = diff.keyword, diff.text, diff.snippet, diff.before, diff.after, diff.link
    numbers = [text for each in diff.values for text in (each.before, each.after)]
    several = [*diff.headings, *numbers]
    spans = sum(
        len(each.changed) + len(each.keyword) for each in (diff.marks.text, diff.marks.snippet)
    )
    characters = sum(map(len, texts)) + sum(map(len, several))
    return _FRAME + _LONGEST * characters + _MARK * (spans + len(several))


def _counted(url: str, diffs: Iterable[Diff]) -> tuple[tuple[Diff, ...], bool]:
    """Do the same with the exact size of each diff, which takes longer to find out."""
    size = _ENDS + len(_json({"status": "ok", "url": url, "diffs": []}))
    taken: list[Diff] = []
    for diff in diffs:
        size += len(_json(diff_json(diff))) + (1 if taken else 0)
        if size > MAX_BODY:
            return tuple(taken), True
        taken.append(diff)
    return tuple(taken), False


def _marked_json(marked: Marked) -> dict[str, list[list[int]]]:
    both = {"changed": marked.changed, "keyword": marked.keyword}
    return {
        name: [[span.start, span.end] for span in spans] for name, spans in both.items() if spans
    }


def _json(value: object) -> bytes:
    return msgspec.json.encode(value)
