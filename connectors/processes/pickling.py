"""Pickle values for another process, dataclasses by the values of their fields alone.

Python looks up the fields of each object in turn, and sets them singly at the other end.
"""

import copyreg
import pickle
from collections.abc import Callable
from dataclasses import fields, is_dataclass
from io import BytesIO
from operator import attrgetter
from typing import Any

_Reduce = Callable[[Any], str | tuple[Any, ...]]


class _Reducers(dict[type, _Reduce]):
    """The pickling of each type, where not Python's own."""

    def __missing__(self, kind: type) -> _Reduce:
        """Return the reducer of a record; copyreg's, or KeyError, for any other type."""
        if not _is_record(kind):
            return copyreg.dispatch_table[kind]
        values_of = attrgetter(*(field.name for field in fields(kind)))

        def reduce(record: object) -> tuple[Any, ...]:
            return kind, values_of(record)

        self[kind] = reduce
        return reduce


def _is_record(kind: type) -> bool:
    """Return whether objects of a type are nothing but the values of two or more fields."""
    is_frozen = is_dataclass(kind) and kind.__dataclass_params__.frozen  # type: ignore[attr-defined]
    return bool(
        is_frozen
        and "__slots__" in vars(kind)
        and not hasattr(kind, "__post_init__")
        and len(fields(kind)) > 1
        and all(field.init and not field.kw_only for field in fields(kind))
    )


class _Pickler(pickle.Pickler):
    dispatch_table = _Reducers()


def pickled(value: object) -> bytes:
    """Pickle a value for ``pickle.loads``.

    >>> pickle.loads(pickled([1, "Zeus"]))
    [1, 'Zeus']
    """
    out = BytesIO()
    _Pickler(out).dump(value)
    return out.getvalue()
