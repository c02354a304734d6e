"""A request as JSON: the REST body, and what a person produces with kcat.

Field names are REST's; ``action`` is the request's name in small letters, ``subscribe`` by default.
"""

import json
from typing import Any

from schemas.facts import Cancel, ClientRequest, Pause, Resume, Rotate, Subscribe, Test

_STRING = (str, "a string")
_FLAG = (bool, "true or false")
_NUMBER = (int, "a whole number")

# JSON name → (field, type, what is allowed)
_COMMON = {
    "documentUrl": ("document_url", *_STRING),
    "clientUrl": ("client_url", *_STRING),
    "requestId": ("request_id", *_STRING),
    "manager": ("manager", *_STRING),
}
_TARGET = _COMMON | {"session": ("session", *_STRING)}
_SUBSCRIBE = _TARGET | {
    "keywords": ("keywords", list, "a list of strings"),
    "documentContentType": ("content_type", *_STRING),
    "interval": ("interval", *_NUMBER),
    "ignoreAdded": ("ignore_added", *_FLAG),
    "ignoreRemoved": ("ignore_removed", *_FLAG),
    "enableStemming": ("enable_stemming", *_FLAG),
    "filterStopwords": ("filter_stopwords", *_FLAG),
    "ignoreCase": ("ignore_case", *_FLAG),
    "snippetOffset": ("snippet_offset", *_NUMBER),
    "replace": ("replace", *_FLAG),
}
SUBSCRIBE_NAMES = {name: field for name, (field, _, _) in _SUBSCRIBE.items()}
"""The JSON name of each field of a Subscribe, and what it is called here."""
_ACTIONS: dict[str, tuple[type[Any], dict[str, tuple[str, type[Any], str]]]] = {
    "subscribe": (Subscribe, _SUBSCRIBE),
    "cancel": (Cancel, _TARGET),
    "rotate": (Rotate, _COMMON),
    "pause": (Pause, _TARGET),
    "resume": (Resume, _TARGET),
    "test": (Test, _TARGET),
}


class InvalidRequestBody(ValueError):
    """Not a JSON request; the text names the field and what is allowed."""


def parse_request(data: bytes) -> ClientRequest:
    """Read a request with its ``action``, or raise InvalidRequest."""
    body = parse_object(data)
    action = body.pop("action", "subscribe")
    if not isinstance(action, str) or action not in _ACTIONS:
        raise InvalidRequestBody(f"action: one of {', '.join(_ACTIONS)} is allowed")
    return parse(action, body)


def parse(action: str, body: dict[str, Any]) -> ClientRequest:
    """Read the fields of the request that an action is, or raise InvalidRequest."""
    kind, names = _ACTIONS[action]
    return _fill(kind, names, body)  # type: ignore[no-any-return]  # a request


def parse_object(data: bytes) -> dict[str, Any]:
    """Read a JSON object in UTF-8, or raise InvalidRequest."""
    try:
        text = data.decode("utf-8")
        body = json.loads(text, object_pairs_hook=_unique, parse_constant=_refuse)
    except (ValueError, RecursionError) as error:
        raise InvalidRequestBody(f"not JSON in UTF-8: {error}") from error
    if not isinstance(body, dict):
        raise InvalidRequestBody("a JSON object is expected")
    return body


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Of two values of one name neither is surely the one that was meant."""
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a name stands twice in one object")
    return found


def _refuse(constant: str) -> None:
    raise ValueError(f"{constant} is no JSON number (RFC 8259, section 6)")


def _fill(kind: type[Any], names: dict[str, tuple[str, type[Any], str]], body: Any) -> Any:
    """Unknown fields are ignored and null means absent.

    A missing document URL or keyword list is left to the register: its codes
    say more than "invalid format".
    """
    values: dict[str, Any] = {"document_url": ""}
    if kind is Subscribe:
        values["keywords"] = ()
    for name, (field, allowed, meaning) in names.items():
        value = body.get(name)
        if value is not None:
            values[field] = _checked(name, value, allowed, meaning)
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
