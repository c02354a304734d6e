"""Hypothesis strategies of records, built from their type hints.

``records`` gives what may be said, ``wild`` whatever a schema lets through.
"""

from dataclasses import is_dataclass, replace
from functools import cache
from typing import Any, get_args, get_origin

from hypothesis import strategies as st

from schemas.records.changes import Region
from schemas.records.fields import About, RecordField, record_fields
from schemas.records.notifications import Notification
from schemas.records.rendering import Step, WaitFor
from schemas.records.subscription_facts import SubscriptionFact
from schemas.records.subscriptions import Receiver, Subscription
from schemas.records.views import Selector
from tests.fakes.regions import changed

Values = st.SearchStrategy[Any]

_PLAIN: dict[Any, Values] = {
    int: st.integers(-(2**63), 2**63 - 1),
    bool: st.booleans(),
    str: st.text(max_size=20),
    bytes: st.binary(max_size=20),
}
_PRINTABLE = st.text(st.characters(codec="utf-8", categories=["L", "N", "P"]), max_size=20)
_EXTREME: dict[Any, Values] = {
    **_PLAIN,
    int: st.sampled_from([-(2**63), -1, 0, 1, 2**31, 10**12, 10**15, 2**63 - 1])
    | st.integers(-(2**63), 2**63 - 1),
    str: st.sampled_from(["", "\0", "http://", "http://[/", "*", '"', "x" * 20_000, "ok", "added"])
    | st.text(max_size=20),
}
_CHOSEN: dict[Any, Values] = {
    Step: st.sampled_from([Step(click="#a"), Step(dismiss=True), Step(fill="#b", value="c")]),
    WaitFor: st.sampled_from(
        [WaitFor(text="a"), WaitFor(seconds=3), WaitFor("#a", network_idle=True)]
    ),
}
"""Of records with fields that exclude each other: a few valid ones."""


def records(kind: Any) -> Values:
    """Return any record of a kind that keeps to the contract."""
    return _built(kind, is_extreme=False, is_valid=True)


@cache
def wild(kind: Any) -> Values:
    """Return any record of a kind that can be written, however senseless; often extremes."""
    return _built(kind, is_extreme=True, is_valid=False) | _built(
        kind, is_extreme=True, is_valid=True
    )


@cache  # Hypothesis examines each strategy before its first use, which takes longer than an example
def _built(kind: Any, *, is_extreme: bool, is_valid: bool) -> Values:
    """Return any record of a kind, its fields within their limits if it is valid."""
    if is_valid and kind in _CHOSEN:
        return _CHOSEN[kind]
    parts: dict[str, Values] = {}
    for field in record_fields(kind):
        values = _values(field.type, is_extreme=is_extreme, is_valid=is_valid)
        if is_valid and field.is_limited:
            values = _within(field)
        parts[field.name] = st.none() | values if field.is_optional else values
    built = st.builds(kind, **parts)
    return built.map(_kept) if is_valid else built


@cache
def _values(hint: Any, *, is_extreme: bool, is_valid: bool) -> Values:
    plain = _EXTREME if is_extreme else _PLAIN
    if hint in plain:
        return plain[hint]
    if get_origin(hint) is tuple:
        items = _values(get_args(hint)[0], is_extreme=is_extreme, is_valid=is_valid)
        return st.lists(items, max_size=3).map(tuple)
    record: Any = hint
    assert is_dataclass(hint), hint
    return _built(record, is_extreme=is_extreme, is_valid=is_valid)


def _within(field: RecordField) -> Values:
    about = field.about
    if about.most_items is not None:
        (item,) = {*get_args(field.type)} - {...}
        items = _items(item, about)
        return st.lists(items, max_size=3).map(tuple)
    if field.type is int:
        return st.integers(about.least or 0, about.most)
    if field.type is bytes:
        return st.binary(max_size=20)
    if about.choices:
        return st.sampled_from(about.choices)
    if about.pattern is not None:
        return st.from_regex(about.pattern, fullmatch=True).filter(field.allows)
    return _PRINTABLE.map(lambda text: text or "x" * (about.least or 0))


def _items(item: Any, about: About) -> Values:
    if item is int:
        return st.integers(about.least, about.most)
    if about.pattern is not None and about.printable:
        return _PRINTABLE.filter(about.pattern.fullmatch)
    if about.pattern is not None:
        return st.from_regex(about.pattern, fullmatch=True)
    return _PRINTABLE.filter(bool) if item is str else records(item)


def _kept(record: Any) -> Any:
    """Fix what depends on more than one field."""
    if isinstance(record, Region):
        return changed("giant", "giants and gods") if record.edits else record
    if isinstance(record, Receiver):
        has_client = record.client_url is not None
        return Receiver("http://client.test/") if has_client else Receiver(session="session")
    if isinstance(record, Selector):
        return Selector(css=record.css) if record.css else Selector(xpath=record.xpath or "p")
    if isinstance(record, SubscriptionFact):
        return replace(record, url="http://document.test/")
    if isinstance(record, Subscription) and not record.keywords:
        return replace(record, keywords=("giant",))
    return replace(record, status="ok") if isinstance(record, Notification) else record
