"""Confluent's framing: what is registered, written and read."""

import asyncio
import json
import re
import sys
import tomllib
from collections.abc import AsyncIterator, Mapping
from dataclasses import replace
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from fastavro import parse_schema, schemaless_reader, schemaless_writer
from msgspec import to_builtins

from connectors.client.manager import JobManager
from connectors.registry import client, codec
from connectors.registry.client import Kinds, RegistryRefused, RegistryUnavailable
from connectors.registry.codec import Codec
from infra.ports import any_free
from schemas.codec import versions, wire
from schemas.codec.framing import schema_of
from schemas.codec.wire import Undecodable
from schemas.records.challenges import Challenge
from schemas.records.notifications import Notification
from schemas.records.requests import Cancel, Subscribe
from schemas.records.subscriptions import Receiver
from schemas.records.topics import TOPICS
from streams.cli import main
from streams.effects.connections import egress_policy
from streams.settings import Settings
from tests.fakes.notifications import NOTIFICATION
from tests.fakes.registry import FakeRegistry, fake_registry

ROOT = Path(__file__).parents[3]
KINDS = {topic.name: topic.kinds for topic in TOPICS if topic.kinds and not topic.keeps_last}
FEW = {name: KINDS[name] for name in ("subscription-requests", "notifications", "challenges")}
"""Topics for most tests: a start asks the registry three times for each topic."""
SUBSCRIBE = Subscribe(
    "https://example.org/", Receiver(session="s"), request_id="r", keywords=("argus",)
)
CHALLENGE = Challenge("m", "https://client.example/", 1)


@pytest.fixture
def old(monkeypatch: pytest.MonkeyPatch) -> versions.Schema:
    """A version of Notification from before it lost a field."""
    newest = versions.newest(Notification).source
    fields = [*newest["fields"], {"name": "importance", "type": "long", "default": 0}]
    schema = versions.parsed(Notification, 0, json.dumps(newest | {"fields": fields}))
    known = {**versions._by_header(), schema.header: schema}
    monkeypatch.setattr(versions, "_by_header", lambda: known)
    return schema


@pytest.fixture
async def registry() -> AsyncIterator[FakeRegistry]:
    async with fake_registry() as registry:
        yield registry


async def started(url: str, topics: Mapping[str, Kinds] = FEW) -> Codec:
    found = Codec(url, "vokter.", topics)
    await found.start()
    return found


def head(number: int) -> bytes:
    return b"\0" + number.to_bytes(4)


async def test_every_topic_has_a_subject_that_is_fully_compatible_with_all_before(
    registry: FakeRegistry,
) -> None:
    await started(registry.url, KINDS)
    subjects = {f"vokter.{name}-value" for name in KINDS}
    assert registry.subjects.keys() == subjects
    assert registry.levels == dict.fromkeys(subjects, "FULL_TRANSITIVE")


async def test_a_second_process_registers_nothing_and_keeps_the_compatibility_level(
    registry: FakeRegistry,
) -> None:
    await started(registry.url)
    registry.levels["vokter.challenges-value"] = "BACKWARD_TRANSITIVE"
    before = {name: list(numbers) for name, numbers in registry.subjects.items()}
    registry.calls.clear()
    await started(registry.url)
    assert registry.subjects == before
    assert registry.levels["vokter.challenges-value"] == "BACKWARD_TRANSITIVE"
    assert not [
        path for method, path in registry.calls if path.endswith("versions") and method == "POST"
    ]


async def test_processes_may_register_the_same_schemas_at_the_same_time(
    registry: FakeRegistry,
) -> None:
    registry.crowded = True
    ours = await started(registry.url)
    assert ours.decode(ours.encode("challenges", CHALLENGE), Challenge) == CHALLENGE
    assert all(len(numbers) == 1 for numbers in registry.subjects.values())


async def test_records_are_read_by_us_and_by_anybody_with_the_registry(
    registry: FakeRegistry,
) -> None:
    ours = await started(registry.url)
    for topic, record in (("notifications", NOTIFICATION), ("subscription-requests", SUBSCRIBE)):
        value = ours.encode(topic, record)
        assert value is not None
        assert ours.decode(value, type(record)) == record
        assert ours.encode(topic, wire.encode(record)) == value, "encoded before, as by fetch"
        number = int.from_bytes(value[1:5])
        assert number in registry.subjects[f"vokter.{topic}-value"]
        source: Any = json.loads(registry.schemas[number])
        theirs: Any = schemaless_reader(BytesIO(value[5:]), parse_schema(source), None)
        assert theirs == json.loads(json.dumps(to_builtins(record)))


async def test_single_object_encoding_json_and_other_bytes_are_read_as_without_a_registry(
    registry: FakeRegistry,
) -> None:
    ours = await started(registry.url)
    assert ours.decode(wire.encode(SUBSCRIBE), Subscribe) == SUBSCRIBE
    read = ours.decode(b'{"documentUrl": "u", "keywords": []}', Subscribe, allow_json=True)
    assert read.document_url == "u"
    assert ours.encode("dead-letters", wire.encode(SUBSCRIBE)) == wire.encode(SUBSCRIBE)
    for value in (b'{"a": 1}', b"\xc3\x01nonsense", b"", None):
        assert ours.encode("subscription-requests", value) == value


