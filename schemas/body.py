"""The JSON body of a notification, exactly as receivers get it."""

import json
from collections.abc import Iterable
from dataclasses import asdict

from schemas.facts import Diff, Notification

MAX_BODY = 256 * 1024
"""Bytes of a body, as UTF-8."""


def body(notification: Notification) -> bytes:
    """Write the body of a notification, as UTF-8."""
    diffs = [asdict(diff) for diff in notification.diffs]
    return _json({"status": notification.status, "url": notification.url, "diffs": diffs})


def fitting(url: str, diffs: Iterable[Diff]) -> tuple[tuple[Diff, ...], bool]:
    """Take diffs, in order, while their body stays within MAX_BODY; say whether any is left out.

    ``url`` is the document's, as the notification gives it.
    """
    size = len(_json({"status": "ok", "url": url, "diffs": []}))
    taken: list[Diff] = []
    for diff in diffs:
        size += len(_json(asdict(diff))) + (2 if taken else 0)
        if size > MAX_BODY:
            return tuple(taken), True
        taken.append(diff)
    return tuple(taken), False


def _json(value: object) -> bytes:
    return json.dumps(value, ensure_ascii=False).encode()
