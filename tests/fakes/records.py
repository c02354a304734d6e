"""Hypothesis strategies of records, built from their type hints."""

from dataclasses import fields, is_dataclass
from types import UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints

from hypothesis import strategies as st

_PLAIN: dict[Any, st.SearchStrategy[Any]] = {
    int: st.integers(-(2**63), 2**63 - 1),
    bool: st.booleans(),
    str: st.text(max_size=20),
}


def records(hint: Any) -> st.SearchStrategy[Any]:
    """Give any value of a hint that a record's field may have."""
    if hint in _PLAIN:
        return _PLAIN[hint]
    if get_origin(hint) in (Union, UnionType):
        item = next(part for part in get_args(hint) if part is not type(None))
        return st.none() | records(item)
    if get_origin(hint) is tuple:
        return st.lists(records(get_args(hint)[0]), max_size=3).map(tuple)
    assert is_dataclass(hint), hint
    hints = get_type_hints(hint)
    build: Any = hint
    return st.builds(build, **{each.name: records(hints[each.name]) for each in fields(hint)})
