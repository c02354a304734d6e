"""A data folder that a release has left, packed, with what its manager saw of the deployment.

At a release: python -m tests.harness.last_release
"""

import asyncio
import json
import tarfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path
from signal import SIGTERM
from tempfile import TemporaryDirectory
from typing import Any

from aiohttp import web

from infra.broker_config import LOG
from infra.ports import any_free
from streams.cli.local.supervisor import PROGRAM
from streams.settings import Settings
from tests.harness.commands import Command
from tests.harness.hooks import Post
from tests.harness.pages import Page
from tests.harness.processes import environment
from tests.harness.rest import Rest, client
from tests.harness.waiting import until
from tests.harness.web import served

FOLDERS = Path(__file__).with_name("releases")
SEEN = "seen.json"
CENTURY_DAYS = 36_500
PAGE, HOOK, QUIET = (f"http://site.example/{name}" for name in ("page", "hook", "quiet"))
BEFORE, AFTER, LATER = (f"<p>the giant {words}" for words in ("sleeps", "argus sleeps", "wakes up"))
CREDENTIALS = {
    "site": {"for": "https://site.example", "header": "X-Key: 1"},
    "office": {"channel": "json://office.example/hook"},
}
LEFT_OUT = {"logs", "metrics", f"kafka/{LOG}", "vokter.db.machine"}
"""Logs, and the note of the machine that the store is on: it is unpacked on others."""


@dataclass
class Site:
    """A page and its receivers, which a deployment reaches through a proxy: names stay."""

    page: Page
    posts: list[Post] = field(default_factory=list)

    async def answer(self, request: web.Request) -> web.Response:
        if request.method == "POST":
            self.posts.append(Post(request.headers.copy(), await request.read()))
            return web.Response(status=204)
        if request.path == "/page":
            return self.page.answer(request)
        return web.Response(status=404)

    async def notified(self, times: int) -> None:
        await until(lambda: len(self.posts) >= times, f"{times} notifications")


@asynccontextmanager
async def running(folder: Path, site: Site) -> AsyncIterator[Rest]:
    """Run ``vokter up`` in a folder, and stop it at the end."""
    async with served(site.answer) as (proxy,):
        settings = Settings(
            kafka=None,
            data_dir=folder,
            port=any_free(),
            partitions=1,
            min_interval=1,
            host_delay=0,
            proxy=proxy,
            retention=CENTURY_DAYS,
            history_days=CENTURY_DAYS,
        )
        command = Command(environment(settings), folder.parent, "up", program=PROGRAM)
        async with command, client(settings.port) as rest:
            await command.says("Ready: ")
            yield rest
            command.signal(SIGTERM)
            assert (await command.ended()).status == 0


async def seen(rest: Rest) -> dict[str, Any]:
    """Return the view of a manager, but for the times of visits."""
    keys = "id", "documentUrl", "clientUrl", "session", "keywords", "view", "tags", "state"
    credentials = (await rest.get("/credentials")).body["credentials"]
    return {
        "subscriptions": [{key: each.get(key) for key in keys} for each in await rest.all()],
        "changes": await rest.history("changes", documentUrl=PAGE),
        "snapshots": (await rest.get("/snapshots", documentUrl=PAGE)).body["snapshots"],
        "deliveries": await rest.history("deliveries", client=HOOK),
        "credentials": sorted(each["name"] for each in credentials),
    }


async def fill(folder: Path) -> dict[str, Any]:
    """Let a deployment in an empty folder notify once; return what is seen, and the secret."""
    site = Site(Page(PAGE, BEFORE))
    async with running(folder, site) as rest:
        for name, secret in CREDENTIALS.items():
            assert (await rest.put(f"/credentials/{name}", secret)).status < 300
        body: dict[str, Any] = {"documentUrl": PAGE, "keywords": ["argus"], "interval": 1}
        first = await rest.call("/subscribe", body | {"clientUrl": HOOK, "tags": ["myths"]})
        await rest.subscribe(PAGE, QUIET, "hydra")
        await rest.subscribe(PAGE, "channel:office", "hydra")
        assert (await rest.call("/subscribe", body | {"session": "me"})).body["code"] == "0"
        await site.page.stored()
        site.page.text = AFTER
        await site.notified(1)
        await rest.shows_in_history("deliveries", 1, client=HOOK)
        return await seen(rest) | {"secret": first.body["secret"]}


def pack(folder: Path) -> None:
    """Pack a folder."""

    def needed(member: tarfile.TarInfo) -> tarfile.TarInfo | None:
        return None if member.name.removeprefix("./") in LEFT_OUT else member

    packed = FOLDERS / f"{version('vokter')}.tar.xz"
    packed.parent.mkdir(exist_ok=True)
    with tarfile.open(packed, "w:xz", preset=9) as members:
        members.add(folder, ".", filter=needed)


def unpack(folder: Path) -> None:
    """Unpack the folder of the last release."""
    (packed,) = FOLDERS.glob("*.tar.xz")
    with tarfile.open(packed) as members:
        members.extractall(folder, filter="data")


if __name__ == "__main__":
    with TemporaryDirectory() as home:
        data = Path(home, "data")
        data.mkdir()
        (data / SEEN).write_text(json.dumps(asyncio.run(fill(data))), "utf-8")
        pack(data)
