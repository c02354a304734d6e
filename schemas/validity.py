"""What facts must say beyond their schemas, so that no stage need expect less.

Requests are not looked at here: the register answers them with a code. Neither is
what a table holds, for its own stage wrote it.
"""

import re
from collections.abc import Callable, Hashable, Iterator
from dataclasses import is_dataclass
from functools import cache
from typing import Any, get_args, get_type_hints

from schemas.facts import (
    Cancelled,
    ClientRequest,
    DocumentChanged,
    DocumentUnreachable,
    Due,
    Expire,
    Expired,
    Forget,
    Hunk,
    Notification,
    Options,
    Receiver,
    Rejected,
    Subscribed,
    Subscription,
    Watch,
)
from schemas.state import State
from schemas.urls import MAX_URL

MAX_INTERVAL = 10 * 365 * 24 * 3600
"""Seconds."""
MAX_SNIPPET_OFFSET = 200
MAX_TIME = 253_402_300_799_999
"""Epoch ms: the end of the year 9999, the last that RFC 3339 can write."""
MAX_NAME = 256
"""Characters of an id, a manager, a session, a content type that is asked for."""
MAX_TEXT = 10_000
"""Characters of a reason, or of a content type as a server names it."""

_Test = Callable[[Any], bool]
_Rule = tuple[_Test, str]

# Only the shape that stages rely on: that a URL is canonical costs ten times as much to tell.
_URL = re.compile(r"https?://[!-.0-~]+/[!-~]*")


def _is_url(value: str) -> bool:
    return len(value) <= MAX_URL and _URL.fullmatch(value) is not None


def _among(low: int, high: int) -> _Test:
    return lambda value: value is None or low <= value <= high


def _at_most(length: int) -> _Test:
    return lambda value: value is None or len(value) <= length


def _is_name(value: Any) -> bool:
    return not isinstance(value, str) or (len(value) <= MAX_NAME and value.isprintable())


_TIME = _among(0, MAX_TIME), "a time from 1970 to 9999, in ms"
_COUNT = _among(0, 2**31), "a count"
_NAME = _is_name, f"at most {MAX_NAME} printable characters"
_GIVEN_NAME = _at_most(MAX_NAME), f"at most {MAX_NAME} characters"
_TEXT = _at_most(MAX_TEXT), f"at most {MAX_TEXT} characters"
_CLIENT = (lambda value: value is None or _is_url(value), "an http or https URL")

_FIELDS: dict[str, _Rule] = {
    **dict.fromkeys(("again", "at", "created", "rotated", "slot", "time"), _TIME),
    **dict.fromkeys(("attempts", "made", "part", "rotation", "start"), _COUNT),
    **dict.fromkeys(("id", "change", "notification", "subscription", "watch", "language"), _NAME),
    **dict.fromkeys(("manager", "session"), _GIVEN_NAME),
    **dict.fromkeys(("content_type", "reason"), _TEXT),
    "client_url": _CLIENT,
    "interval": (_among(1, MAX_INTERVAL), f"1 to {MAX_INTERVAL} seconds"),
    "snippet_offset": (_among(0, MAX_SNIPPET_OFFSET), f"0 to {MAX_SNIPPET_OFFSET}"),
    "event": (lambda value: value in {"added", "removed"}, "'added' or 'removed'"),
}

_HAS_URL = (lambda fact: _is_url(fact.url), "url: an http or https URL")
_WATCHES_URL = (lambda fact: fact.watch is None or _is_url(fact.url), _HAS_URL[1])
_ASKED_TYPE = (
    lambda fact: fact.content_type is None or len(fact.content_type) <= MAX_NAME,
    f"content_type: at most {MAX_NAME} characters",
)
_HAS_ONE_CLIENT = (
    lambda fact: (fact.client_url is None) != (fact.session is None),
    "client_url, session: exactly one of them",
)

_RECORDS: dict[type[Any], tuple[_Rule, ...]] = {
    **dict.fromkeys((Forget, Expire, DocumentChanged, DocumentUnreachable), (_HAS_URL,)),
    **dict.fromkeys((Subscribed, Cancelled, Rejected, Expired), (_WATCHES_URL,)),
    Due: (_HAS_URL, _ASKED_TYPE),
    Watch: (_ASKED_TYPE,),
    Receiver: (_HAS_ONE_CLIENT,),
    Options: (_ASKED_TYPE,),
    Subscription: (
        _HAS_URL,
        (lambda fact: len(fact.keywords) > 0, "keywords: at least one"),
    ),
    Hunk: ((lambda hunk: hunk.removed is not hunk.added, "a hunk: something removed or added"),),
    Notification: (
        (lambda fact: fact.status in {"ok", "timeout"}, "status: 'ok' or 'timeout'"),
        (lambda fact: len(fact.url) <= MAX_URL, f"url: at most {MAX_URL} characters"),
    ),
}


_LEFT_ALONE = frozenset(get_args(ClientRequest) + get_args(State))


def fault(record: Any) -> str | None:
    """Say what is allowed where a fact says something else; None if it is well."""
    return None if type(record) in _LEFT_ALONE else next(_faults(record), None)


def _faults(record: Any) -> Iterator[str]:
    kind: Any = type(record)
    tested, nested = _plan(kind)
    for name, (test, allowed) in tested:
        if not test(getattr(record, name)):
            yield f"{name}: {allowed}"
    yield from (allowed for test, allowed in _RECORDS.get(kind, ()) if not test(record))
    for name in nested:
        found = getattr(record, name)
        for part in found if isinstance(found, tuple) else (found,):
            if part is not None:
                yield from _faults(part)


@cache
def _plan(kind: Hashable) -> tuple[tuple[tuple[str, _Rule], ...], tuple[str, ...]]:
    """Which fields of a record are tested, and which hold records themselves."""
    hints = get_type_hints(kind)
    tested = tuple((name, _FIELDS[name]) for name in hints if name in _FIELDS)
    return tested, tuple(name for name, hint in hints.items() if _holds_records(hint))


def _holds_records(hint: Any) -> bool:
    return any(is_dataclass(part) for part in (hint, *get_args(hint)))
