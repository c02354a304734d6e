"""Every record and every version of its Avro schema: the files ``avro/NAME.VERSION.avsc``.

The highest version writes, every version is read. A message begins with its schema's
header (Avro 1.12 specification, "Single-object encoding": C3 01, then the schema's
CRC-64-AVRO fingerprint, little-endian).
"""

import json
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any, get_args

from fastavro import parse_schema
from fastavro.schema import fingerprint, to_parsing_canonical_form

from schemas.records.facts import Fact
from schemas.records.table_rows import State

Record = Fact | State
KINDS: tuple[type[Any], ...] = get_args(Fact) + get_args(State)
MARKER = b"\xc3\x01"
HEADER = 10
"""Bytes of a header."""


@dataclass(frozen=True, slots=True)
class Schema:
    """A version of a record's Avro schema; ``header`` begins its messages."""

    kind: type[Any]
    version: int
    source: dict[str, Any]
    parsed: dict[str, Any]
    header: bytes


def parsed(kind: type[Any], version: int, text: str) -> Schema:
    """Parse a version of a record's schema."""
    source = json.loads(text)
    header = MARKER + bytes.fromhex(schema_fingerprint(source))
    return Schema(kind, version, source, parse_schema(source, {}), header)  # type: ignore[arg-type]  # a record is a dict


def schema_fingerprint(source: Any) -> str:
    """Return the CRC-64-AVRO of a schema in hexadecimal, its lowest byte first.

    The fingerprint covers names and types; documentation and defaults do not change the
    fingerprint.
    """
    return fingerprint(to_parsing_canonical_form(source), "CRC-64-AVRO")


def newest(kind: type[Any]) -> Schema:
    """Return the schema for writing a record."""
    return _newest()[kind]


def by_header(message: bytes) -> Schema | None:
    """Return the schema of a message, None for an unknown header."""
    return _by_header().get(message[:HEADER])


def name(record: Record | bytes | None) -> str:
    """Return the name of a record, encoded or not; empty for foreign bytes."""
    if not isinstance(record, bytes):
        return "" if record is None else type(record).__name__
    found = by_header(record)
    return "" if found is None else found.kind.__name__


@cache
def schemas() -> tuple[Schema, ...]:
    """Return every version of every schema."""
    kinds = {kind.__name__: kind for kind in KINDS}
    found = []
    for path in files("schemas.avro").iterdir():
        if path.name.endswith(".avsc"):
            kind, version, _ = path.name.split(".")
            found.append(parsed(kinds[kind], int(version), path.read_text("utf-8")))
    return tuple(found)


@cache
def _newest() -> dict[type[Any], Schema]:
    return {each.kind: each for each in sorted(schemas(), key=lambda each: each.version)}


@cache
def _by_header() -> dict[bytes, Schema]:
    return {each.header: each for each in schemas()}
