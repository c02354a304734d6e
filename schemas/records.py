"""Dataclass ↔ plain dict, built once per class from its type hints."""

from collections.abc import Callable, Hashable
from dataclasses import MISSING, fields, is_dataclass
from functools import cache
from types import UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints

_Convert = Callable[[Any], Any]


def to_dict(record: Any) -> dict[str, Any]:
    """Give the fields of a fact or state record, nested records as dicts."""
    kind: Any = type(record)
    values: dict[str, Any] = _writer(kind)(record)
    return values


def from_dict(kind: Hashable, values: dict[str, Any]) -> Any:
    """Make a ``kind`` of what ``to_dict`` gave; absent fields take their default."""
    return _reader(kind)(values)


def _item(hint: Any) -> Any:
    """The type that is optional or repeated in ``hint``, or None."""
    if get_origin(hint) in (Union, UnionType):
        return next(part for part in get_args(hint) if part is not type(None))
    return None


@cache
def _writer(hint: Hashable) -> _Convert:
    if is_dataclass(hint) and isinstance(hint, type):
        parts = [(f.name, _converter(hint, f.name, _writer)) for f in fields(hint)]
        return lambda record: {
            name: getattr(record, name) if convert is None else convert(getattr(record, name))
            for name, convert in parts
        }
    return _container(hint, _writer, list)


@cache
def _reader(hint: Hashable) -> _Convert:
    if is_dataclass(hint) and isinstance(hint, type):
        names = [f.name for f in fields(hint)]
        defaults = {f.name: f.default for f in fields(hint) if f.default is not MISSING}
        parts = [(name, _converter(hint, name, _reader)) for name in names]
        converted = [(name, convert) for name, convert in parts if convert is not None]

        def read(values: dict[str, Any]) -> Any:
            found = defaults | values
            for name, convert in converted:
                if name in values:
                    found[name] = convert(values[name])
            # By their order; by their names takes twice the time.
            return hint(*map(found.__getitem__, names))

        return read
    return _container(hint, _reader, tuple)


def _converter(kind: type[Any], name: str, build: Callable[[Any], _Convert]) -> _Convert | None:
    """What turns one field over, or None where the value stays as it is."""
    hint = get_type_hints(kind)[name]
    inner = _item(hint) or hint
    plain = not is_dataclass(inner) and get_origin(inner) is not tuple
    return None if plain else build(hint)


def _container(hint: Any, build: Callable[[Any], _Convert], sequence: type[Any]) -> _Convert:
    """Turn optional records and tuples of records or plain values over."""
    inner = _item(hint)
    if inner is not None:
        convert = build(inner)
        return lambda value: None if value is None else convert(value)
    element = get_args(hint)[0]
    if not is_dataclass(element):
        return sequence
    convert = build(element)
    return lambda values: sequence(map(convert, values))
