"""The doctor without a broker: what it can check all the same."""

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest.mock import Mock

import pytest
import typer
from aiokafka import ConsumerRecord, TopicPartition
from aiokafka.errors import TopicAuthorizationFailedError
from pydantic import SecretStr

from connectors.kafka.inspection import FoundTopic
from connectors.stores.opening import open_store
from schemas.codec import wire
from schemas.records.claims import Partitioned
from schemas.records.documents import Document
from schemas.records.table_rows import Scheduled, TickedThrough
from schemas.records.watches import Watch
from streams.agents.ticker.agenda import THROUGH_KEY
from streams.cli.checks import deployment
from streams.cli.checks.clock import ROWS, check_clock
from streams.cli.checks.connecting import (
    check_documents,
    check_model,
    check_signing_key,
    check_store,
)
from streams.cli.checks.deployment import all_findings
from streams.cli.checks.finding import Finding, Level
from streams.cli.health import doctor
from streams.effects.connections import started_codec
from streams.settings import Settings
from streams.values.slots import FURTHEST_MS
from tests.fakes.registry import fake_registry
from tests.servers.model import NAME, serving_model

NOWHERE = "127.0.0.1:1"
NOW = 1_700_000_000_000


async def test_a_broker_that_does_not_answer_is_an_error_with_a_remedy(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(typer.Exit) as ended:
        await doctor.run(Settings(data_dir=tmp_path / "new", kafka=NOWHERE))
    assert ended.value.exit_code == 1
    said = capsys.readouterr().out
    assert "✓ settings: " in said
    assert "✗ broker: " in said
    assert f"Is Kafka running at {NOWHERE}?" in said


async def test_a_pipe_that_ends_before_leaves_no_client_open(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    closed = []

    async def findings(_: Settings) -> AsyncIterator[Finding]:
        try:
            yield Finding(Level.OK, "broker", "It answered.")
        finally:
            closed.append("client")

    monkeypatch.setattr(doctor, "all_findings", findings)
    monkeypatch.setattr(doctor, "print_json", Mock(side_effect=BrokenPipeError))
    with pytest.raises(BrokenPipeError):
        await doctor.run(Settings(data_dir=tmp_path), as_json=True)
    assert closed == ["client"]


async def test_a_finding_is_a_line_of_json_if_that_is_asked_for(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(typer.Exit) as ended:
        await doctor.run(Settings(data_dir=tmp_path / "new", kafka=NOWHERE), as_json=True)
    assert ended.value.exit_code == 1
    found = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert all(each.keys() == {"level", "about", "text", "remedy"} for each in found)
    levels = {each["about"]: each["level"] for each in found}
    assert (levels["settings"], levels["broker"]) == ("ok", "error")


async def test_a_registry_that_does_not_answer_is_an_error_with_a_remedy(tmp_path: Path) -> None:
    async with fake_registry() as registry:
        registry.down = True
        found = await _of_registry(tmp_path, registry.url)
    assert (found.level, "the schema registry" in found.text) == (Level.ERROR, True)
    assert "SCHEMA_REGISTRY_URL" in found.remedy
    gone = await _of_registry(tmp_path, f"http://{NOWHERE}")
    assert (gone.level, "does not answer" in gone.text) == (Level.ERROR, True)


async def test_a_registry_is_asked_for_this_releases_schemas_and_given_none(tmp_path: Path) -> None:
    async with fake_registry() as registry:
        login = registry.url.replace("http://", "http://desk:secret@")
        empty = await _of_registry(tmp_path, login)
        assert (empty.level, registry.subjects) == (Level.WARNING, {})
        assert "no schema of this release for vokter." in empty.text
        await started_codec(Settings(schema_registry_url=SecretStr(login)))
        full = await _of_registry(tmp_path, login)
    assert (full.level, "all schemas" in full.text) == (Level.OK, True)
    assert "secret" not in empty.text + full.text


async def test_a_language_model_is_asked_and_one_that_gives_no_answer_is_a_warning() -> None:
    async with serving_model() as model:
        settings = Settings(model_url=model.url, model=NAME)
        (found,) = await check_model(settings)
        model.fault = "nonsense"
        (useless,) = await check_model(settings)
    (gone,) = await check_model(settings)
    assert (found.level, len(model.asked)) == (Level.OK, 2)
    assert f"{NAME} at {model.url} answers (100 tokens)" in found.text
    assert {useless.level, gone.level} == {Level.WARNING}
    assert "its answer cannot be used: it is no JSON object" in useless.text
    assert "the model cannot be reached" in gone.text
    assert "VOKTER_MODEL_URL" in gone.remedy
    assert await check_model(Settings()) == []


async def test_a_schema_that_the_registry_would_not_take_is_an_error(tmp_path: Path) -> None:
    async with fake_registry() as registry:
        other = {"type": "record", "name": "Other", "fields": [{"name": "n", "type": "int"}]}
        registry.subjects["vokter.notifications-value"] = [registry.add(other)]
        registry.levels["vokter.notifications-value"] = "FULL_TRANSITIVE"
        found = await _of_registry(tmp_path, registry.url)
        assert list(registry.subjects) == ["vokter.notifications-value"]
    assert (found.level, "refuses" in found.text) == (Level.ERROR, True)
    assert "vokter.notifications-value" in found.text
    assert "BACKWARD_TRANSITIVE" in found.remedy


async def test_a_registered_schema_that_cannot_be_read_is_an_error(tmp_path: Path) -> None:
    async with fake_registry() as registry:
        await started_codec(Settings(schema_registry_url=SecretStr(registry.url)))
        fields = [{"name": "at", "type": "string"}]
        other = {"type": "record", "name": "Challenge", "namespace": "vokter", "fields": fields}
        registry.subjects["vokter.challenges-value"].append(registry.add(other))
        found = await _of_registry(tmp_path, registry.url)
    assert (found.level, "cannot read" in found.text) == (Level.ERROR, True)
    assert "vokter.challenges-value" in found.text
    assert "dead letters" in found.remedy


async def test_the_doctor_is_not_well_while_every_document_fails(tmp_path: Path) -> None:
    settings = Settings(data_dir=tmp_path)

    async def judged(document: Document, version: int) -> Finding:
        store = await open_store(settings.store_url)
        await store.snapshots.compare_and_set(document, version)
        await store.close()
        found = await check_documents(settings, now=0)
        (finding,) = [finding for finding in found if finding.about == "documents"]
        return finding

    bad = Document("http://a.test/", "w", 1, 1, failures=1, last_error="answered 404")
    all_fail = await judged(bad, 0)
    assert (all_fail.level, all_fail.about) == (Level.ERROR, "documents")
    assert "http://a.test/ (failures in a row: 1): answered 404" in all_fail.text
    some = await judged(replace(bad, url="http://b.test/", failures=0, last_error=None), 0)
    assert some.level is Level.WARNING
    assert (await judged(replace(bad, version=2, failures=0), 1)).level is Level.OK


async def test_while_partitions_are_added_topics_and_workers_are_not_judged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    @asynccontextmanager
    async def client(*_: object, **__: object) -> AsyncIterator[None]:
        yield None

    async def half_done(*_: object) -> Partitioned:
        return Partitioned(32, 8, begun=1)

    monkeypatch.setattr(deployment, "admin_client", client)
    monkeypatch.setattr(deployment, "groupless_consumer", client)
    monkeypatch.setattr(deployment, "partitioned", half_done)
    *_, last = [finding async for finding in all_findings(Settings(data_dir=tmp_path))]
    assert last.about == "repartition"
    assert "vokter repartition 32" in last.remedy


async def _of_registry(folder: Path, url: str) -> Finding:
    settings = Settings(data_dir=folder, kafka=NOWHERE, schema_registry_url=SecretStr(url))
    found = [finding async for finding in all_findings(settings)]
    (registry,) = [finding for finding in found if finding.about == "schema registry"]
    return registry


async def test_without_a_registry_none_is_looked_for(tmp_path: Path) -> None:
    found = all_findings(Settings(data_dir=tmp_path, kafka=NOWHERE))
    assert "schema registry" not in {finding.about async for finding in found}


async def test_a_file_of_keys_that_is_none_is_an_error(tmp_path: Path) -> None:
    settings = Settings(data_dir=tmp_path, kafka=NOWHERE)
    settings.keys_file.write_text("{")
    first, *_ = [finding async for finding in all_findings(settings)]
    assert (first.level, first.about) == (Level.ERROR, "API keys")


async def test_a_store_is_written_to_and_one_that_is_none_is_an_error(tmp_path: Path) -> None:
    good = await check_store(Settings(data_dir=tmp_path), None)
    assert (good.level, "can be written" in good.text) == (Level.OK, True)
    (tmp_path / "page.html").write_text("<p>no database" * 100)
    bad = await check_store(Settings(store=f"sqlite:{tmp_path / 'page.html'}"), None)
    assert (bad.level, bad.about) == (Level.ERROR, "store")


async def test_a_signing_key_that_is_cut_off_is_an_error(tmp_path: Path) -> None:
    settings = Settings(data_dir=tmp_path)
    assert (await check_signing_key(settings, None)).level is Level.OK
    settings.signing_file.write_text("short")
    assert (await check_signing_key(settings, None)).level is Level.ERROR


class Changelog:
    """A consumer of the changelog of ticker's table, with one partition."""

    def __init__(self, *rows: ConsumerRecord, is_refused: bool = False) -> None:
        self._rows, self._is_refused, self._next = rows, is_refused, 0

    def assign(self, places: object) -> None: ...

    async def beginning_offsets(self, places: list[TopicPartition]) -> dict[TopicPartition, int]:
        return dict.fromkeys(places, 0)

    async def end_offsets(self, places: list[TopicPartition]) -> dict[TopicPartition, int]:
        if self._is_refused:
            raise TopicAuthorizationFailedError
        return dict.fromkeys(places, len(self._rows))

    def seek(self, place: TopicPartition, offset: int) -> None:
        self._next = offset

    async def position(self, place: TopicPartition) -> int:
        return self._next

    async def getmany(self, place: TopicPartition, **_: object) -> Any:
        rows, self._next = self._rows[self._next :], len(self._rows)
        return {place: list(rows)}


def row(key: bytes, record: Any, at: int) -> Any:
    return SimpleNamespace(key=key, value=wire.encode(record), timestamp=at)


async def test_the_clock_of_schedule_is_that_of_its_last_tick_among_the_rows_of_its_table() -> None:
    begun = Scheduled("http://a.test/", Watch("w", 60), NOW)
    rows = [
        row(THROUGH_KEY, TickedThrough(NOW - 60_000), NOW - 60_000),
        row(THROUGH_KEY, TickedThrough(NOW + 9_000 + FURTHEST_MS), NOW),
        *[row(b"http://a.test/", begun, NOW)] * (ROWS - 1),
    ]
    consumer: Any = Changelog(*rows)
    (finding,) = await check_clock(consumer, "v.watches", FoundTopic(1, 0, 1, {}), NOW + 1_000)
    assert (finding.level, "differs by 9.0 s" in finding.text) == (Level.WARNING, True)


async def test_a_user_that_may_not_read_the_ticks_learns_which_right_it_lacks() -> None:
    consumer: Any = Changelog(is_refused=True)
    (finding,) = await check_clock(consumer, "v.watches", FoundTopic(1, 0, 1, {}), NOW)
    assert finding.level is Level.WARNING
    assert "may not read v.watches" in finding.text
