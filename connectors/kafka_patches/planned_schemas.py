"""Encode and decode aiokafka's requests and answers by whole runs of numbers.

aiokafka makes four calls for each number, and an answer to a fetch has six of them for each
partition. Seen on aiokafka 0.14.0.
"""

import struct
from collections.abc import Sequence
from io import BytesIO
from typing import Any

from aiokafka.protocol.struct import Struct
from aiokafka.protocol.types import (
    Boolean,
    Float64,
    Int8,
    Int16,
    Int32,
    Int64,
    Schema,
    UInt32,
)

_FORMATS = {
    Int8: "b",
    Int16: "h",
    Int32: "i",
    UInt32: "I",
    Int64: "q",
    Float64: "d",
    Boolean: "?",
}

Step = tuple[struct.Struct | None, int, Any]
"""A run of numbers, or a field of another type."""

_plans: dict[Schema, tuple[Step, ...]] = {}
"""Schemas are constants of aiokafka's modules."""


def plan_schemas() -> None:
    """Let all clients of this process encode and decode so."""
    Schema.encode, Schema.decode = encode, decode
    Struct.encode, Struct.decode = _encode_struct, classmethod(_decode_struct)


def encode(schema: Schema, item: Sequence[Any]) -> bytes:
    """Encode the values of a schema's fields; raises ValueError for a value out of range."""
    if len(item) != len(schema.fields):
        raise ValueError("Item field count does not match Schema")
    parts, at = [], 0
    try:
        for numbers, count, field in _plan(schema):
            end = at + count
            parts.append(numbers.pack(*item[at:end]) if numbers else field.encode(item[at]))
            at = end
    except struct.error as error:
        raise ValueError(f"{item!r} does not fit {schema.names}: {error}") from error
    return b"".join(parts)


def decode(schema: Schema, data: BytesIO) -> tuple[Any, ...]:
    """Decode the values of a schema's fields; raises ValueError if there is too little data."""
    values: list[Any] = []
    try:
        for numbers, _, field in _plan(schema):
            if numbers:
                values += numbers.unpack(data.read(numbers.size))
            else:
                values.append(field.decode(data))
    except struct.error as error:
        raise ValueError(f"too little data for {schema.names}: {error}") from error
    return tuple(values)


def _encode_struct(record: Struct) -> bytes:
    return encode(record.SCHEMA, [record.__dict__[name] for name in record.SCHEMA.names])


def _decode_struct(kind: type[Struct], data: BytesIO | bytes) -> Struct:
    return kind(*decode(kind.SCHEMA, BytesIO(data) if isinstance(data, bytes) else data))


def _plan(schema: Schema) -> tuple[Step, ...]:
    plan = _plans.get(schema)
    if plan is not None:
        return plan
    steps: list[Step] = []
    run = ""
    for field in schema.fields:
        letter = _FORMATS.get(field) if isinstance(field, type) else None
        if letter:
            run += letter
            continue
        if run:
            steps.append((struct.Struct(f">{run}"), len(run), None))
            run = ""
        steps.append((None, 1, field))
    if run:
        steps.append((struct.Struct(f">{run}"), len(run), None))
    _plans[schema] = tuple(steps)
    return _plans[schema]
