"""The dataclasses and the .avsc files say the same, and released schemas stay as they are."""

import json
from dataclasses import MISSING, fields, is_dataclass
from itertools import product
from types import UnionType
from typing import Any, get_args, get_origin, get_type_hints

import avro.schema
import pytest
from avro.compatibility import ReaderWriterCompatibilityChecker, SchemaCompatibilityType

from schemas import wire

_PLAIN = {str: "string", int: "long", bool: "boolean"}

# Messages carry these fingerprints: a change of a schema here is a change of what is
# on the topics. Write a new version file instead, and add its line.
RELEASED = {
    "Attempt.1": "579433bde6230256",
    "Cancel.1": "9d44fa4f791e424d",
    "Cancelled.1": "12d94e32860a2df5",
    "Cancelled.2": "f9bf62f58e6dd9bb",
    "Challenge.1": "fc69f95be28e8a05",
    "Challenged.1": "90afb3822d0ad194",
    "ChallengedHost.1": "786cfa39bf538650",
    "ClientGone.1": "6f74848d55973aeb",
    "Delivered.1": "c11a1b1da0b110dc",
    "DeliveryFailed.1": "53172bf63a9e9629",
    "DocumentChanged.1": "f248f8cfedf0e971",
    "DocumentUnreachable.1": "982b265de315e800",
    "DocumentUnreachable.2": "98f33189d3e2f2a9",
    "Expire.1": "d1e3f06aac95feac",
    "Expired.1": "52526163dafab7d7",
    "Expired.2": "08f371d147d3ac2c",
    "FailingClient.1": "dd65dfe3ecf5f558",
    "FailingClient.2": "9a3627c067c1b1d7",
    "FetchDue.1": "9c6687f8515799ba",
    "Forget.1": "dd38d8dc7d3b9f83",
    "KeyClaimed.1": "af7565d38194e319",
    "Notification.1": "921be0229cd50c3f",
    "Notification.2": "e58eabcb7b8ec60d",
    "Notification.3": "2e06fe42065762d5",
    "Notification.4": "cc9a11a4377fda29",
    "Pause.1": "780ee27a87eb1b0e",
    "Proof.1": "d07f6620b8f4b8df",
    "Queued.1": "7389c5970dcac6de",
    "Queued.2": "7635a7f94cab7ddb",
    "Queued.3": "43fb06786ddbc195",
    "Queued.4": "30febe891a0b4afe",
    "Redeliver.1": "262a73c2c93f1c2a",
    "Redeliver.2": "dab2548b221f5a11",
    "Redeliver.3": "729710581619d96a",
    "Redeliver.4": "8bf178d8bc7ffd22",
    "Registration.1": "4e5e28350c905651",
    "Registration.2": "f60946960f0a532d",
    "Registration.3": "21116582746e02c5",
    "Rejected.1": "dcf8a373738ccc44",
    "Rejected.2": "656877abe60771c1",
    "Resume.1": "989f6cf5fc348b89",
    "Rotate.1": "71d4bae723cdc096",
    "Scheduled.1": "832fa43d8f7173aa",
    "Scheduled.2": "f8ef5a6d74aa73c1",
    "StoreClaimed.1": "87b711fd06d2ec94",
    "Subscribe.1": "1b883ea51f7d1939",
    "Subscribed.1": "3b51901a55dd3826",
    "Subscribed.2": "a5520620609b3ce1",
    "Subscribed.3": "f1cbc77dfc98ed4c",
    "Test.1": "fa621088d52203a2",
    "Tick.1": "603c76bfa14344f4",
    "TickedThrough.1": "c2f6cb647b652740",
}


def avro_type(hint: Any) -> Any:
    """What a type hint is in Avro; a record by its name and fields."""
    if hint in _PLAIN:
        return _PLAIN[hint]
    if isinstance(hint, UnionType):
        return ["null", avro_type(get_args(hint)[0])]
    if get_origin(hint) is tuple:
        return {"type": "array", "items": avro_type(get_args(hint)[0])}
    assert is_dataclass(hint), hint
    assert isinstance(hint, type)
    return {"record": hint.__name__, "fields": [avro_field(hint, each) for each in fields(hint)]}


def avro_field(kind: Any, field: Any) -> dict[str, Any]:
    """Name, type and default of a field, as its schema must have them."""
    hint = get_type_hints(kind)[field.name]
    expected = {"name": field.name, "type": avro_type(hint)}
    if field.default is not MISSING:
        expected["default"] = field.default
    elif isinstance(hint, UnionType):
        expected["default"] = None
    return expected


def spelled_out(source: Any, named: dict[str, Any]) -> Any:
    """The same form of a schema, with every mention of a record replaced by its fields."""
    if isinstance(source, list):
        return [spelled_out(branch, named) for branch in source]
    if isinstance(source, str):
        return named.get(source.removeprefix("vokter."), source)
    if source["type"] == "array":
        return {"type": "array", "items": spelled_out(source["items"], named)}
    inner = [
        {key: value for key, value in field.items() if key != "doc"}
        | {"type": spelled_out(field["type"], named)}
        for field in source["fields"]
    ]
    named[source["name"]] = {"record": source["name"], "fields": inner}
    return named[source["name"]]


def versions(kind: type[Any]) -> list[wire.Schema]:
    found = [schema for schema in wire.schemas() if schema.kind is kind]
    return sorted(found, key=lambda schema: schema.version)


def readable(reader: dict[str, Any], writer: dict[str, Any]) -> bool:
    parsed: list[Any] = [avro.schema.parse(json.dumps(source)) for source in (reader, writer)]
    checker: Any = ReaderWriterCompatibilityChecker
    result = checker().get_compatibility(*parsed)
    return bool(result.compatibility is SchemaCompatibilityType.compatible)


@pytest.mark.parametrize("kind", wire.KINDS)
def test_a_record_has_the_fields_types_and_defaults_of_its_newest_schema(kind: type[Any]) -> None:
    newest = versions(kind)[-1].source
    assert newest["namespace"] == "vokter"
    assert spelled_out(newest, {}) == avro_type(kind)


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
    assert found == RELEASED


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
