"""A request as JSON: the REST body, and what a person produces with kcat.

JSON is flat and in camel case, whatever the record nests: ``options.ignore_case`` is
``ignoreCase``. ``action`` is the request's name in small letters, ``subscribe`` by default.
"""

import json
from collections.abc import Hashable
from dataclasses import fields, is_dataclass
from functools import cache
from typing import Any, get_args, get_type_hints

from schemas.facts import Cancel, ClientRequest, Pause, Resume, Rotate, Subscribe, Test

_ACTIONS: dict[str, type[Any]] = {
    kind.__name__.lower(): kind for kind in (Subscribe, Cancel, Rotate, Pause, Resume, Test)
}
_OTHER_NAMES = {"content_type": "documentContentType"}
_TYPES: dict[Any, tuple[type[Any], str]] = {
    str: (str, "a string"),
    bool: (bool, "true or false"),
    int: (int, "a whole number"),
    tuple[str, ...]: (list, "a list of strings"),
}
_ABSENT = {"document_url": "", "keywords": ()}
"""Left to the register, whose codes say more than "invalid format"."""


class InvalidRequestBody(ValueError):
    """Not a JSON request; the text names the field and what is allowed."""


def parse_request(data: bytes) -> ClientRequest:
    """Read a request with its ``action``, or raise InvalidRequestBody."""
    body = parse_object(data)
    action = body.pop("action", "subscribe")
    if not isinstance(action, str) or action not in _ACTIONS:
        raise InvalidRequestBody(f"action: one of {', '.join(_ACTIONS)} is allowed")
    return parse(action, body)


def parse(action: str, body: dict[str, Any]) -> ClientRequest:
    """Read the fields of the request that an action is, or raise InvalidRequestBody.

    Unknown fields are ignored and null means absent.
    """
    return _record(_ACTIONS[action], body)  # type: ignore[no-any-return]  # a request


def parse_object(data: bytes) -> dict[str, Any]:
    """Read a JSON object in UTF-8, or raise InvalidRequestBody."""
    try:
        text = data.decode("utf-8")
        body = json.loads(text, object_pairs_hook=_unique, parse_constant=_refuse)
    except (ValueError, RecursionError) as error:
        raise InvalidRequestBody(f"not JSON in UTF-8: {error}") from error
    if not isinstance(body, dict):
        raise InvalidRequestBody("a JSON object is expected")
    return body


def names(kind: Hashable) -> tuple[str, ...]:
    """Return the JSON names of a record's fields, in order, those of nested records among them."""
    parts = (names(hint) if _is_record(hint) else (name,) for _, name, hint in _plan(kind))
    return tuple(name for part in parts for name in part)


def flat(record: Any) -> dict[str, Any]:
    """Return a record's fields by their JSON names, those of nested records among them."""
    found: dict[str, Any] = {}
    kind: Any = type(record)
    for field, name, hint in _plan(kind):
        value = getattr(record, field)
        found |= flat(value) if _is_record(hint) else {name: value}
    return found


@cache
def _plan(kind: Hashable) -> tuple[tuple[str, str, Any], ...]:
    """Name, JSON name and type of each field."""
    hints = get_type_hints(kind)
    each = (field.name for field in fields(kind))  # type: ignore[arg-type]  # a dataclass
    return tuple((field, _json_name(field), _item(hints[field])) for field in each)


def _json_name(field: str) -> str:
    first, *rest = field.split("_")
    return _OTHER_NAMES.get(field, first + "".join(map(str.capitalize, rest)))


def _item(hint: Any) -> Any:
    """Return the type that is optional in ``hint``, or the hint."""
    parts = [part for part in get_args(hint) if part is not type(None)]
    return parts[0] if type(None) in get_args(hint) else hint


def _is_record(hint: Any) -> bool:
    return is_dataclass(hint)


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Of two values of one name neither is surely the one that was meant."""
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a name stands twice in one object")
    return found


def _refuse(constant: str) -> None:
    raise ValueError(f"{constant} is no JSON number (RFC 8259, section 6)")


def _record(kind: Any, body: dict[str, Any]) -> Any:
    values: dict[str, Any] = {}
    for field, name, hint in _plan(kind):
        if _is_record(hint):
            values[field] = _record(hint, body)
        elif (value := body.get(name)) is not None:
            values[field] = _checked(name, value, *_TYPES[hint])
        elif field in _ABSENT:
            values[field] = _ABSENT[field]
    return kind(**values)


def _checked(name: str, value: Any, allowed: type[Any], meaning: str) -> Any:
    if type(value) is not allowed:  # an exact match, for True is an int in Python
        raise InvalidRequestBody(f"{name}: {meaning} is allowed")
    if allowed is list:
        if not all(isinstance(item, str) for item in value):
            raise InvalidRequestBody(f"{name}: {meaning} is allowed")
        value = tuple(value)
    texts = value if allowed is list else (value,)
    if any(isinstance(text, str) and not _is_text(text) for text in texts):
        raise InvalidRequestBody(f"{name}: a lone surrogate is no text")
    if allowed is int and not -(2**63) <= value < 2**63:
        raise InvalidRequestBody(f"{name}: the number is too large")
    return value


def _is_text(value: str) -> bool:
    return value.isascii() or not any("\ud800" <= char <= "\udfff" for char in value)
