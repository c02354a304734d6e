"""The description of a record's field, once: its meaning, its limits and its name in JSON."""

import re
from collections.abc import Hashable
from dataclasses import MISSING, dataclass, fields, is_dataclass
from functools import cache
from types import UnionType
from typing import Annotated, Any, Union, get_args, get_origin, get_type_hints


@dataclass(frozen=True, slots=True)
class About:
    """Meaning and limits of a field; written as ``Annotated[int, About(…)]``.

    ``least`` and ``most`` limit a number, or the length of a text or of bytes, or each number of a
    list of at most ``most_items``. A text may have to match a ``pattern`` as well, to be
    ``printable``, or to be among the ``choices``. A number 0 may have a word in JSON, ``zero``.
    ``unit`` and ``allowed`` are for messages. ``json_name`` is given where JSON's name is not the
    field's in camel case. In JSON the fields of an inner record stand among the fields of the outer
    record, unless ``nested``. Records with a name and a value are an object there, ``by_name``. A
    ``decimal`` text may be a number in JSON.
    """

    meaning: str = ""
    least: int | None = None
    most: int | None = None
    most_items: int | None = None
    zero: str = ""
    unit: str = ""
    pattern: re.Pattern[str] | None = None
    choices: tuple[str, ...] = ()
    printable: bool = False
    allowed: str = ""
    json_name: str = ""
    nested: bool = False
    by_name: bool = False
    decimal: bool = False


@dataclass(frozen=True, slots=True)
class RecordField:
    """A field of a record; ``type`` is the type of a present value."""

    name: str
    json_name: str
    type: Any
    is_optional: bool
    default: Any
    about: About

    @property
    def is_required(self) -> bool:
        """Whether the field has no default."""
        return self.default is MISSING

    @property
    def is_flat(self) -> bool:
        """Whether the field is a record with fields among those of the outer record in JSON."""
        return is_dataclass(self.type) and not self.about.nested

    @property
    def is_limited(self) -> bool:
        """Whether ``allows`` refuses anything."""
        about = self.about
        has_form = about.pattern is not None or about.printable or bool(about.choices)
        return about.most is not None or about.most_items is not None or has_form

    @property
    def allowed(self) -> str:
        """The allowed values, such as ``0 to 200 characters``."""
        about = self.about
        word = f', or "{about.zero}",' if about.zero else ""
        return about.allowed or f"{about.least or 0} to {about.most} {about.unit}".rstrip() + word

    def allows(self, value: Any) -> bool:
        """Return whether a field may hold a value; an optional value may be absent."""
        if value is None:
            return True
        if isinstance(value, tuple) and self.about.most_items is not None:
            return len(value) <= self.about.most_items and all(map(self._allows_one, value))
        return self._allows_one(value)

    def _allows_one(self, value: Any) -> bool:
        about = self.about
        if isinstance(value, str):
            if about.choices:
                return value in about.choices
            if about.pattern is not None and not about.pattern.fullmatch(value):
                return False
            if about.printable and not value.isprintable():
                return False
        if about.most is None or (about.zero and value == 0):
            return True
        size: int = len(value) if isinstance(value, str | bytes) else value
        return (about.least or 0) <= size <= about.most


@cache
def record_fields(kind: Hashable) -> tuple[RecordField, ...]:
    """Return the fields of a record, in order."""
    hints = get_type_hints(kind, include_extras=True)
    found: list[RecordField] = []
    for each in fields(kind):  # type: ignore[arg-type]  # a record
        hint, outer = _without_about(hints[each.name])
        is_optional = get_origin(hint) in (Union, UnionType)
        if is_optional:
            hint = next(part for part in get_args(hint) if part is not type(None))
        hint, inner = _without_about(hint)
        about = outer or inner or About()
        json_name = about.json_name or camel_case(each.name)
        found.append(RecordField(each.name, json_name, hint, is_optional, each.default, about))
    return tuple(found)


def camel_case(name: str) -> str:
    """Return a field's name in JSON.

    >>> camel_case("snippet_offset")
    'snippetOffset'
    """
    first, *rest = name.split("_")
    return first + "".join(map(str.capitalize, rest))


def _without_about(hint: Any) -> tuple[Any, About | None]:
    if get_origin(hint) is not Annotated:
        return hint, None
    kind, about, *_ = get_args(hint)
    return kind, about
