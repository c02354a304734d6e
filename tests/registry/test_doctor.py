"""`vokter doctor` on a real registry that is complete, new, or has other schemas."""

import asyncio
from pathlib import Path

import pytest
from confluent_kafka.schema_registry import Schema, SchemaRegistryClient

from schemas.records.topics import NOTIFICATIONS
from tests.harness.commands import Result, vokter
from tests.harness.processes import Deployment, environment
from tests.harness.rest import Rest
from tests.servers.apicurio import Apicurio

pytestmark = pytest.mark.registry

OTHER = '{"type": "record", "name": "Other", "fields": [{"name": "n", "type": "int"}]}'


async def test_a_registry_that_has_all_schemas_is_well(
    rest: Rest, deployment: Deployment, tmp_path: Path
) -> None:
    result = await vokter(environment(deployment.settings), tmp_path, "doctor")
    assert (result.status, "has all schemas of this release" in result.out) == (0, True)


async def test_one_that_no_worker_has_used_is_reported_and_stays_empty(
    deployment: Deployment, apicurio: Apicurio, tmp_path: Path
) -> None:
    result = await _of_prefix("unused.", deployment, tmp_path)
    assert "! schema registry: " in result.out
    assert "no schema of this release for unused." in result.out
    subjects = SchemaRegistryClient({"url": apicurio.url}).get_subjects
    assert not [each for each in await asyncio.to_thread(subjects) if each.startswith("unused.")]


async def test_a_subject_that_would_not_take_our_schema_is_an_error(
    deployment: Deployment, apicurio: Apicurio, tmp_path: Path
) -> None:
    subject = f"taken.{NOTIFICATIONS.name}-value"
    client = SchemaRegistryClient({"url": apicurio.url})
    await asyncio.to_thread(client.set_compatibility, subject, "FULL_TRANSITIVE")
    await asyncio.to_thread(client.register_schema, subject, Schema(OTHER, "AVRO"))
    result = await _of_prefix("taken.", deployment, tmp_path)
    assert result.status == 1
    assert "✗ schema registry: " in result.out
    assert f"refuses this release's schema for {subject}\n" in result.out


async def _of_prefix(prefix: str, deployment: Deployment, folder: Path) -> Result:
    settings = deployment.settings.model_copy(update={"topic_prefix": prefix})
    return await vokter(environment(settings), folder, "doctor")
