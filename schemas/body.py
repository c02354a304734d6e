"""The JSON body of a notification, exactly as receivers get it."""

import json
from collections.abc import Iterable
from itertools import chain

from msgspec import to_builtins

from schemas.changes import Diff
from schemas.notifications import Notification

MAX_BODY = 256 * 1024
"""Bytes of a body, as UTF-8."""
_LONGEST, _FRAME = 6, 100
"""Bytes of a character in JSON, at most, and of what surrounds the texts of a diff or a body."""


def body(notification: Notification) -> bytes:
    """Return the body of a notification, in UTF-8."""
    diffs = [to_builtins(diff) for diff in notification.diffs]
    return _json({"status": notification.status, "url": notification.url, "diffs": diffs})


def fitting(url: str, diffs: Iterable[Diff]) -> tuple[tuple[Diff, ...], bool]:
    """Return the first diffs that fit into a body of MAX_BODY, and whether any are left out.

    ``url`` is the document's, as in the notification.
    """
    rest = iter(diffs)
    most = _FRAME + _LONGEST * len(url)
    taken: list[Diff] = []
    for diff in rest:
        taken.append(diff)
        most += _FRAME + _LONGEST * sum(map(len, _texts(diff)))
        if most > MAX_BODY:
            return _counted(url, chain(taken, rest))
    return tuple(taken), False


def _texts(diff: Diff) -> tuple[str, ...]:
    return diff.event, diff.keyword, diff.text, diff.snippet


def _counted(url: str, diffs: Iterable[Diff]) -> tuple[tuple[Diff, ...], bool]:
    """Do the same with the exact size of each diff, which takes longer to find out."""
    size = len(_json({"status": "ok", "url": url, "diffs": []}))
    taken: list[Diff] = []
    for diff in diffs:
        size += len(_json(to_builtins(diff))) + (2 if taken else 0)
        if size > MAX_BODY:
            return tuple(taken), True
        taken.append(diff)
    return tuple(taken), False


def _json(value: object) -> bytes:
    return json.dumps(value, ensure_ascii=False).encode()
