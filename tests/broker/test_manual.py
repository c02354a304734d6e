"""The manual, page by page and command by command, beside a deployment that is there already."""

import asyncio
import json
import os
import re
import shutil
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from signal import SIGINT

import pytest

from connectors.stores import open_store
from infra.ports import any_free
from schemas.documents import Document
from streams.topics import CHANGES, DEAD_LETTERS
from tests.docs.reading import text
from tests.harness.facts import producer, reading
from tests.harness.hooks import Hook, Hooks
from tests.harness.manual import Manual
from tests.harness.pages import Page, Pages
from tests.harness.processes import Deployment, environment
from tests.harness.rest import Rest
from tests.harness.waiting import eventually, until

CHANGE = "echo"
API = "http://127.0.0.1:9000/vokter/v1"
GIANTS, HOOK = "https://example.org/giants", "https://example.com/hook"
SINCE = "2026-11-21T06:00"

Opened = Callable[..., Manual]
"""Takes a page's name, and what stands in it for what it is here."""


@pytest.fixture
def opened(shared: Deployment, rest: Rest, tmp_path: Path) -> Opened:
    here = shared.settings
    env = environment(here) | {"VOKTER_API_KEYS": str(tmp_path / "api-keys.json")}
    usual = {
        "127.0.0.1:9000": f"127.0.0.1:{here.port}",
        "127.0.0.1:9092": str(here.kafka),
        "-t vokter.": f"-t {here.topic_prefix}",
    }
    return lambda page, places: Manual(text(page), tmp_path, env, places | usual)


def files(folder: Path, *names: str) -> dict[str, str]:
    """Files of the reader's folder, in one of ours."""
    return {f" {name}": f" {folder / name}" for name in names}


def an_hour_ago() -> str:
    return f"{datetime.now(UTC) - timedelta(hours=1):%Y-%m-%dT%H:%M}"


async def test_the_tutorial_does_what_it_says(opened: Opened, tmp_path: Path) -> None:
    site = tmp_path / "giants"
    places = {
        "/tmp/giants": str(site),  # noqa: S108  # as the page has it
        "127.0.0.1:8000": f"127.0.0.1:{(pages := any_free())}",
        "http.server 8000": f"http.server {pages}",
        "127.0.0.1:8080": f"127.0.0.1:{(hook := any_free())}",
        "examples/webhook.py": f"examples/webhook.py {hook}",
        "SECRET=whsec_… ": "SECRET=$TOLD ",
    }
    manual = opened("docs/tutorial.md", places)
    await manual.run("mkdir")
    await manual.run(CHANGE)
    page = site / "index.html"
    # A page's server tells versions apart by the second.
    os.utime(page, (page.stat().st_mtime - 60,) * 2)

    async with manual.start("python -m http.server") as server:
        async with manual.start("vokter watch") as watch:
            await manual.shows(watch)
            await until(lambda: server.err.count('"GET / ') > 1, "the first version is known")
            await manual.run(CHANGE)
            await manual.shows(watch)
            watch.signal(SIGINT)
            assert (await watch.ended()).status == 0

        async with manual.start("vokter subscribe") as subscribe:
            await manual.shows(subscribe)
            secret = (await subscribe.ended()).out.split()[-1]
        async with manual.start("SECRET=", TOLD=secret) as webhook:
            await webhook.says("Running on")
            seen = server.err.count('"GET / ')
            await until(lambda: server.err.count('"GET / ') > seen + 1, "the page is looked at")
            await manual.run(CHANGE)
            await manual.shows(webhook)
            async with manual.start("curl -s -o /dev/null") as forged:
                await manual.shows(forged)
            await webhook.says("refused")

            await manual.run("vokter subscribe")
            await manual.run(CHANGE)
            async with manual.start("python examples/consume") as consumer:
                await manual.shows(consumer)

            listed = await manual.run("curl -s http://127.0.0.1:9000")
            assert f"127.0.0.1:{hook}/hook" in listed
            assert "Argus" in await manual.run("curl -s 'http://127.0.0.1:9000/vokter/v1/changes")
            told = "curl -s 'http://127.0.0.1:9000/vokter/v1/deliveries"
            assert '"delivered"' in await manual.run(told)
            assert "fetch" in await manual.run("vokter status")
        for _ in range(2):
            await manual.run("vokter cancel")
    assert manual.left == []


