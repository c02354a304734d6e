"""GET /health tells what is, and what is missing."""

import asyncio
import signal
from collections.abc import AsyncIterator
from pathlib import Path
from socket import gethostname

import pytest

from infra.broker import LocalBroker
from tests.harness.processes import STAGES, Deployment
from tests.harness.rest import Answer, Rest, client
from tests.harness.waiting import eventually

NO_ANSWER = (503, "9", "No worker answered in time. Please repeat the call.")


@pytest.fixture
async def lonely(broker: LocalBroker, tmp_path: Path) -> AsyncIterator[Rest]:
    """An API without a single worker."""
    with Deployment(broker.bootstrap, tmp_path) as deployment:
        deployment.start("api")
        async with client(deployment.settings.port) as rest:
            await eventually(rest.health, "the API answers")
            yield rest


async def test_a_deployment_that_is_well_says_so(shared: Deployment, rest: Rest) -> None:
    health = await rest.health()
    assert health == Answer(
        200,
        {
            "status": "ok",
            "kafka": shared.settings.kafka,
            "store": f"{shared.settings.data_dir}/vokter.db on {gethostname()}",
            "stages": dict.fromkeys(STAGES, "ok"),
            "problems": [],
        },
    )


async def test_a_stopped_stage_is_named_until_it_is_back(shared: Deployment, rest: Rest) -> None:
    shared["record"].send(signal.SIGTERM)

    async def unwell() -> Answer | None:
        health = await rest.health()
        return health if health and health.status == 503 else None

    health = await eventually(unwell, "the health is bad")
    stages = health.body["stages"]
    assert health.body["status"] != "ok"
    assert "nobody holds" in stages.pop("record")
    assert set(stages.values()) == {"ok"}
    assert [problem.partition(":")[0] for problem in health.body["problems"]] == ["record"]
    shared["record"].start()
    await rest.ready()


async def test_without_a_worker_a_request_is_9_and_every_stage_is_named(lonely: Rest) -> None:
    urls = {"documentUrl": "http://127.0.0.1:1024/", "clientUrl": "http://127.0.0.1:1024/"}
    answers = await asyncio.gather(
        lonely.call("/subscribe", urls | {"keywords": ["argus"]}), lonely.call("/cancel", urls)
    )
    assert [answer.verdict for answer in answers] == [NO_ANSWER, NO_ANSWER]
    health = await lonely.health()
    assert health is not None
    assert health.status == 503
    assert all("nobody holds" in reason for reason in health.body["stages"].values())
    assert len(health.body["problems"]) == len(STAGES)
