"""Two workers with one member id: a container's folder that was copied, with its host name."""

import asyncio
import json
import re
from pathlib import Path

import pytest

from infra.broker import LocalBroker
from streams.engine.life.loop_watch import BROKEN
from tests.harness.processes import Deployment
from tests.harness.waiting import until

READY = re.compile(r"\bready\b.*partitions=\[([\d, ]*)\]")


def owned(deployment: Deployment, name: str) -> set[str]:
    """Return the partitions that a worker was assigned last."""
    found = READY.findall(deployment[name].said)
    return set(found[-1].split(", ")) if found else set()


def member_id(folder: Path) -> str:
    return str(json.loads((folder / "member.json").read_text())["id"])


@pytest.mark.slow  # tests/engine/faust/test_put_out.py and test_locks.py have it
async def test_the_one_that_is_put_out_takes_another_member_id_and_both_go_on(
    broker: LocalBroker, tmp_path: Path
) -> None:
    home = tmp_path / "state" / "ticker"
    with Deployment(broker.bootstrap, tmp_path) as deployment:
        deployment.start("ticker")
        await until(lambda: len(owned(deployment, "ticker")) == 4, "one has all partitions")
        note = json.loads((home / "1" / "member.json").read_text())
        (home / "2").mkdir()
        copy = json.dumps(note | {"folder": str(home / "2")})
        (home / "2" / "member.json").write_text(copy)
        deployment.start("ticker-2")
        assert await asyncio.to_thread(deployment["ticker"].ended) == BROKEN
        assert "with another member id" in deployment["ticker"].said
        deployment.start("ticker")
        await until(
            lambda: len(owned(deployment, "ticker")) == len(owned(deployment, "ticker-2")) == 2,
            "each has two partitions",
        )
        assert owned(deployment, "ticker").isdisjoint(owned(deployment, "ticker-2"))
        assert member_id(home / "1") != member_id(home / "2") == note["id"]