async def test_the_readme_subscribes_listens_and_cancels(
    opened: Opened, rest: Rest, pages: Pages, hooks: Hooks
) -> None:
    page, hook = pages.add("<p>greek"), hooks.add()
    manual = opened("README.md", {GIANTS: page.url, HOOK: hook.url})
    assert '"code": "0"' in await manual.run(f"curl -s -X POST {API}/subscribe")
    await rest.shows(lambda item: item["documentUrl"] == page.url, "it")
    assert '"changes": []' in await manual.run(f"curl -s '{API}/changes")
    async with manual.start(f"curl -sN {API}/events") as events:
        await events.says("id: ")
        await rest.call("/test", {"documentUrl": page.url, "clientUrl": hook.url})
        await events.says(page.url)
    assert '"code": "0"' in await manual.run(f"curl -s -X POST {API}/cancel")
    if shutil.which("kcat"):
        await manual.run(CHANGE)
        await _cancelled(rest, page)
        assert manual.left == []


async def test_subscribing_twice_with_one_key_and_limiting_a_key_are_as_rest_tells(
    opened: Opened, rest: Rest, pages: Pages
) -> None:
    page = pages.add("<p>greek")
    manual = opened("docs/rest.md", {GIANTS: page.url})
    assert '"code": "0"' in await manual.run("curl -s -X POST")
    await _cancelled(rest, page)
    async with manual.start(f"curl -sN {API}/events") as events:
        await events.says("id: ")
    await manual.run("vokter keys add")
    assert manual.left == []


async def _cancelled(rest: Rest, page: Page) -> None:
    """Wait until the session of the manual is subscribed, and cancel that."""
    body = {"documentUrl": page.url, "session": "my-reader"}

    async def was_there() -> bool:
        return (await rest.call("/cancel", body)).status == 200

    await eventually(was_there, "the session is subscribed")


async def test_dead_letters_are_looked_at_and_put_back(
    opened: Opened, shared: Deployment, rest: Rest
) -> None:
    async with (
        reading(shared.settings, DEAD_LETTERS) as letters,
        producer(shared.settings) as kafka,
    ):
        topic = shared.settings.topic_prefix + CHANGES.name
        await kafka.send_and_wait(topic, b"rubbish", key=b"page")
        message, *_ = await until(lambda: letters.seen, "it is a letter")
        name = f"{message.partition}:{message.offset}"
        # Letters of tests before this one are left in peace.
        places = {"3:42": name, SINCE: an_hour_ago(), "=2h": "=1m"}
        manual = opened("docs/dead-letters.md", places)
        looks = ["list"] * 3 + ["show"]
        every, others, as_json, shown = await asyncio.gather(
            *(manual.run(f"vokter dead-letters {look}") for look in looks)
        )
        assert (name in every, name in others, f'"{name}"' in as_json) == (True, False, True)
        assert "rubbish" in shown
        seen = len(letters.seen)
        await manual.run("vokter dead-letters replay")
        await until(lambda: len(letters.seen) > seen, "it is rubbish still")
    assert manual.left == []


async def test_a_store_is_copied_as_told(opened: Opened, tmp_path: Path) -> None:
    old, new = f"sqlite:{tmp_path / 'old.db'}", f"sqlite:{tmp_path / 'new.db'}"
    store = await open_store(old)
    await store.compare_and_set(Document(GIANTS, "w", 1, 1), 0)
    await store.close()
    # As to a server: tests/connectors/stores/test_copying.py has both kinds.
    places = {
        "sqlite:/…/vokter.db": old,
        "mongodb://NAME:PASSWORD@mongo.example/vokter": new,
    }
    manual = opened("docs/from-one-machine-to-many.md", places)
    assert "documents: 1" in await manual.run("vokter store copy")
    assert manual.left == []


async def test_urls_are_taken_along_from_another_watcher(
    opened: Opened, rest: Rest, pages: Pages, tmp_path: Path
) -> None:
    page = pages.add("<p>still")
    (tmp_path / "urls.txt").write_text(f"{page.url}\n")
    places = files(tmp_path, "urls.txt", "subscriptions.jsonl")
    manual = opened("docs/how-to/come-from-another-watcher.md", places)
    await manual.run("while")
    assert '"subscribed"' in await manual.run("vokter import")
    assert manual.left == []
    answer = await rest.call("/cancel", {"documentUrl": page.url, "session": "me"})
    assert answer.status == 200


