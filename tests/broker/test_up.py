"""``vokter up``: a whole deployment with its own broker in one folder."""

import os
from collections.abc import AsyncIterator
from pathlib import Path
from signal import SIGINT, SIGKILL, SIGTERM

import pytest

from bench.race.usage import command, memory
from infra.broker_config import LOG
from infra.ports import any_free
from streams.cli.local.supervisor import PROGRAM
from streams.settings import Settings
from tests.harness.commands import Command, vokter
from tests.harness.family import alive, descendants
from tests.harness.hooks import Hooks
from tests.harness.pages import Pages
from tests.harness.processes import environment
from tests.harness.rest import Rest, client
from tests.harness.waiting import eventually, until

READY = "Ready: "
MAX_PROCESSES = 9
MAX_MEMORY = 500_000_000
"""Bytes at rest, of which 450 to 480 million are used; a browser's agent is 50 of them."""


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Settings:
    """The settings of one deployment, kept over several starts."""
    return Settings(
        kafka=None,
        data_dir=tmp_path_factory.mktemp("home"),
        port=any_free(),
        partitions=2,
        min_interval=1,
        host_delay=0,
        allow_private=("127.0.0.0/8",),
    )


@pytest.fixture
async def rest(home: Settings) -> AsyncIterator[Rest]:
    async with client(home.port) as rest:
        yield rest


def up(home: Settings) -> Command:
    """``vokter up`` as a user starts it: what it shares, it shares with its own processes."""
    return Command(environment(home), home.data_dir, "up", program=PROGRAM)


@pytest.mark.slow  # test_last_release.py starts a folder again
async def test_a_second_start_goes_on_where_the_first_stopped(
    home: Settings, rest: Rest, pages: Pages, hooks: Hooks
) -> None:
    page, hook = pages.add("<p>the giant sleeps"), hooks.add()
    async with up(home) as first:
        await first.says(f"{READY}http://127.0.0.1:{home.port}/ ")
        is_small_at_rest(first.pid)
        name = await rest.subscribe(page.url, hook.url, "argus", interval=2)
        await page.stored()
        family = descendants(first.pid)
        first.signal(SIGTERM)
        assert (await first.ended()).status == 0
        await until(lambda: not alive(family), "nothing is left behind")
    page.text = "<p>the giant argus sleeps"
    async with up(home) as second:
        (notified,) = await hook.notified()
        assert [(d["event"], d["keyword"]) for d in notified["diffs"]] == [("added", "argus")]
        await second.says(READY)
        await rest.shows(lambda item: item["id"] == name, "it")
        assert [item["id"] for item in await rest.listed(hook.url)] == [name]
        second.signal(SIGTERM)
        await second.ended()


def is_small_at_rest(pid: int) -> None:
    every = {pid, *descendants(pid)}
    assert len(every) <= MAX_PROCESSES, [command(each) for each in every]
    shares = {f"{each} {command(each)[-60:]}": memory({each}) for each in every}
    # Without /proc nothing is counted.
    assert sum(shares.values()) <= MAX_MEMORY, shares


@pytest.mark.slow  # tests/cli/local has the lock, the port and the supervisor
async def test_one_up_at_a_time_brings_its_agents_back_and_leaves_nothing_over(
    home: Settings, rest: Rest, tmp_path: Path
) -> None:
    async with up(home) as running:
        await running.says(READY)
        same = await vokter(environment(home), tmp_path, "up")
        assert same.status == 1
        assert f"is already running in {home.data_dir}" in same.err
        assert f"process {running.pid}" in same.err
        elsewhere = await vokter(environment(home), tmp_path, "up", "--data-dir", str(tmp_path))
        assert elsewhere.status == 1
        assert f"cannot listen on 127.0.0.1:{home.port}" in elsewhere.err
        assert "--port" in elsewhere.err
        await a_killed_agent_comes_back(home, running, rest)
        family = descendants(running.pid)
        running.signal(SIGKILL)
        await until(lambda: not alive(family), "nothing is left behind")


async def a_killed_agent_comes_back(home: Settings, running: Command, rest: Rest) -> None:
    lock = home.data_dir / "state" / "match" / "1" / "lock"
    killed = int(lock.read_text().split()[0])
    assert killed in descendants(running.pid)
    os.kill(killed, SIGKILL)
    await running.says("agents ended with status -9")

    async def back() -> bool:
        found = lock.read_text().split()
        return bool(found) and int(found[0]) != killed

    await eventually(back, "match is back")
    await rest.ready()
    body = {"documentUrl": "http://127.0.0.1:1024/", "session": "me", "keywords": ["argus"]}
    assert (await rest.call("/subscribe", body)).body["code"] == "0"


async def test_ctrl_c_at_the_first_line_ends_it_without_waiting_for_its_broker(
    tmp_path: Path,
) -> None:
    first = Settings(kafka=None, data_dir=tmp_path, port=any_free())
    async with up(first) as starting:
        await starting.says("Starting a local Kafka broker")
        starting.signal(SIGINT)
        await until(lambda: "Stopped." in starting.err, "it has heard of it")
        family = descendants(starting.pid)
        result = await starting.ended()
    await until(lambda: not alive(family), "nothing is left behind")
    assert result.status == 0
    assert result.err.splitlines() == ["Starting a local Kafka broker ...", "Stopped."]
    log = first.local_broker / LOG
    assert not log.exists() or "Kafka Server started" not in log.read_text("utf-8", "replace")


@pytest.mark.slow  # the test above stops it earlier
async def test_up_can_be_stopped_while_it_starts(home: Settings) -> None:
    async with up(home) as starting:
        await starting.says("logs are in")
        family = descendants(starting.pid)
        starting.signal(SIGTERM)
        result = await starting.ended()
        assert result.status == 0, result
        assert "Traceback" not in result.err
        await until(lambda: not alive(family), "nothing is left behind")
