"""Hypothesis strategies of records, built from their type hints.

``records`` gives what may be said, ``wild`` whatever a schema lets through.
"""

from collections.abc import Mapping
from dataclasses import fields, is_dataclass, replace
from types import UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints

from hypothesis import strategies as st

from schemas import validity
from schemas.facts import Hunk, Notification, Passage, Receiver, Subscription

Values = st.SearchStrategy[Any]

_PLAIN: dict[Any, Values] = {
    int: st.integers(-(2**63), 2**63 - 1),
    bool: st.booleans(),
    str: st.text(max_size=20),
}
_NAMES = st.text(st.characters(codec="utf-8", categories=["L", "N", "P"]), max_size=20)
_URLS = st.from_regex(r"https?://[a-z0-9.]{1,9}/[!-~]{0,9}", fullmatch=True)
_TIMES = st.integers(0, validity.MAX_TIME)
_COUNTS = st.integers(0, 2**31)
_ALLOWED: dict[str, Values] = {
    **dict.fromkeys(("again", "at", "created", "rotated", "slot", "time"), _TIMES),
    **dict.fromkeys(("attempts", "made", "part", "rotation", "start"), _COUNTS),
    **dict.fromkeys(("id", "change", "notification", "subscription", "watch", "language"), _NAMES),
    "url": _URLS,
    "client_url": _URLS,
    "interval": st.integers(1, validity.MAX_INTERVAL),
    "snippet_offset": st.integers(0, validity.MAX_SNIPPET_OFFSET),
    "event": st.sampled_from(["added", "removed"]),
}
_EXTREME: dict[Any, Values] = {
    **_PLAIN,
    int: st.sampled_from([-(2**63), -1, 0, 1, 2**31, 10**12, 10**15, 2**63 - 1])
    | st.integers(-(2**63), 2**63 - 1),
    str: st.sampled_from(["", "\0", "http://", "http://[/", "*", '"', "x" * 20_000, "ok", "added"])
    | st.text(max_size=20),
}


def records(kind: Any) -> Values:
    """Give any record of a kind that keeps to the contract."""
    return _built(kind, _PLAIN, _ALLOWED)


def wild(kind: Any) -> Values:
    """Give any record of a kind that can be written, however senseless; often extremes."""
    return _built(kind, _EXTREME, {}) | _built(kind, _EXTREME, _ALLOWED)


def _built(hint: Any, plain: Mapping[Any, Values], allowed: Mapping[str, Values]) -> Values:
    """Give any value of a hint; ``allowed`` narrows fields of these names."""
    if hint in plain:
        return plain[hint]
    if get_origin(hint) in (Union, UnionType):
        item = next(part for part in get_args(hint) if part is not type(None))
        return st.none() | _built(item, plain, allowed)
    if get_origin(hint) is tuple:
        return st.lists(_built(get_args(hint)[0], plain, allowed), max_size=3).map(tuple)
    assert is_dataclass(hint), hint
    hints = get_type_hints(hint)
    parts = {
        name: allowed[name]
        if name in allowed and hints[name] in (int, str)
        else _built(hints[name], plain, allowed)
        for name in (each.name for each in fields(hint))
    }
    build: Any = hint
    built = st.builds(build, **parts)
    return built.map(_kept) if allowed else built


def _kept(record: Any) -> Any:
    """Mend what depends on more than one field."""
    if isinstance(record, Hunk) and record.removed is record.added:
        return Hunk(Passage("giant", 0, "", ""), None)
    if isinstance(record, Receiver):
        has_client = record.client_url is not None
        return Receiver("http://client.test/") if has_client else Receiver(session="session")
    if isinstance(record, Subscription) and not record.keywords:
        return replace(record, keywords=("giant",))
    return replace(record, status="ok") if isinstance(record, Notification) else record
