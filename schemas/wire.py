"""Fact ↔ bytes: Avro single-object encoding, and JSON for requests.

The ``.avsc`` files of this folder are the registry: ``Name.VERSION.avsc``.
The highest version writes, every version is read (Avro 1.12 specification,
"Single-object encoding": C3 01, then the schema's CRC-64-AVRO fingerprint,
little-endian, then the record).
"""

import json
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from io import BytesIO
from typing import Any, get_args

from fastavro import parse_schema, schemaless_reader, schemaless_writer
from fastavro.schema import fingerprint, to_parsing_canonical_form
from msgspec import convert, to_builtins

from schemas.facts import Fact
from schemas.json_requests import InvalidRequestBody, parse_request
from schemas.state import State
from schemas.validity import fault

Record = Fact | State
KINDS: tuple[type[Any], ...] = get_args(Fact) + get_args(State)
MARKER = b"\xc3\x01"
_SMALL = 100_000
_MAX_READS = 1_000_000


class Undecodable(ValueError):
    """Bytes that are no record of ours, or one that breaks the contract; the text says why."""


class _Bounded(BytesIO):
    """A stream that ends after so many reads.

    Two bytes can be a part of a record that takes a hundred times as much memory:
    8 MB of them took 2 GB and 22 s. What we write has far fewer parts.
    """

    def __init__(self, data: bytes) -> None:
        super().__init__(data)
        self._left = _MAX_READS

    def read(self, size: int | None = -1) -> bytes:
        self._left -= 1
        if self._left < 0:
            raise ValueError("it has too many parts")
        return super().read(size)


@dataclass(frozen=True, slots=True)
class Schema:
    """One version of one record's Avro schema; ``header`` begins its messages."""

    kind: type[Any]
    version: int
    source: dict[str, Any]
    parsed: dict[str, Any]
    header: bytes


def encode(record: Record) -> bytes:
    """Give the single-object encoding of a record under its newest schema."""
    target = newest(type(record))
    out = BytesIO()
    out.write(target.header)
    schemaless_writer(out, target.parsed, to_builtins(record))
    return out.getvalue()


def decode(data: bytes | None, *kinds: type[Any], allow_json: bool = False) -> Any:
    """Read one of ``kinds`` from a message's value, or raise Undecodable.

    ``allow_json`` accepts a request written by hand as a JSON object. A fact that says
    what ``validity`` rules out is refused, too.
    """
    if not data:
        raise Undecodable("the value is empty")
    is_json = allow_json and data.lstrip()[:1] == b"{"
    return checked(_decode_json(data) if is_json else _decode_avro(data), kinds)


def checked(record: Any, kinds: tuple[type[Any], ...]) -> Any:
    """Give a record that is one of ``kinds`` and says what it may; raises Undecodable."""
    if not isinstance(record, kinds):
        expected = ", ".join(kind.__name__ for kind in kinds)
        raise Undecodable(f"a {type(record).__name__} does not belong here, only: {expected}")
    if (reason := fault(record)) is not None:
        raise Undecodable(f"a {type(record).__name__} may not say this: {reason} is allowed")
    return record


def _decode_json(data: bytes) -> Any:
    try:
        return parse_request(data)
    except InvalidRequestBody as error:
        raise Undecodable(str(error)) from error


def _decode_avro(data: bytes) -> Any:
    if not data.startswith(MARKER):
        raise Undecodable(f"neither Avro single-object encoding nor JSON: begins {data[:4].hex()}")
    writer = _by_header().get(data[:10])
    if writer is None:
        raise Undecodable(f"unknown Avro schema {data[2:10][::-1].hex()}")
    return read(writer, data[10:])


def read(writer: Schema, body: bytes) -> Any:
    """Read what was written with a schema as our newest one has it; raises Undecodable."""
    target = newest(writer.kind)
    stream = BytesIO(body) if len(body) <= _SMALL else _Bounded(body)
    try:
        # To be told that it is the same takes less than to find out.
        wanted = None if writer is target else target.parsed
        values = schemaless_reader(stream, writer.parsed, wanted)
    except Exception as error:  # fastavro raises whatever the broken bytes make it trip over
        why = f"{type(error).__name__}: {error}"  # its repr may hold all the bytes
        raise Undecodable(f"broken {writer.kind.__name__} record: {why}") from error
    if stream.read(1):
        raise Undecodable(f"bytes left over behind a {writer.kind.__name__} record")
    return convert(values, writer.kind)


def name(record: Record | bytes | None) -> str:
    """Give the name of a record, encoded or not; empty for bytes that are none."""
    if not isinstance(record, bytes):
        return "" if record is None else type(record).__name__
    found = _by_header().get(record[:10])
    return "" if found is None else found.kind.__name__


def newest(kind: type[Any]) -> Schema:
    """Give the schema that a record is written with."""
    return _newest()[kind]


@cache
def schemas() -> tuple[Schema, ...]:
    """Every version of every schema in this folder."""
    kinds = {kind.__name__: kind for kind in KINDS}
    found = []
    for path in files("schemas.avro").iterdir():
        name, _, version = path.name.removesuffix(".avsc").partition(".")
        if path.name.endswith(".avsc"):
            found.append(schema(kinds[name], int(version), path.read_text("utf-8")))
    return tuple(found)


def schema(kind: type[Any], version: int, text: str) -> Schema:
    """Parse a version of a record's schema."""
    source = json.loads(text)
    crc = fingerprint(to_parsing_canonical_form(source), "CRC-64-AVRO")
    header = MARKER + bytes.fromhex(crc)  # fastavro's hex is little-endian already
    return Schema(kind, version, source, parse_schema(source, {}), header)  # type: ignore[arg-type]  # a record is a dict


@cache
def _newest() -> dict[type[Any], Schema]:
    return {each.kind: each for each in sorted(schemas(), key=lambda each: each.version)}


@cache
def _by_header() -> dict[bytes, Schema]:
    return {each.header: each for each in schemas()}
