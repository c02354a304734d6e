"""Decode Avro's binary form to records, by functions generated from their schemas.

fastavro's reader makes dicts, and consults the schema at each value: with the conversion to records
this takes two to three times as long. Source: Avro 1.12 specification, "Binary Encoding".
"""

from collections.abc import Callable
from dataclasses import is_dataclass
from itertools import count
from typing import Any, get_args

from msgspec import convert

from schemas.records.fields import record_fields

Read = Callable[[bytes, int], tuple[Any, int]]
"""Reads a value of some bytes from an offset on; returns the value, and the offset after."""

MOST_KNOWN, LARGEST_KNOWN = 8, 4_000
"""The most records of a kind, and bytes of each, decoded once for all their messages."""
_SAME_IN_MANY = {"Options"}
"""Large records which are equal in many messages."""

_STEP = " " * 4
_LENGTH = """\
n = data[at]
at += 1
if n > 127:
    byte = data[at]
    if byte > 127:
        n, at = rest(data, at, n)
    else:
        n += (byte << 7) - 128
        at += 1
"""
_BYTES = (
    _LENGTH
    + """\
if n & 1:
    raise ValueError("a text has a negative length")
end = at + (n >> 1)
{0} = data[at:end]
at = end
"""
)
_STRING = _BYTES.replace("[at:end]", "[at:end].decode()")
_LONG = _LENGTH + "{0} = (n >> 1) ^ -(n & 1)\n"
_BOOLEAN = """\
n = data[at]
at += 1
if n > 1:
    raise ValueError(f"a boolean is {{n}}")
{0} = n == 1
"""
_OPTIONAL = """\
n = data[at]
at += 1
if n == 2:
{1}
elif n:
    raise ValueError(f"a value is of branch {{n}}")
else:
    {0} = None
"""
# Of a block with a negative number of items, its bytes come first, for who wants to skip it.
_ARRAY = """\
{0} = []
while True:
{3}
    if n == 0:
        break
    if n & 1:
        _, at = long(data, at)
    for _ in range((n >> 1) + (n & 1)):
{1}
        {0}.append({2})
"""
_PLAIN = {"long": _LONG, "string": _STRING, "bytes": _BYTES, "boolean": _BOOLEAN}


class DecodeOnce:
    """Reads equal records once: the last few of them, if they are not large."""

    def __init__(self, read: Read, kind: type[Any]) -> None:
        """Begin with none; ``read`` returns the values of a record of a ``kind``."""
        self._read = read
        self._kind = kind
        self._known: list[tuple[bytes, Any]] = []

    def __len__(self) -> int:
        """The number of known records."""
        return len(self._known)

    def __call__(self, data: bytes, at: int) -> tuple[Any, int]:
        """Read a record, or return the record made of the same bytes."""
        for known, record in self._known:
            if data.startswith(known, at):
                return record, at + len(known)
        values, end = self._read(data, at)
        record = convert(values, self._kind)
        # Of a record that is cut short the bytes would be those of others, too.
        if end <= len(data) and end - at <= LARGEST_KNOWN:
            self._known = [(data[at:end], record), *self._known[: MOST_KNOWN - 1]]
        return record, end


def decoder(schema: Any, kind: type[Any]) -> Callable[[bytes], Any]:
    """Return the decoder of a record with its schema, as in an ``.avsc`` file.

    The decoder raises ValueError or IndexError for bytes other than exactly one such record.
    """
    read = _Source(_kinds(kind)).function(schema)

    def decode(data: bytes) -> Any:
        values, end = read(data, 0)
        if end != len(data):
            raise ValueError("it is cut short" if end > len(data) else "bytes are left over")
        # Faster than the records' own constructors, for they are frozen.
        return convert(values, kind)

    return decode


def read_rest(data: bytes, at: int, first: int) -> tuple[int, int]:
    """Read the rest of a number after its ``first`` byte, still unsigned."""
    number, shift, byte = first & 0x7F, 7, first
    while byte > 0x7F:
        byte = data[at]
        at += 1
        number |= (byte & 0x7F) << shift
        shift += 7
        if number >> 64 or shift > 70:
            raise ValueError("a number has more than 64 bits")
    return number, at


def _kinds(kind: Any) -> dict[str, type[Any]]:
    """Return the classes of a record, and of all inside."""
    hints = [each.type for each in record_fields(kind)]
    inner = (part for hint in hints for part in (hint, *get_args(hint)) if is_dataclass(part))
    found = {kind.__name__: kind}
    for each in inner:
        found |= _kinds(each)
    return found


class _Source:
    """Writes the source of functions to read values of a schema.

    A call for each field or record would take as long as fastavro: all is in one function.
    """

    def __init__(self, kinds: dict[str, type[Any]]) -> None:
        """``kinds`` are the classes of records by their names."""
        self._kinds = kinds
        self._records: dict[str, Any] = {}
        self._called: dict[str, Any] = {"rest": read_rest, "long": _read_long}
        self._names = count()

    def function(self, schema: Any) -> Read:
        """Return the function to read a value of a schema."""
        return _function(self._value("value", schema), self._called)

    def _value(self, name: str, schema: Any) -> str:
        """Return the lines to read a value of a schema into a variable."""
        if isinstance(schema, str):
            plain = _PLAIN.get(schema)
            return (
                self._record(name, self._records[schema]) if plain is None else plain.format(name)
            )
        if isinstance(schema, list):
            return _OPTIONAL.format(name, _indented(self._value(name, schema[1])))
        if schema["type"] == "array":
            item = self._name()
            lines = self._value(item, schema["items"])
            return _ARRAY.format(name, _indented(_indented(lines)), item, _indented(_LENGTH))
        self._records[f"{schema['namespace']}.{schema['name']}"] = schema
        return self._record(name, schema)

    def _record(self, name: str, schema: Any) -> str:
        if schema["name"] not in _SAME_IN_MANY:
            return self._fields(name, schema)
        read = f"read_{schema['name']}"
        if read not in self._called:
            fields = _function(self._fields("value", schema), self._called)
            self._called[read] = DecodeOnce(fields, self._kinds[schema["name"]])
        return f"{name}, at = {read}(data, at)\n"

    def _fields(self, name: str, schema: Any) -> str:
        variables = {each["name"]: self._name() for each in schema["fields"]}
        lines = [self._value(variables[each["name"]], each["type"]) for each in schema["fields"]]
        values = ", ".join(f"{field!r}: {variable}" for field, variable in variables.items())
        return f"{''.join(lines)}{name} = {{{values}}}\n"

    def _name(self) -> str:
        return f"v{next(self._names)}"


def _function(lines: str, called: dict[str, Any]) -> Read:
    """Return the function to read a ``value`` by some lines, which call those ``called``."""
    source = f"def read(data, at):\n{_indented(lines)}\n    return value, at\n"
    exec(source, called)  # noqa: S102 - of our own schemas, and as dataclasses does for fields
    read: Read = called["read"]
    return read


def _indented(lines: str) -> str:
    return "\n".join(_STEP + line for line in lines.splitlines())


_read_long: Read = _function(_LONG.format("value"), {"rest": read_rest})