async def test_the_registry_is_not_called_after_the_start(
    registry: FakeRegistry,
) -> None:
    ours = await started(registry.url)
    registry.down = True
    value = ours.encode("notifications", NOTIFICATION)
    await ours.learn(value)
    assert ours.decode(value, Notification) == NOTIFICATION


async def test_a_record_of_an_earlier_release_is_read_with_the_schema_that_it_registered(
    registry: FakeRegistry, old: versions.Schema
) -> None:
    number = registry.add(old.source)
    registry.subjects["vokter.notifications-value"] = [number]
    ours = await started(registry.url)
    out = BytesIO()
    schemaless_writer(out, old.parsed, to_builtins(NOTIFICATION))
    assert ours.decode(head(number) + out.getvalue(), Notification) == NOTIFICATION
    assert len(registry.subjects["vokter.notifications-value"]) == 2


async def test_a_record_of_an_older_version_is_written_as_the_newest(
    registry: FakeRegistry, old: versions.Schema
) -> None:
    out = BytesIO(old.header)
    out.seek(10)
    schemaless_writer(out, old.parsed, to_builtins(NOTIFICATION))
    ours = await started(registry.url)
    assert ours.encode("notifications", out.getvalue()) == ours.encode(
        "notifications", NOTIFICATION
    )


async def test_a_schema_of_another_producer_is_looked_up_once_by_its_id(
    registry: FakeRegistry,
) -> None:
    ours = await started(registry.url)
    receiver = {
        "type": "record",
        "name": "Receiver",
        "fields": [{"name": "session", "type": ["null", "string"], "default": None}],
    }
    fields = [
        {"name": "keywords", "type": {"type": "array", "items": "string"}},
        {"name": "document_url", "type": "string"},
        {"name": "receiver", "type": receiver},
    ]
    source: Any = {"type": "record", "name": "Subscribe", "namespace": "vokter", "fields": fields}
    number, out = registry.add(source), BytesIO()
    theirs = {
        "keywords": ["argus"],
        "document_url": "https://example.org/",
        "receiver": {"session": "s"},
    }
    schemaless_writer(out, parse_schema(source), theirs)
    value = head(number) + out.getvalue()
    with pytest.raises(Undecodable):
        ours.decode(value, Subscribe)
    registry.calls.clear()
    for _ in range(3):
        await ours.learn(value)
        assert ours.decode(value, Subscribe) == replace(SUBSCRIBE, request_id=None)
    assert registry.calls == [("GET", f"/schemas/ids/{number}")]


async def test_an_id_that_the_registry_does_not_know_is_undecodable_with_that_reason(
    registry: FakeRegistry,
) -> None:
    ours = await started(registry.url)
    await ours.learn(head(9_999) + b"x")
    with pytest.raises(Undecodable, match="schema 9999, which the schema registry does not know"):
        ours.decode(head(9_999) + b"x", Subscribe)