async def test_a_receiver_is_moved_alone_and_with_all_it_has(
    opened: Opened, rest: Rest, pages: Pages, hooks: Hooks, tmp_path: Path
) -> None:
    page, other, old, new = pages.add("<p>one"), pages.add("<p>two"), hooks.add(), hooks.add()
    names = files(tmp_path, "old.jsonl", "new.jsonl", "moved.jsonl")
    hosts = {"https://old.example/hook": old.url, "https://new.example/hook": new.url}
    manual = opened("docs/how-to/move-a-receiver.md", {GIANTS: page.url, **hosts, **names})
    for each in (page, other):
        await rest.subscribe(each.url, old.url, "greek")
    await manual.run("vokter subscribe")
    await manual.run("vokter cancel")

    await manual.run("vokter export")
    await manual.run("sed")
    await manual.run("vokter import")
    (moved,) = (tmp_path / "moved.jsonl").read_text().splitlines()
    assert (json.loads(moved)["result"], "secret" in moved) == ("subscribed", True)
    if shutil.which("jq"):
        await manual.run("jq")
        assert manual.left == []
        assert await _cancels(rest, old, page, other) == [404, 404]
    assert await _cancels(rest, new, page, other) == [200, 200]


async def _cancels(rest: Rest, hook: Hook, *pages: Page) -> list[int]:
    """What cancelling what a receiver has of pages is answered with."""
    bodies = [{"documentUrl": page.url, "clientUrl": hook.url} for page in pages]
    return [(await rest.call("/cancel", body)).status for body in bodies]


async def test_what_to_do_if_nothing_arrives_shows_each_step_of_the_way(
    opened: Opened, rest: Rest, pages: Pages, hooks: Hooks
) -> None:
    page, hook = pages.add("<p>the giant"), hooks.add()
    places = {GIANTS: page.url, HOOK: hook.url, SINCE: an_hour_ago()}
    manual = opened("docs/how-to/nothing-arrives.md", places)
    name = await rest.subscribe(page.url, hook.url, "argus")
    await page.kept()
    page.text = "<p>the giant argus"
    await hook.told()
    await rest.shows(lambda item: item["id"] == name, "it")

    assert '"status": "ok"' in await manual.run(f"curl -s {API}/health")
    assert '"subscriptions": [{' in await manual.run(f"curl -s {API}/subscriptions")
    for path in ("changes", "notifications", "deliveries"):
        assert "{" in await manual.run(f"curl -s '{API}/{path}")
    await manual.run("vokter test")
    await hook.told(2)
    async with manual.start("vokter tail") as tail:
        await tail.says(hook.posts[1].id)
    await manual.run("vokter redeliver")
    await hook.told(4)
    assert {post.id for post in hook.posts[:2]} == {post.id for post in hook.posts[2:]}
    assert manual.left == []


async def test_secrets_are_rotated(
    opened: Opened, rest: Rest, pages: Pages, hooks: Hooks, tmp_path: Path
) -> None:
    page, hook = pages.add("<p>still"), hooks.add()
    await rest.subscribe(page.url, hook.url, "argus")
    manual = opened("docs/how-to/rotate-secrets.md", {GIANTS: page.url, HOOK: hook.url})
    secret, _ = await asyncio.gather(manual.run("vokter rotate"), manual.run("vokter keys add"))
    assert "whsec_" in secret
    (key,) = re.findall(r"(\w+) +│ news-desk", await manual.run("vokter keys list"))
    manual.places["remove ID"] = f"remove {key}"
    await manual.run("vokter keys remove")
    assert key not in (tmp_path / "api-keys.json").read_text()
    assert manual.left == []


async def test_several_workers_are_looked_at(opened: Opened) -> None:
    manual = opened("docs/how-to/several-workers.md", {})
    status, doctor = await asyncio.gather(manual.run("vokter status"), manual.run("vokter doctor"))
    assert ("stable" in status, "✓ store" in doctor) == (True, True)
    assert manual.left == []


async def test_a_change_is_followed_through_the_logs(
    opened: Opened, shared: Deployment, rest: Rest, pages: Pages, hooks: Hooks
) -> None:
    page, hook = pages.add("<p>the giant"), hooks.add()
    name = await rest.subscribe(page.url, hook.url, "argus")
    await page.kept()
    page.text = "<p>the giant argus"
    await hook.told()
    log = shared["deliver"].log
    await until(lambda: name in log.read_text("utf-8"), "the POST is logged")
    places = {"SUBSCRIPTION": name, " W ": f" {name} ", " logs/": f" {log.parent}/"}
    manual = opened("docs/logs.md", places)
    assert f"watch={name}" in await manual.run("grep")
    assert "status=204" in await manual.run("grep")
    assert manual.left == []
