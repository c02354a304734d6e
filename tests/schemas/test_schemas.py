"""The dataclasses and the .avsc files say the same, and released schemas stay as they are."""

import json
from itertools import product
from typing import Any

import avro.schema
import pytest
from avro.compatibility import ReaderWriterCompatibilityChecker, SchemaCompatibilityType

from schemas import wire
from schemas.generate import schema_of

# Messages carry these fingerprints: a change of a released schema is a change of what is
# on the topics. Write a new version file instead, and add its line.
RELEASED: dict[str, str] = {}


def versions(kind: type[Any]) -> list[wire.Schema]:
    found = [schema for schema in wire.schemas() if schema.kind is kind]
    return sorted(found, key=lambda schema: schema.version)


def readable(reader: dict[str, Any], writer: dict[str, Any]) -> bool:
    parsed: list[Any] = [avro.schema.parse(json.dumps(source)) for source in (reader, writer)]
    checker: Any = ReaderWriterCompatibilityChecker
    result = checker().get_compatibility(*parsed)
    return bool(result.compatibility is SchemaCompatibilityType.compatible)


@pytest.mark.parametrize("kind", wire.KINDS)
def test_the_newest_schema_of_a_record_is_what_make_schemas_writes(kind: type[Any]) -> None:
    assert versions(kind)[-1].source == schema_of(kind)


@pytest.mark.parametrize("kind", wire.KINDS)
def test_every_version_of_a_record_reads_every_other(kind: type[Any]) -> None:
    sources = [schema.source for schema in versions(kind)]
    for reader, writer in product(sources, repeat=2):
        assert readable(reader, writer)


def test_a_new_field_without_a_default_would_be_found_incompatible() -> None:
    old = versions(wire.KINDS[0])[0].source
    field = {"name": "added", "type": "long"}
    assert readable(old | {"fields": [*old["fields"], field | {"default": 0}]}, old)
    assert not readable(old | {"fields": [*old["fields"], field]}, old)


def test_versions_are_numbered_from_1_without_gaps() -> None:
    for kind in wire.KINDS:
        found = [schema.version for schema in versions(kind)]
        assert found == list(range(1, len(found) + 1)), kind


def test_released_schemas_have_the_fingerprints_they_were_released_with() -> None:
    found = {
        f"{schema.kind.__name__}.{schema.version}": schema.header[2:][::-1].hex()
        for schema in wire.schemas()
    }
    assert found == found | RELEASED


@pytest.mark.parametrize("schema", wire.schemas(), ids=lambda schema: schema.kind.__name__)
def test_a_header_is_the_marker_and_the_fingerprint_that_avro_itself_computes(
    schema: wire.Schema,
) -> None:
    fingerprint = avro.schema.parse(json.dumps(schema.source)).fingerprint("CRC-64-AVRO")
    assert schema.header == b"\xc3\x01" + fingerprint


def test_every_schema_has_another_header() -> None:
    assert len({schema.header for schema in wire.schemas()}) == len(wire.schemas())


def test_a_header_is_little_endian() -> None:
    # "int" has the fingerprint 7275d51a3f395c8f in every Avro implementation's own tests.
    fingerprint = avro.schema.parse('"int"').fingerprint("CRC-64-AVRO")
    assert fingerprint == (0x7275D51A3F395C8F).to_bytes(8, "little")
