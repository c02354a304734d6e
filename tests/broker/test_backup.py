"""A deployment that was saved while it ran goes on elsewhere, after the machine has died."""

import asyncio
import json
import shutil
import stat
from pathlib import Path
from signal import SIGKILL, SIGTERM
from typing import Any

import pytest

from infra.ports import any_free
from streams.cli.local.supervisor import PROGRAM
from streams.settings import Settings
from tests.broker.test_signatures import is_verified
from tests.harness.commands import Command
from tests.harness.family import alive, descendants
from tests.harness.hooks import Hooks
from tests.harness.pages import Pages
from tests.harness.processes import environment
from tests.harness.rest import Rest, client
from tests.harness.waiting import until

PASSPHRASE = "correct horse\n"  # noqa: S105  # of this test alone


def at(folder: Path) -> Settings:
    return Settings(
        kafka=None,
        data_dir=folder,
        port=any_free(),
        partitions=2,
        min_interval=1,
        host_delay=0,
        allow_private=("127.0.0.0/8",),
        retry_schedule=(0, *(5,) * 50),
    )


async def typed(settings: Settings, *arguments: str) -> str:
    """Run a command as from a script, which writes the passphrase to it; it must succeed."""
    command = Command(
        environment(settings), settings.data_dir.parent, *arguments, stdin=asyncio.subprocess.PIPE
    )
    async with command:
        command.write(PASSPHRASE)
        result = await command.ended()
    assert result.status == 0, result.err
    return result.err


async def seen(rest: Rest, url: str, client_url: str) -> dict[str, Any]:
    """Return the view of a manager, but for the times of visits."""
    keys = "id", "documentUrl", "clientUrl", "keywords", "view", "tags", "state"
    credentials = (await rest.get("/credentials")).body["credentials"]
    return {
        "subscriptions": [{key: each[key] for key in keys} for each in await rest.all()],
        "changes": await rest.history("changes", documentUrl=url),
        "snapshots": (await rest.get("/snapshots", documentUrl=url)).body["snapshots"],
        "deliveries": await rest.history("deliveries", client=client_url),
        "credentials": [each["name"] for each in credentials],
    }


@pytest.mark.slow  # tests/cli/setup/test_archive.py has the file
async def test_subscriptions_secrets_histories_and_what_waits_are_there_again(
    pages: Pages, hooks: Hooks, tmp_path: Path
) -> None:
    home, file = at(tmp_path / "home"), tmp_path / "saved"
    home.data_dir.mkdir()
    page, hook, failing = pages.add("<p>the giant sleeps"), hooks.add(), hooks.add()
    failing.script = [500] * 50
    async with (
        Command(environment(home), tmp_path, "up", program=PROGRAM) as first,
        client(home.port) as rest,
    ):
        await first.says("Ready: ")
        body = {
            "documentUrl": page.url,
            "clientUrl": hook.url,
            "keywords": ["argus"],
            "interval": 2,
        }
        secret = (await rest.call("/subscribe", body | {"tags": ["myths"]})).body["secret"]
        await rest.subscribe(page.url, failing.url, "argus", interval=2)
        await rest.put("/credentials/site", {"for": "https://a.example", "header": "X-Key: 1"})
        await page.stored()
        page.text = "<p>the giant argus sleeps"
        await hook.notified()
        await failing.notified(2)
        await rest.shows_in_history("deliveries", 1, client=failing.url)
        await rest.shows_in_history("deliveries", 1, client=hook.url)
        before = await seen(rest, page.url, hook.url)
        assert "Saved" in await typed(
            home, "backup", str(file), "--encrypt", "--data-dir", str(home.data_dir)
        )
        family = descendants(first.pid)
        first.signal(SIGKILL)
        await until(lambda: not alive(family), "nothing is left")
    shutil.rmtree(home.data_dir)
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert secret.encode() not in file.read_bytes()

    there = at(tmp_path / "there")
    said = await typed(there, "restore", str(file), "--data-dir", str(there.data_dir))
    assert "It needs VOKTER_PARTITIONS=2" in said
    failing.script = []
    failing.posts.clear()
    async with (
        Command(environment(there), tmp_path, "up", program=PROGRAM) as second,
        client(there.port) as rest,
    ):
        await second.says("Ready: ")
        assert await seen(rest, page.url, hook.url) == before
        (waited,) = await failing.notified()
        assert [each["keyword"] for each in waited["diffs"]] == ["argus"]
        page.text = "<p>the giant argus wakes up"
        page.text = "<p>the giant sleeps"
        await hook.notified(2)
        assert is_verified(secret, hook.posts[-1]), json.dumps(hook.posts[-1].body)
        second.signal(SIGTERM)
        assert (await second.ended()).status == 0
