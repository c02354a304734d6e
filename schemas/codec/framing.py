"""Records in Confluent's framing: 00, a schema's id at a registry (4 bytes), the record.

The registry has the value of a topic with a single kind of record under this kind's schema, and of
several kinds under their union; then the branch's number stands before the record. Sources:
Confluent Schema Registry, "Wire format"; Avro 1.12 specification, "Unions".
"""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from fastavro import parse_schema

from schemas.codec import versions, wire
from schemas.codec.versions import KINDS, MARKER, Record, Schema
from schemas.codec.wire import Undecodable

MAGIC = b"\x00"
_HEAD = 5
_HEADER = 10
_NAMESPACE = "vokter."
_BY_NAME = {_NAMESPACE + kind.__name__: kind for kind in KINDS}


@dataclass(frozen=True, slots=True)
class Registered:
    """The schema of an id, or the schemas of a union; None for a foreign record."""

    branches: tuple[Schema | None, ...]
    is_union: bool = False

    def find(self, body: bytes) -> tuple[Schema, bytes]:
        """Return the schema of a body, and the record; raises Undecodable."""
        number = 0
        if self.is_union:
            # Avro writes the branch's number zigzag, in a byte up to 63.
            first, body = (body[0] if body else 1), body[1:]
            number = -1 if first & 1 else first >> 1
        found = self.branches[number] if 0 <= number < len(self.branches) else None
        if found is None:
            raise Undecodable("the registered schema is not one of our records")
        return found, body


def registered(text: str) -> Registered:
    """Parse the text of a schema at a registry; without branches if not Avro of ours."""
    try:
        source = json.loads(text)
        known: dict[str, Any] = {}
        branches: list[Schema | None] = []
        for part in source if isinstance(source, list) else [source]:
            parsed: Any = parse_schema(part, known)
            kind = _BY_NAME.get(parsed.get("name", "")) if isinstance(parsed, dict) else None
            branches.append(None if kind is None else Schema(kind, 0, part, parsed, b""))
    except Exception:  # noqa: BLE001 - fastavro raises whatever a strange schema makes it trip over
        return Registered(())
    return Registered(tuple(branches), isinstance(source, list))


def schema_of(kinds: Iterable[type[Any]]) -> str:
    """Return the registered schema of a topic's values."""
    seen: set[str] = set()
    sources = [_once(versions.newest(kind).source, seen) for kind in kinds]
    return json.dumps(sources[0] if len(sources) == 1 else sources)


def _once(source: Any, seen: set[str]) -> Any:
    """Return the same schema, with only the first mention of a record spelled out."""
    if isinstance(source, list):
        return [_once(each, seen) for each in source]
    if not isinstance(source, dict):
        return source
    if source["type"] == "array":
        return source | {"items": _once(source["items"], seen)}
    if source["type"] != "record":
        return source
    if source["name"] in seen:
        return _NAMESPACE + source["name"]
    seen.add(source["name"])
    fields = [each | {"type": _once(each["type"], seen)} for each in source["fields"]]
    return source | {"fields": fields}


def heads(kinds: Iterable[type[Any]], schema_id: int) -> dict[bytes, bytes]:
    """Return the replacement of each kind's own header on a registered topic."""
    ours = [versions.newest(kind).header for kind in kinds]
    head = MAGIC + schema_id.to_bytes(4)
    if len(ours) == 1:
        return {ours[0]: head}
    return {header: head + bytes([number << 1]) for number, header in enumerate(ours)}


@dataclass(frozen=True)
class Framing:
    """The encoding of values on topics; without a registry, in single-object encoding.

    ``writing`` has the ``heads`` of each topic, by its name without prefix; ``reading`` the meaning
    of ids, None for unknown ids.
    """

    writing: Mapping[str, Mapping[bytes, bytes]] = field(default_factory=dict)
    reading: dict[int, Registered | None] = field(default_factory=dict)

    def encode(self, topic: str, record: Record | bytes | None) -> bytes | None:
        """Encode a value; foreign bytes stay unchanged."""
        value = record if isinstance(record, bytes | None) else wire.encode(record)
        known = self.writing.get(topic)
        if known is None or value is None or not value.startswith(MARKER):
            return value
        if value[:_HEADER] not in known:
            try:
                # The newest version of the record has a head at the registry.
                value = wire.encode(wire.decode(value, *KINDS))
            except Undecodable:
                return value
        head = known.get(value[:_HEADER])
        return value if head is None else head + value[_HEADER:]

    def decode(self, value: bytes | None, *kinds: type[Any], allow_json: bool = False) -> Any:
        """Read a record of ``kinds`` from a value in any framing, or raise Undecodable."""
        if value is None or not value.startswith(MAGIC):
            return wire.decode(value, *kinds, allow_json=allow_json)
        found = self.reading.get(_id(value))
        if found is None:
            why = (
                "the schema registry does not know" if self.writing else "needs SCHEMA_REGISTRY_URL"
            )
            raise Undecodable(f"Confluent framing with schema {_id(value)}, which {why}")
        schema, body = found.find(value[_HEAD:])
        return wire.checked(wire.read(schema, body), kinds)

    def unknown(self, value: bytes | None) -> int | None:
        """Return the id of a value's schema if a look-up is due."""
        if value is None or not value.startswith(MAGIC) or len(value) < _HEAD:
            return None
        return None if _id(value) in self.reading else _id(value)


def _id(value: bytes) -> int:
    return int.from_bytes(value[1:_HEAD])
