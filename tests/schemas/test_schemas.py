"""The .avsc files follow from the dataclasses, and released schemas stay as they are."""

import json
from dataclasses import dataclass, make_dataclass
from importlib.resources import files
from io import BytesIO
from itertools import product
from typing import Any

import avro.schema
import pytest
from fastavro import schemaless_writer
from msgspec import to_builtins

from schemas.codec import generation, versions, wire
from schemas.codec.compatibility import unreadable_reason
from schemas.codec.generation import IncompatibleSchemaError, generated, schema_of
from schemas.records.notifications import Notification
from schemas.records.requests import Cancel, Subscribe
from schemas.records.subscription_facts import Subscribed
from schemas.records.subscriptions import Receiver
from schemas.records.table_rows import Registration
from tests.fakes.notifications import NOTIFICATION
from tests.fakes.subscriptions import subscription

FOLDER = files("schemas.avro")
RELEASED: dict[str, str] = json.loads(FOLDER.joinpath("released.json").read_text("utf-8"))
FOUND = {
    path.name: path.read_text("utf-8") for path in FOLDER.iterdir() if path.name.endswith(".avsc")
}


def versions_of(kind: type[Any]) -> list[versions.Schema]:
    found = [schema for schema in versions.schemas() if schema.kind is kind]
    return sorted(found, key=lambda schema: schema.version)


def test_the_files_are_what_make_schemas_writes() -> None:
    assert generated(FOUND, RELEASED) == FOUND, "out of date: run make schemas"


@pytest.mark.parametrize("kind", versions.KINDS)
def test_every_version_of_a_record_reads_every_other(kind: type[Any]) -> None:
    texts = [json.dumps(schema.source) for schema in versions_of(kind)]
    for reader, writer in product(texts, repeat=2):
        assert not unreadable_reason(reader, writer)


def test_versions_are_numbered_from_1_without_gaps() -> None:
    for kind in versions.KINDS:
        found = [schema.version for schema in versions_of(kind)]
        assert found == list(range(1, len(found) + 1)), kind


def test_released_schemas_have_the_fingerprints_they_were_released_with() -> None:
    found = {
        f"{schema.kind.__name__}.{schema.version}": schema.header[2:].hex()
        for schema in versions.schemas()
    }
    assert found == found | RELEASED


@dataclass
class Tree:
    """A record that is released."""

    name: str
    rings: int = 0


def folder(
    monkeypatch: pytest.MonkeyPatch,
    kind: type[Any],
    found: dict[str, str],
    released: dict[str, str],
) -> dict[str, str]:
    monkeypatch.setattr(generation, "KINDS", (kind,))
    return generated(found, released)


@pytest.fixture
def first(monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    return folder(monkeypatch, Tree, {}, {})


@pytest.fixture
def released(first: dict[str, str]) -> dict[str, str]:
    return {"Tree.1": versions.schema_fingerprint(json.loads(first["Tree.1.avsc"]))}


def test_before_a_release_version_1_is_written_again(
    monkeypatch: pytest.MonkeyPatch, first: dict[str, str]
) -> None:
    changed = make_dataclass("Tree", [("name", int)])
    assert folder(monkeypatch, changed, first, {}) == {
        "Tree.1.avsc": json.dumps(schema_of(changed), indent=2) + "\n"
    }


def test_after_a_release_a_new_field_makes_the_next_version(
    monkeypatch: pytest.MonkeyPatch, first: dict[str, str], released: dict[str, str]
) -> None:
    changed = make_dataclass("Tree", [("name", str), ("rings", int, 0), ("tall", bool, False)])
    found = folder(monkeypatch, changed, first, released)
    assert found.keys() == {"Tree.1.avsc", "Tree.2.avsc"}
    assert found["Tree.1.avsc"] == first["Tree.1.avsc"]
    assert json.loads(found["Tree.2.avsc"]) == schema_of(changed)


def test_after_a_release_a_record_may_be_described_better(
    monkeypatch: pytest.MonkeyPatch, first: dict[str, str], released: dict[str, str]
) -> None:
    monkeypatch.setattr(Tree, "__doc__", "A tree.")
    found = folder(monkeypatch, Tree, first, released)
    assert found.keys() == {"Tree.1.avsc"}
    assert json.loads(found["Tree.1.avsc"])["doc"] == "A tree."


@pytest.mark.parametrize(
    "fields",
    [
        [("name", str), ("rings", int, 0), ("tall", bool)],
        [("name", int), ("rings", int, 0)],
        [("rings", int, 0)],
    ],
    ids=["a field without a default", "another type", "a field less"],
)
def test_after_a_release_a_change_that_old_versions_cannot_bear_is_refused(
    monkeypatch: pytest.MonkeyPatch,
    first: dict[str, str],
    released: dict[str, str],
    fields: list[Any],
) -> None:
    changed = make_dataclass("Tree", fields, kw_only=True)
    with pytest.raises(IncompatibleSchemaError, match=r"not compatible with Tree\.1"):
        folder(monkeypatch, changed, first, released)


@pytest.mark.parametrize("schema", versions.schemas(), ids=lambda schema: schema.kind.__name__)
def test_a_header_is_the_marker_and_the_fingerprint_that_avro_itself_computes(
    schema: versions.Schema,
) -> None:
    fingerprint = avro.schema.parse(json.dumps(schema.source)).fingerprint("CRC-64-AVRO")
    assert schema.header == b"\xc3\x01" + fingerprint


def test_every_schema_has_another_header() -> None:
    assert len({schema.header for schema in versions.schemas()}) == len(versions.schemas())


def test_a_header_is_little_endian() -> None:
    # "int" has the fingerprint 7275d51a3f395c8f in every Avro implementation's own tests.
    fingerprint = avro.schema.parse('"int"').fingerprint("CRC-64-AVRO")
    assert fingerprint == (0x7275D51A3F395C8F).to_bytes(8, "little")


RECEIVER = Receiver(session="me")
SUBSCRIPTION = subscription()
EXAMPLES: dict[type[Any], Any] = {
    Subscribe: Subscribe("https://example.org/", RECEIVER, keywords=("argus",)),
    Cancel: Cancel("https://example.org/", RECEIVER),
    Subscribed: Subscribed("r", SUBSCRIPTION, SUBSCRIPTION.url, None, 1),
    Registration: Registration(SUBSCRIPTION, (), (), 1),
    Notification: NOTIFICATION,
}


def without_names(source: Any) -> Any:
    """Return a schema in which no record has the field ``name`` of a subscription."""
    if isinstance(source, list):
        return [without_names(each) for each in source]
    if not isinstance(source, dict):
        return source
    found = {key: without_names(value) for key, value in source.items()}
    if "fields" in found:
        is_other = found["name"].endswith("Header")  # of a request to a page
        found["fields"] = [f for f in found["fields"] if is_other or f["name"] != "name"]
    return found


@pytest.mark.parametrize("kind", EXAMPLES)
def test_what_was_written_before_there_were_names_has_none(kind: type[Any]) -> None:
    source = without_names(versions.newest(kind).source)
    earlier = versions.parsed(kind, 0, json.dumps(source))
    unnamed = EXAMPLES[kind]
    stream = BytesIO()
    schemaless_writer(stream, earlier.parsed, to_builtins(unnamed))
    assert wire.read(earlier, stream.getvalue()) == unnamed
