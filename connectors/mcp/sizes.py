"""Keep the answers of tools small: a model pays for each word, and remembers all."""

from itertools import product
from typing import Any

import msgspec

MAX_ANSWER = 20_000
"""Bytes of JSON."""
_TEXTS = (2_000, 600, 200, 80)
_LISTS = (100, 40, 15, 5, 2, 1)


def bounded(value: Any, most: int = MAX_ANSWER) -> str:
    """Return JSON of at most so many bytes: texts are cut first, then lists.

    A cut is visible: a text ends with an ellipsis and the number of omitted characters, a list with
    the number of its other items.

    >>> bounded({"a": list(range(100))}, 40)
    '{"a":[0,1,2,3,4,"… 95 more"]}'
    """
    whole = msgspec.json.encode(value)
    if len(whole) <= most:
        return whole.decode()
    for items, characters in product(_LISTS, _TEXTS):
        cut = msgspec.json.encode(_cut(value, characters, items))
        if len(cut) <= most:
            return cut.decode()
    return '{"error":"The answer is too large. Ask for fewer items, or for one of them."}'


def _cut(value: Any, characters: int, items: int) -> Any:
    match value:
        case str() if len(value) > characters:
            return f"{value[:characters]}… ({len(value) - characters} more characters)"
        case list():
            left = [f"… {len(value) - items} more"] if len(value) > items else []
            return [_cut(each, characters, items) for each in value[:items]] + left
        case dict():
            return {name: _cut(each, characters, items) for name, each in value.items()}
    return value
