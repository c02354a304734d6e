"""The text of JSON: lines of keys and values, in the order of the document."""

import json
from collections.abc import Iterator
from typing import Any

from connectors.readers.charsets import decode
from connectors.readers.errors import Unreadable

_DEEPEST = 100


class _Members(list[tuple[str, Any]]):
    """An object with all its members, even several with one name."""


def read_json(body: bytes, charset: str | None) -> str:
    """Read one line per value, after its key if it has one; numbers as they were written.

    Raises Unreadable for what is not JSON (RFC 8259) or nested deeper than 100 levels.
    """
    try:
        value = json.loads(
            decode(body, charset),
            object_pairs_hook=_Members,
            parse_float=str,
            parse_int=str,
            strict=False,
        )
    except ValueError as error:
        raise Unreadable(f"the content is not JSON: {error}") from None
    except RecursionError:
        raise Unreadable("the JSON is nested too deeply") from None
    return "\n".join(_lines("", value, _DEEPEST))


def _lines(label: str, value: Any, levels: int) -> Iterator[str]:
    if not levels:
        raise Unreadable("the JSON is nested too deeply")
    if not isinstance(value, list):
        yield label + _shown(value)
        return
    if label:
        yield label.rstrip()
    members = value if isinstance(value, _Members) else [("", each) for each in value]
    for key, each in members:
        yield from _lines(f"{key}: " if key else "", each, levels - 1)


def _shown(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)
