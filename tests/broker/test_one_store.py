"""All workers of a deployment use one store; where that one is, the cluster knows."""

import asyncio
from pathlib import Path

import pytest

from connectors.kafka.claims import claim_store, claimed_store
from infra.broker import LocalBroker
from schemas.codec import wire
from schemas.records.claims import StoreClaimed
from schemas.records.topics import DEPLOYMENT
from streams.cli.setup.preparation import create_all_topics
from streams.effects.connections import kafka_access
from tests.harness.commands import vokter
from tests.harness.facts import latest
from tests.harness.processes import Deployment, environment


@pytest.fixture
def here(broker: LocalBroker, tmp_path: Path) -> dict[str, str]:
    """The environment of a deployment with its own store."""
    return environment(Deployment(broker.bootstrap, tmp_path / "here").settings)


async def test_a_worker_with_another_store_refuses_to_start_until_that_one_is_claimed(
    here: dict[str, str], tmp_path: Path
) -> None:
    elsewhere = here | {"VOKTER_DATA_DIR": str(tmp_path / "elsewhere")}
    (tmp_path / "elsewhere").mkdir()
    assert (await vokter(here, tmp_path, "store", "claim")).status == 0
    refused = await vokter(elsewhere, tmp_path, "worker", "fetch")
    assert refused.status == 1
    assert f"keeps its snapshots in {tmp_path}/here/vokter.db on " in refused.err
    assert "vokter store claim" in refused.err
    assert (await vokter(elsewhere, tmp_path, "store", "claim")).status == 0
    moved = await vokter(here, tmp_path, "worker", "fetch")
    assert f"keeps its snapshots in {tmp_path}/elsewhere/vokter.db on " in moved.err


async def test_of_two_stores_that_are_claimed_at_once_one_is_refused(
    broker: LocalBroker, tmp_path: Path
) -> None:
    settings = Deployment(broker.bootstrap, tmp_path).settings
    await create_all_topics(settings)
    access, topic = kafka_access(settings), settings.topic_prefix + DEPLOYMENT.name
    claims = [StoreClaimed(name, name, 1, replaces=False) for name in "ab"]
    answers = await asyncio.gather(
        *(claim_store(access, topic, claim) for claim in claims), return_exceptions=True
    )
    assert sorted(type(answer).__name__ for answer in answers) == ["NoneType", "StoreElsewhere"]
    valid = await claimed_store(access, topic)
    assert valid is not None
    assert valid == claims[answers.index(None)]
    assert set((await latest(settings, topic)).values()) == {wire.encode(valid)}
