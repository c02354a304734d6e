"""All workers of a deployment use one store; where that one is, the cluster knows."""

from pathlib import Path

import pytest

from infra.broker import LocalBroker
from tests.harness.commands import vokter
from tests.harness.processes import Deployment, environment


@pytest.fixture
def here(broker: LocalBroker, tmp_path: Path) -> dict[str, str]:
    """The environment of a deployment with a store of its own."""
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
