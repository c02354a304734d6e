"""Decode Avro's binary form to records, by functions that are written from their schemas.

fastavro's reader makes dicts, and asks at each value again what the schema says: with the
conversion to records it takes two to three times as long.
Source: Avro 1.12 specification, "Binary Encoding".
"""

from collections.abc import Callable
from dataclasses import is_dataclass
from typing import Any, NamedTuple, get_args

from msgspec import convert

from schemas.records.fields import record_fields

Read = Callable[[bytes, int], tuple[Any, int]]
"""Reads a value of some bytes from an offset on; returns it, and the offset after it."""

MOST_KNOWN, LARGEST_KNOWN = 8, 4_000
"""Records of a kind, and bytes of each, that are decoded once for all messages with them."""
_SAME_IN_MANY = {"Options"}
"""Records that are large where many messages have an equal one."""

_STEP = " " * 4
_LENGTH = """\
n = data[at]
at += 1
if n > 127:
    n, at = rest(data, at, n)
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
_ARRAY = """\
if data[at]:
    {0}, at = items(data, at, {1})
else:
    {0} = ()
    at += 1
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
        """The number of records that are known."""
        return len(self._known)

    def __call__(self, data: bytes, at: int) -> tuple[Any, int]:
        """Read a record, or return the one that the same bytes have made."""
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
    """Return what decodes a record with its schema, such as an ``.avsc`` file has.

    What it returns raises ValueError or IndexError for bytes that are not exactly one such record.
    """
    read = _reader(schema, _Records(_kinds(kind), {}))

    def decode(data: bytes) -> Any:
        values, end = read(data, 0)
        if end != len(data):
            raise ValueError("it is cut short" if end > len(data) else "bytes are left over")
        # Faster than the records' own constructors, for they are frozen.
        return convert(values, kind)

    return decode


def read_items(data: bytes, at: int, read: Read) -> tuple[tuple[Any, ...], int]:
    """Read the blocks of an array."""
    found: list[Any] = []
    while True:
        number, at = _read_long(data, at)
        if number == 0:
            return tuple(found), at
        if number < 0:
            _, at = _read_long(data, at)  # the bytes of the block, for who wants to skip it
        for _ in range(abs(number)):
            value, at = read(data, at)
            found.append(value)


def read_rest(data: bytes, at: int, first: int) -> tuple[int, int]:
    """Read the rest of a number after its ``first`` byte; it is not yet signed."""
    number, shift, byte = first & 0x7F, 7, first
    while byte > 0x7F:
        byte = data[at]
        at += 1
        number |= (byte & 0x7F) << shift
        shift += 7
        if number >> 64 or shift > 70:
            raise ValueError("a number has more than 64 bits")
    return number, at


class _Records(NamedTuple):
    """The classes of records by their names, and what reads those that a schema has spelled out."""

    kinds: dict[str, type[Any]]
    known: dict[str, Read]


def _kinds(kind: Any) -> dict[str, type[Any]]:
    """Return the classes of a record, and of all inside it."""
    hints = [each.type for each in record_fields(kind)]
    inner = (part for hint in hints for part in (hint, *get_args(hint)) if is_dataclass(part))
    found = {kind.__name__: kind}
    for each in inner:
        found |= _kinds(each)
    return found


def _reader(schema: Any, records: _Records) -> Read:
    """Return what reads values of a schema."""
    if isinstance(schema, str) and schema in records.known:
        return records.known[schema]
    if isinstance(schema, dict) and schema["type"] == "record":
        return _record(schema, records)
    called = _called()
    return _function(_value("value", schema, called, records), "value", called)


def _record(schema: Any, records: _Records) -> Read:
    called = _called()
    fields = [(f"v_{each['name']}", each["name"], each["type"]) for each in schema["fields"]]
    body = "".join(_value(variable, of, called, records) for variable, _, of in fields)
    values = ", ".join(f"{name!r}: {variable}" for variable, name, _ in fields)
    read = _function(body, f"{{{values}}}", called)
    if schema["name"] in _SAME_IN_MANY:
        read = DecodeOnce(read, records.kinds[schema["name"]])
    records.known[f"{schema['namespace']}.{schema['name']}"] = read
    return read


def _value(name: str, schema: Any, called: dict[str, Any], records: _Records) -> str:
    """Return the lines that read a value into a variable; ``called`` gets what they call."""
    if isinstance(schema, str) and schema in _PLAIN:
        return _PLAIN[schema].format(name)
    if isinstance(schema, list):
        return _OPTIONAL.format(name, _indented(_value(name, schema[1], called, records)))
    is_array = isinstance(schema, dict) and schema["type"] == "array"
    read = f"read_{len(called)}"
    called[read] = _reader(schema["items"] if is_array else schema, records)
    return _ARRAY.format(name, read) if is_array else f"{name}, at = {read}(data, at)\n"


def _called() -> dict[str, Any]:
    return {"rest": read_rest, "items": read_items}


def _function(body: str, result: str, called: dict[str, Any]) -> Read:
    # A call for each field would take as long as fastavro.
    source = f"def read(data, at):\n{_indented(body)}\n    return {result}, at\n"
    exec(source, called)  # noqa: S102 - of our own schemas, and as dataclasses does for fields
    read: Read = called["read"]
    return read


def _indented(lines: str) -> str:
    return "\n".join(_STEP + line for line in lines.splitlines())


_read_long: Read = _function(_LONG.format("value"), "value", {"rest": read_rest})