async def test_while_the_registry_is_down_an_unknown_id_waits_and_says_so(
    registry: FakeRegistry, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(client, "RETRIES", 0)
    monkeypatch.setattr(codec, "RETRY_PAUSES_S", (0.0,))
    ours = await started(registry.url)
    waited = asyncio.Event()
    number, registry.down = (
        registry.add(versions.newest(Challenge).source | {"doc": "theirs"}),
        True,
    )
    value = head(number) + wire.encode(CHALLENGE)[10:]
    learning = asyncio.create_task(ours.learn(value, waited.set))
    await waited.wait()
    assert not learning.done()
    registry.down = False
    await learning
    assert ours.decode(value, Challenge) == CHALLENGE


@pytest.mark.parametrize(
    ("value", "why"),
    [
        (b"\0", "registry"),
        (b"\0\0\0", "registry"),
        (head(1) + b"\xff\xff\xff", "registered schema"),
        (head(1) + b"\x00\xff", "broken"),
        (head(1) + b"\x7e", "registered schema"),
        (head(1) + b"\x01", "registered schema"),
        (head(1), "registered schema"),
    ],
)
async def test_broken_frames_are_undecodable(
    value: bytes, why: str, registry: FakeRegistry
) -> None:
    ours = await started(registry.url)
    await ours.learn(value)
    with pytest.raises(Undecodable, match=why):
        ours.decode(value, *KINDS["subscription-requests"])


async def test_a_registered_schema_of_an_unknown_record_is_undecodable(
    registry: FakeRegistry,
) -> None:
    ours = await started(registry.url)
    for source in ("string", {"type": "record", "name": "Subscribe", "fields": []}, {"no": "avro"}):
        value = head(registry.add(source)) + b"\0"
        await ours.learn(value)
        with pytest.raises(Undecodable, match="not one of our records"):
            ours.decode(value, Subscribe)


async def test_a_record_of_another_topic_is_undecodable_in_this_framing_too(
    registry: FakeRegistry,
) -> None:
    ours = await started(registry.url)
    value = ours.encode("challenges", CHALLENGE)
    with pytest.raises(Undecodable, match="a Challenge does not belong here"):
        ours.decode(value, Subscribe)
    with pytest.raises(Undecodable, match="may not say this"):
        ours.decode(ours.encode("challenges", replace(CHALLENGE, made=-1)), Challenge)


async def test_without_a_registry_the_framing_is_named_in_the_reason() -> None:
    with pytest.raises(Undecodable, match="schema 7, which needs SCHEMA_REGISTRY_URL"):
        Codec().decode(head(7) + b"x", Subscribe)
    assert Codec().encode("challenges", CHALLENGE) == wire.encode(CHALLENGE)


async def test_a_schema_that_is_not_fully_compatible_fails_the_start_and_says_what_to_do(
    registry: FakeRegistry,
) -> None:
    subject = "vokter.subscription-requests-value"
    earlier = json.loads(schema_of((Subscribe, Cancel)))
    registry.subjects[subject] = [registry.add(earlier)]
    registry.levels[subject] = "FULL_TRANSITIVE"
    with pytest.raises(RegistryRefused, match=f"compatibility of {subject} at the registry"):
        await started(registry.url)
    registry.levels[subject] = "BACKWARD_TRANSITIVE"
    await started(registry.url)
    assert registry.levels[subject] == "BACKWARD_TRANSITIVE"


async def test_the_start_fails_with_a_clear_error_if_the_registry_does_not_answer(
    registry: FakeRegistry, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(client, "RETRIES", 0)
    with pytest.raises(RegistryUnavailable, match="does not answer"):
        await started(f"http://127.0.0.1:{any_free()}")
    registry.down = True
    with pytest.raises(RegistryUnavailable, match="answers: down"):
        await started(registry.url)


def test_the_library_registers_what_the_agents_do() -> None:
    topics = JobManager("news-desk", "127.0.0.1:9092")._codec._topics
    assert len(topics) == 3
    assert topics == {name: KINDS[name] for name in topics}


def test_an_invalid_url_is_refused_without_being_shown(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("SCHEMA_REGISTRY_URL", "ftp://user:hidden@registry.example")
    monkeypatch.setattr("sys.argv", ["vokter", "tail", "changes"])
    with pytest.raises(SystemExit):
        main()
    notified = capsys.readouterr()
    assert "SCHEMA_REGISTRY_URL: must be an http or https URL" in notified.out + notified.err
    assert "hidden" not in notified.out + notified.err


def test_the_registrys_url_is_passed_on_and_its_password_is_not_shown(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("SCHEMA_REGISTRY_URL", "https://u:hidden@registry.example:8085")
    settings = Settings()
    assert settings.environment()["SCHEMA_REGISTRY_URL"].endswith("8085")
    assert "hidden" not in repr(settings)
    assert egress_policy(settings).url_refusal("http://198.51.100.1:8085/") is not None


async def test_without_the_client_of_registries_the_start_says_what_to_install(
    registry: FakeRegistry, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "confluent_kafka.schema_registry", None)
    with pytest.raises(RegistryRefused, match=re.escape("pip install 'vokter[registry]'")):
        await started(registry.url)
    await Codec().start()


def test_the_client_of_registries_is_an_extra() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    (needed,) = project["optional-dependencies"]["registry"]
    assert needed.startswith("confluent-kafka[schemaregistry]")
    assert "confluent" not in " ".join(project["dependencies"])


async def test_a_version_that_ours_cannot_read_is_found_with_the_reason(
    registry: FakeRegistry,
) -> None:
    ours = Codec(registry.url, "vokter.", FEW)
    assert await ours.unreadable() == {}
    source = versions.newest(Challenge).source
    fields = [each for each in source["fields"] if each["name"] != "made"]
    subject = "vokter.challenges-value"
    sources = source | {"fields": fields}, source
    registry.subjects[subject] = [registry.add(each) for each in sources]
    found = await ours.unreadable()
    assert found.keys() == {subject}
    assert found[subject] == "reader field missing default value (made)"


async def test_versions_of_ours_and_versions_without_fields_that_have_defaults_can_be_read(
    registry: FakeRegistry,
) -> None:
    ours = await started(registry.url)
    source = versions.newest(Subscribe).source
    fields = [each for each in source["fields"] if "default" not in each]
    assert fields != source["fields"]
    registry.subjects["vokter.subscription-requests-value"].append(
        registry.add(source | {"fields": fields})
    )
    assert await ours.unreadable() == {}


async def test_a_version_that_is_no_schema_cannot_be_read(registry: FakeRegistry) -> None:
    registry.subjects["vokter.challenges-value"] = [registry.add({"no": "avro"})]
    found = await Codec(registry.url, "vokter.", FEW).unreadable()
    assert "not a valid Avro schema" in found["vokter.challenges-value"]
