"""Requests in JSON: the body of a REST call, or a message produced by hand with kcat.

JSON is flat and in camel case, even if the record is nested: ``options.ignore_case`` is
``ignoreCase``; only a view is an object there. ``action`` is the request's name in small letters,
``subscribe`` by default.
"""

import json
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, is_dataclass
from decimal import Decimal
from functools import cache
from itertools import islice
from typing import Any

from schemas.codec.json_values import (
    MAX_SHOWN,
    Faults,
    InvalidRequestBody,
    checked_value,
    is_text,
    nested_json,
    nested_value,
    unknown_field,
)
from schemas.records.faults import MAX_FAULTS, Fault, format_fault
from schemas.records.field_types import MAX_NAME
from schemas.records.fields import RecordField, record_fields
from schemas.records.requests import (
    Backfill,
    Cancel,
    Check,
    ClientRequest,
    Pause,
    Rename,
    Resume,
    Rotate,
    Subscribe,
    SubscriptionRequest,
    Test,
)
from schemas.records.subscriptions import Receiver

_ACTIONS: dict[str, type[Any]] = {
    kind.__name__.lower(): kind
    for kind in (Subscribe, Cancel, Rotate, Pause, Resume, Rename, Test, Check, Backfill)
}
_ABSENT = {"document_url": "", "keywords": ()}
"""Values of absent fields refused by the register with particular codes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FaultyRequest(SubscriptionRequest):
    """A JSON object is no valid request: its faults, and its readable part."""

    faults: tuple[Fault, ...]
    readable: ClientRequest | None


def parse_request(data: bytes) -> ClientRequest | FaultyRequest:
    """Read a request with its ``action``; raises InvalidRequestBody for anything but an object.

    >>> parse_request(b'{"documentUrl": "https://example.org/", "intervall": 60}').faults[0].detail
    'intervall: there is no such field; did you mean interval?'
    """
    body = parse_object(data)
    action = body.pop("action", "subscribe")
    if not isinstance(action, str) or action not in _ACTIONS:
        return _invalid(body, [format_fault(f"action: one of {', '.join(_ACTIONS)} is allowed")])
    request, faults = readable_request(action, body)
    return _invalid(body, faults, request) if faults else request


def parse(action: str, body: dict[str, Any]) -> ClientRequest:
    """Read the fields of the request of an action, or raise InvalidRequestBody.

    Null means absent. The fields of a Subscribe may be in every request, so the same object also
    cancels its subscription.
    """
    request, faults = readable_request(action, body)
    if faults:
        raise InvalidRequestBody(*(fault.detail for fault in faults))
    return request


def readable_request(action: str, body: dict[str, Any]) -> tuple[ClientRequest, tuple[Fault, ...]]:
    """Read the readable part of the request of an action, and return the faults, too.

    An unreadable field is absent in the request.
    """
    kind: Any = _ACTIONS[action]
    known, faults = dict.fromkeys(json_names(Subscribe) + json_names(kind)), Faults()
    for name in islice((name for name in body if name not in known), MAX_FAULTS):
        with faults.noted():
            raise unknown_field(name, known)
    request: ClientRequest = _record(kind, body, faults)
    return request, tuple(map(format_fault, faults.texts[:MAX_FAULTS]))


def readable_subscribe(body: dict[str, Any]) -> tuple[Subscribe, tuple[Fault, ...]]:
    """Read the readable part of a subscription, and return the faults, too."""
    request, faults = readable_request("subscribe", body)
    assert isinstance(request, Subscribe), "the action says so"
    return request, faults


def parse_object(data: bytes) -> dict[str, Any]:
    """Read a JSON object in UTF-8, or raise InvalidRequestBody."""
    try:
        text = data.decode("utf-8")
        body = json.loads(
            text, object_pairs_hook=_unique, parse_constant=_refuse, parse_float=_decimal
        )
    except (ValueError, RecursionError) as error:
        raise InvalidRequestBody(f"not JSON in UTF-8: {error}") from error
    if not isinstance(body, dict):
        raise InvalidRequestBody("a JSON object is expected")
    return body


@cache
def json_names(kind: Hashable) -> tuple[str, ...]:
    """Return the JSON names of a record's fields, in order, those of nested records among them.

    >>> from schemas.records.subscriptions import Receiver
    >>> json_names(Receiver)
    ('clientUrl', 'session')
    """
    found: list[str] = []
    for field in record_fields(kind):
        found += json_names(field.type) if field.is_flat else [field.json_name]
    return tuple(found)


def flat_json(record: Any) -> dict[str, Any]:
    """Return a record's fields by their JSON names, those of flat records among them.

    A nested record is None where default.

    >>> from schemas.records.subscriptions import Receiver
    >>> flat_json(Receiver(session="my-reader"))
    {'clientUrl': None, 'session': 'my-reader'}
    """
    found: dict[str, Any] = {}
    kind: Any = type(record)
    for field in record_fields(kind):
        value = getattr(record, field.name)
        if field.is_flat:
            found |= flat_json(value)
        elif is_dataclass(value):
            found[field.json_name] = nested_json(value) or None
        else:
            found[field.json_name] = field.about.zero or value if value == 0 else value
    return found


def present_json(record: Any) -> dict[str, Any]:
    """Return the same without absent fields.

    >>> from schemas.records.subscriptions import Receiver
    >>> present_json(Receiver(session="my-reader"))
    {'session': 'my-reader'}
    """
    return {name: value for name, value in flat_json(record).items() if value is not None}


def _invalid(
    body: dict[str, Any], faults: Sequence[Fault], readable: ClientRequest | None = None
) -> FaultyRequest:
    """Keep the part of an invalid request for the recognition of its answer."""
    url, request_id, manager = (body.get(name) for name in ("documentUrl", "requestId", "manager"))
    return FaultyRequest(
        url if isinstance(url, str) and is_text(url) else "",
        Receiver(),
        request_id if _is_name(request_id) else None,
        str(manager) if _is_name(manager) else "default",
        faults=tuple(faults),
        readable=readable,
    )


def _is_name(value: Any) -> bool:
    return isinstance(value, str) and is_text(value) and 0 < len(value) <= MAX_NAME


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Refuse a name given twice, because either value may be the wrong one."""
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a name stands twice in one object")
    return found


def _decimal(text: str) -> Decimal:
    try:
        return Decimal(text)
    except ArithmeticError:
        raise ValueError(f"the number {text[:MAX_SHOWN]} is too large or too small") from None


def _refuse(constant: str) -> None:
    raise ValueError(f"{constant} is no JSON number (RFC 8259, section 6)")


def _record(kind: Any, body: dict[str, Any], faults: Faults) -> Any:
    values: dict[str, Any] = {}
    for field, is_flat in _fields(kind):
        if is_flat:
            values[field.name] = _record(field.type, body, faults)
            continue
        if field.name in _ABSENT:
            values[field.name] = _ABSENT[field.name]
        value = body.get(field.json_name)
        if value is not None:
            with faults.noted():
                if field.about.nested:
                    values[field.name] = nested_value(field.type, value, field.json_name)
                else:
                    values[field.name] = checked_value(field, value, field.json_name)
    return kind(**values)


@cache
def _fields(kind: Hashable) -> tuple[tuple[RecordField, bool], ...]:
    """Return the fields of a record, each with whether flat."""
    return tuple((each, each.is_flat) for each in record_fields(kind))
