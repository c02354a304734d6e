"""Kept pages are read again next to the live agents, even if their worker is killed meanwhile."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from connectors.readers.versions import reader_id
from infra.broker import LocalBroker
from streams.cli.jobs.reprocess import NO_WORKER
from tests.harness.commands import Command, vokter
from tests.harness.hooks import Hooks
from tests.harness.pages import Pages
from tests.harness.processes import ON_THE_WAY, Deployment, environment
from tests.harness.rest import client
from tests.harness.waiting import eventually, until

READER = """
import time
from pathlib import Path
CONTENT_TYPES = ("text/html",)
GATE = Path({gate!r})
def read(body, _):
    GATE.with_name("reads").touch()
    while GATE.exists():
        time.sleep(0.05)
    return body.decode() + " by another reader"
"""


@pytest.fixture
def deployment(
    broker: LocalBroker, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Deployment]:
    folder = tmp_path_factory.mktemp("reprocess")
    with Deployment(broker.bootstrap, folder, keep_bodies=100_000) as deployment:
        for name in ON_THE_WAY:
            deployment.start(name, is_apart=name == "record")  # without history
        deployment.start("api")
        yield deployment


def results(out: str) -> dict[str, Any]:
    """What came of each page."""
    return {each["url"]: each for each in map(json.loads, out.splitlines())}


@pytest.mark.slow  # tests/agents/history/test_reprocess.py has the same without a kill
async def test_pages_are_read_again_after_a_kill_and_live_ones_notice_nothing(
    deployment: Deployment, pages: Pages, hooks: Hooks, tmp_path: Path
) -> None:
    several, hook = [pages.add(f"<p>giant {number}") for number in range(6)], hooks.add()
    gate = tmp_path / "gate"
    plugins = tmp_path / "readers"
    plugins.mkdir()
    (plugins / "other.py").write_text(READER.format(gate=str(gate)))
    gate.touch()
    env = environment(deployment.settings) | {"VOKTER_PLUGINS": str(tmp_path)}
    async with client(deployment.settings.port) as rest:

        async def lacks_history() -> bool:
            health = await rest.health()
            agents = {} if health is None else health.body["agents"]
            return {name for name, state in agents.items() if state != "ok"} == {"history"}

        await eventually(lacks_history, "all others are well")
        refused = await vokter(env, tmp_path, "reprocess", "--all")
        assert (refused.status, refused.out) == (1, "")
        assert f"Nothing was read again: {NO_WORKER}" in refused.err
        deployment.start("history", plugins=tmp_path)
        await rest.ready()
        for page in several:
            await rest.subscribe(page.url, hook.url, "argus")
            await page.stored()
            page.text += " argus"
        await hook.notified(len(several))

        async with Command(env, tmp_path, "reprocess", "--all", "--json") as command:
            await until((tmp_path / "reads").exists, "a kept page is read")
            deployment["history"].kill()
            several[0].text = "<p>giant hera"
            await hook.notified(len(several) + 1)
            gate.unlink()
            deployment.start("history", plugins=tmp_path)
            first = await command.ended()
        assert first.status == 0, first.err
        found = results(first.out)
        assert found.keys() == {page.url for page in several}
        for page in several[1:]:
            old, new = found[page.url]["times"]
            assert (old["reader"], new["wasChange"], new["isChange"]) == (
                reader_id("html"),
                True,
                True,
            )
            assert old["readerNow"].startswith("plug-in other.py ")
            assert (len(new["same"]), new["added"], new["removed"]) == (1, [], [])
        again = results((await vokter(env, tmp_path, "reprocess", "--all", "--json")).out)
        assert [again[page.url] for page in several[1:]] == [
            found[page.url] for page in several[1:]
        ]

        replaced = await vokter(env, tmp_path, "reprocess", "--all", "--apply")
        assert "6: replaced" in replaced.out
        several[1].text = "<p>giant 1 zeus"
        (*_, last) = await hook.notified(len(several) + 2)
        assert [diff["text"] for diff in last["diffs"]] == ["argus"]
        await rest.tidy()
    assert len(hook.bodies) == len(several) + 2, "nobody was notified of a reader"
