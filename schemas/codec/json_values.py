"""The values of JSON requests: each of its field's type, and records inside records."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import is_dataclass
from decimal import Decimal
from difflib import get_close_matches
from typing import Any, get_args, get_origin

from msgspec import ValidationError, convert

from schemas.records.faults import MAX_FAULTS
from schemas.records.fields import RecordField, record_fields

MAX_SHOWN = 50
"""Characters of an unknown field's name in a message."""
_MEANINGS = {
    str: "a string",
    bool: "true or false",
    int: "a whole number",
    tuple[str, ...]: "a list of strings",
    tuple[int, ...]: "a list of whole numbers",
}


class InvalidRequestBody(ValueError):
    """The JSON is no request; each of its ``args`` names a field and its valid values."""

    def __str__(self) -> str:
        return "; ".join(self.args)


class Faults:
    """The wrong fields of an object, of which all are to be reported.

    >>> faults = Faults()
    >>> with faults.noted():
    ...     raise InvalidRequestBody("interval: a whole number is allowed")
    >>> faults.texts
    ['interval: a whole number is allowed']
    """

    def __init__(self) -> None:
        """Begin with none."""
        self.texts: list[str] = []

    @contextmanager
    def noted(self) -> Iterator[None]:
        """Note the fault of a field, and go on with the next."""
        try:
            yield
        except InvalidRequestBody as error:
            self.texts += error.args

    def check(self, most: int = 1) -> None:
        """Raise InvalidRequestBody if there are so many faults."""
        if len(self.texts) >= most:
            raise InvalidRequestBody(*self.texts)


def unknown_field(name: str, known: Iterable[str], place: str = "") -> InvalidRequestBody:
    """Return the error for an unknown field at a place, such as ``view.``."""
    lower = {each.lower(): each for each in known}
    near = get_close_matches(name[:MAX_SHOWN].lower(), lower, n=1)
    hint = f"did you mean {lower[near[0]]}?" if near else f"there are {', '.join(lower.values())}"
    # A lone surrogate is in no fact.
    shown = name[:MAX_SHOWN].encode(errors="backslashreplace").decode()
    return InvalidRequestBody(f"{place}{shown}: there is no such field; {hint}")


def nested_value(kind: Any, value: Any, place: str) -> Any:
    """Read a record from an object in JSON, or from a list of objects; null means absent.

    ``place`` is its name in messages, such as ``view.select[1]``. Raises InvalidRequestBody.
    """
    if get_origin(kind) is tuple:
        return _nested_values(get_args(kind)[0], value, place)
    if not isinstance(value, dict):
        raise InvalidRequestBody(f"{place}: an object is allowed")
    by_name = {field.json_name: field for field in record_fields(kind)}
    values, faults = {}, Faults()
    for name, each in value.items():
        faults.check(MAX_FAULTS)
        with faults.noted():
            if name not in by_name:
                raise unknown_field(name, by_name, f"{place}.")
            if each is not None:
                field = by_name[name]
                values[field.name] = _value(field, each, f"{place}.{name}")
    faults.check()
    try:
        return kind(**values)
    except TypeError:
        needed = ", ".join(name for name, field in by_name.items() if field.is_required)
        raise InvalidRequestBody(f"{place}: {needed} must be given") from None


def nested_json(record: Any) -> dict[str, Any]:
    """Return the fields of a record other than the default, as read by ``nested_value``.

    >>> from schemas.records.views import Selector, ViewOptions
    >>> nested_json(ViewOptions(select=(Selector(css="#price"),)))
    {'select': [{'css': '#price'}]}
    """
    found = {}
    kind: Any = type(record)
    for field in record_fields(kind):
        value = getattr(record, field.name)
        if value != field.default:
            is_object = field.about.by_name
            found[field.json_name] = (
                {each.name: each.value for each in value} if is_object else _json(value)
            )
    return found


def checked_value(field: RecordField, value: Any, place: str) -> Any:
    """Return a value of the field's type; ``convert`` knows True is no number.

    ``place`` is its name in messages. Raises InvalidRequestBody.
    """
    if field.about.zero and value in (0, field.about.zero):
        if value == 0:
            raise InvalidRequestBody(f"{place}: {field.allowed} is allowed")
        return 0
    if isinstance(value, Decimal | int) and not isinstance(value, bool):
        value = _number(value, is_text=field.about.decimal)
    try:
        found = convert(value, field.type)
    except (ValidationError, UnicodeError):  # a lone surrogate is a UnicodeError
        raise InvalidRequestBody(f"{place}: {_MEANINGS[field.type]} is allowed") from None
    values = found if isinstance(found, tuple) else (found,)
    if any(isinstance(each, str) and not is_text(each) for each in values):
        raise InvalidRequestBody(f"{place}: a lone surrogate is no text")
    if any(isinstance(each, int) and not -(2**63) <= each < 2**63 for each in values):
        raise InvalidRequestBody(f"{place}: the number is too large")
    return found


def _number(value: Decimal | int, *, is_text: bool) -> Any:
    """Return a number of JSON as written where the digits matter."""
    if is_text:
        return str(value)
    return float(value) if isinstance(value, Decimal) else value


def is_text(value: str) -> bool:
    """Return whether a string can be written as UTF-8."""
    return value.isascii() or not any("\ud800" <= char <= "\udfff" for char in value)


def _nested_values(kind: Any, values: Any, place: str) -> Any:
    if not isinstance(values, list):
        raise InvalidRequestBody(f"{place}: a list of objects is allowed")
    found, faults = [], Faults()
    for at, each in enumerate(values):
        faults.check(MAX_FAULTS)
        with faults.noted():
            found.append(nested_value(kind, each, f"{place}[{at}]"))
    faults.check()
    return tuple(found)


def _value(field: RecordField, value: Any, place: str) -> Any:
    kinds = get_args(field.type)
    if not field.about.by_name:
        if any(map(is_dataclass, (field.type, *kinds))):
            return nested_value(field.type, value, place)
        return checked_value(field, value, place)
    # Records with a name and a value are an object in JSON.
    if not isinstance(value, dict):
        raise InvalidRequestBody(f"{place}: an object of strings is allowed")
    for name, each in value.items():
        if not isinstance(each, str) or not is_text(name + each):
            raise InvalidRequestBody(f"{place}.{name[:MAX_SHOWN]!a}: a string is allowed")
    return tuple(kinds[0](name, each) for name, each in value.items())


def _json(value: Any) -> Any:
    if is_dataclass(value):
        return nested_json(value)
    return list(map(_json, value)) if isinstance(value, tuple) else value
