"""The how-to guides, command by command, on a running deployment."""

import asyncio
import json
import re
from hashlib import sha256
from pathlib import Path

import pytest
from pyarrow.parquet import read_table

from connectors.access.keys import new_key, save_keys
from tests.harness.hooks import Hook, Hooks
from tests.harness.manual import API, GIANTS, HOOK, SINCE, Opened, an_hour_ago
from tests.harness.pages import Page, Pages
from tests.harness.private_site import private_site
from tests.harness.rest import Rest
from tests.harness.waiting import until

# tests/docs checks each command and option, test_manual.py and test_manual_tutorial.py run others.
pytestmark = pytest.mark.slow

READER = "reader-of-the-past"
"""A session to itself: others of the manual have been notified already."""


def files(folder: Path, *names: str) -> dict[str, str]:
    """Files of the reader's folder, in one of ours."""
    return {f" {name}": f" {folder / name}" for name in names}


async def test_urls_are_taken_along_from_another_watcher(
    opened: Opened, rest: Rest, pages: Pages, tmp_path: Path
) -> None:
    page, other, third = (pages.add("<p>still") for _ in range(3))
    (tmp_path / "urls.txt").write_text(f"{page.url}\n")
    names = "urls.txt", "subscriptions.jsonl", "backup.zip", "urls.yaml", "urlwatch.yaml"
    (tmp_path / "backup.zip").write_text(json.dumps({"url": other.url, "trigger_text": ["zeus"]}))
    (tmp_path / "urls.yaml").write_text(f"url: {third.url}")
    (tmp_path / "urlwatch.yaml").write_text("job_defaults: {all: {enabled: false}}")
    manual = opened("docs/how-to/come-from-another-watcher.md", files(tmp_path, *names))
    assert '"request": {' in await manual.run("vokter import --from changedetection")
    assert '"subscribed"' in await manual.run("vokter import --from changedetection")
    assert "enabled became paused." in await manual.run("vokter import --from urlwatch")
    await manual.run("while")
    assert '"subscribed"' in await manual.run("vokter import")
    assert manual.left == []
    for url, session in ((page.url, "me"), (other.url, "me"), (third.url, "me-1")):
        answer = await rest.call("/cancel", {"documentUrl": url, "session": session})
        assert answer.status == 200


async def test_a_view_is_tried_and_then_subscribed_to(
    opened: Opened, rest: Rest, pages: Pages
) -> None:
    page = pages.add("<nav>home</nav><main><p>The giant has a hundred eyes.</main>")
    manual = opened("docs/how-to/get-a-view-right.md", {GIANTS: page.url})
    printed = await manual.run("vokter try")
    assert "[giant]" in printed
    assert "view.exclude[0] nav: 1 line" in printed
    await manual.run("vokter subscribe")
    assert manual.left == []
    body = {"documentUrl": page.url, "keywords": ["giant"], "view": {"select": [{"css": "main"}]}}
    answer = await rest.call("/try", body)
    assert answer.status == 200
    assert answer.body["text"] == "The giant has a hundred eyes."
    await rest.call("/cancel", {"documentUrl": page.url, "session": "my-reader"})


async def test_keywords_are_tried_on_the_past_and_bring_what_was_notified(
    opened: Opened, rest: Rest, pages: Pages, hooks: Hooks
) -> None:
    page, hook = pages.add("<p>still"), hooks.add()
    manual = opened("docs/how-to/backtest.md", {GIANTS: page.url, "my-reader": READER})
    words = "argus", "hundred eyes"
    await rest.subscribe(page.url, hook.url, *words, ignoreCase=True)
    await page.stored()
    page.upcoming = ["<p>Argus sleeps", "<p>still", "<p>nothing", "<p>A hundred eyes of Argus"]
    notified = await hook.notified(3)
    await rest.shows_in_history("changes", 4, documentUrl=page.url)

    body = {"documentUrl": page.url, "keywords": words, "ignoreCase": True}
    answer = await rest.call("/backtest", body)
    found = [(each["at"], each["diffs"]) for each in answer.body["notifications"]]
    assert found == [(body["at"], body["diffs"]) for body in reversed(notified)]
    assert (answer.body["changes"], answer.body["total"]) == (4, 3)
    printed = await manual.run("vokter backtest")
    assert "4 changes since" in printed
    assert "argus: 3 notifications, the last" in printed
    assert "hundred eyes: 1 notification, the last" in printed

    reader = {"session": READER, "interval": 1}
    assert (await rest.call("/subscribe", body | reader)).status == 200
    assert "follow:" in await manual.run("vokter backfill")
    await rest.shows_in_history("notifications", 3, client=READER)
    past = await rest.history("notifications", client=READER)
    assert [(each["at"], each["history"]) for each in past] == [(at, True) for at, _ in found]
    await rest.call("/cancel", body | reader)
    assert manual.left == []


async def test_evidence_of_a_notification_and_a_table_of_changes_are_saved(
    opened: Opened, rest: Rest, pages: Pages, hooks: Hooks, tmp_path: Path
) -> None:
    page, hook = pages.add("<p>the giant sleeps"), hooks.add()
    await rest.subscribe(page.url, hook.url, "argus")
    await page.stored()
    page.upcoming = ["<p>the giant argus sleeps"]
    (body,) = await hook.notified(1)
    await rest.shows_in_history("notifications", 1, client=hook.url)
    (known,) = await rest.history("notifications", client=hook.url)
    key = (await rest.get("/evidence-key")).body["kid"]
    places = {
        GIANTS: page.url,
        "7f7763f5464f6fac5e14160e7da07c3c": known["id"],
        "5wnTNKCZRL9ZMgqRU06svFf4LVNEdcLnYN9SmfHPkjw": key,
        **files(tmp_path, "evidence.json", "changes.jsonl", "giants.parquet"),
    }
    manual = opened("docs/how-to/keep-evidence.md", places)
    await manual.run("vokter evidence save")
    assert key in await manual.run("vokter evidence key")
    checked = json.loads((await manual.run("vokter evidence check")).splitlines()[0])
    assert checked["notification"]["diffs"] == body["diffs"]
    digest = sha256(b"<p>the giant argus sleeps").hexdigest()
    assert checked["change"]["bodySha256"] == digest
    assert checked["after"]["sha256"] == sha256(b"the giant argus sleeps").hexdigest()

    await manual.run("vokter history changes.jsonl")
    await manual.run("vokter history giants.parquet")
    rows = [json.loads(line) for line in (tmp_path / "changes.jsonl").read_text().splitlines()]
    (row,) = [each for each in rows if each["url"] == page.url]
    assert (row["before"], row["after"], row["body_sha256"]) == (
        "the giant sleeps",
        "the giant argus sleeps",
        digest,
    )
    table = read_table(tmp_path / "giants.parquet")
    assert table.column("after").to_pylist() == ["the giant argus sleeps"]
    assert manual.left == []


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
    await manual.run("vokter cancel")
    assert manual.left == []
    assert await _cancels(rest, old, page, other) == [404, 404]
    assert await _cancels(rest, new, page, other) == [200, 200]


async def _cancels(rest: Rest, hook: Hook, *pages: Page) -> list[int]:
    """What cancelling what a receiver has of pages is answered with."""
    bodies = [{"documentUrl": page.url, "clientUrl": hook.url} for page in pages]
    return [(await rest.call("/cancel", body)).status for body in bodies]


async def test_a_page_behind_a_login_is_watched(opened: Opened, rest: Rest, tmp_path: Path) -> None:
    key, cookie = "Bearer 9f2c", {"name": "s", "value": "1", "domain": "intranet.example.com"}
    (tmp_path / "header.txt").write_text(f"Authorization: {key}\n")
    (tmp_path / "cookies.txt").write_text("intranet.example.com\tFALSE\t/\tTRUE\t0\ts\t1\n")
    (tmp_path / "state.json").write_text(json.dumps({"cookies": [cookie], "origins": []}))
    async with private_site() as site:
        site.texts[key] = "<p>the giant sleeps"
        names = files(tmp_path, "header.txt", "cookies.txt", "state.json")
        places = {"https://intranet.example.com": site.url.removesuffix("/news"), **names}
        manual = opened("docs/how-to/pages-behind-a-login.md", places)
        for kind in ("header", "cookies", "storage"):
            assert f"Stored intranet ({kind})" in await manual.run("vokter credentials set")
        assert '"kind": "header"' in await manual.run("curl -s -X PUT")
        assert "the giant sleeps" in await manual.run("vokter try")
        tried = len(site.asked)
        await manual.run("vokter subscribe")
        await until(lambda: key in site.asked[tried:], "the page is fetched")
        assert "intranet" in await manual.run("vokter credentials list")
        assert manual.left == []
        await rest.call("/cancel", {"documentUrl": site.url, "session": "me"})


async def test_what_to_do_if_nothing_arrives_shows_each_step_of_the_way(
    opened: Opened, rest: Rest, pages: Pages, hooks: Hooks
) -> None:
    page, hook = pages.add("<p>the giant"), hooks.add()
    places = {GIANTS: page.url, HOOK: hook.url, SINCE: an_hour_ago()}
    manual = opened("docs/how-to/nothing-arrives.md", places)
    name = await rest.subscribe(page.url, hook.url, "argus")
    await page.stored()
    page.text = "<p>the giant argus"
    await hook.notified()
    await rest.shows(lambda item: item["id"] == name, "it")

    await manual.shows_in_the_end(f"curl -s {API}/health", '"status": "ok"')
    assert '"subscriptions": [{' in await manual.run(f"curl -s {API}/subscriptions")
    for path in ("changes", "notifications", "deliveries"):
        assert "{" in await manual.run(f"curl -s '{API}/{path}")
    await manual.run("vokter test")
    await hook.notified(2)
    async with manual.start("vokter tail") as tail:
        await tail.says(hook.posts[1].id)
    await manual.run("vokter redeliver")
    await hook.notified(4)
    assert {post.id for post in hook.posts[:2]} == {post.id for post in hook.posts[2:]}
    assert manual.left == []


async def test_secrets_are_rotated(
    opened: Opened, rest: Rest, pages: Pages, hooks: Hooks, tmp_path: Path
) -> None:
    page, hook = pages.add("<p>still"), hooks.add()
    await rest.subscribe(page.url, hook.url, "argus")
    manual = opened("docs/how-to/rotate-secrets.md", {GIANTS: page.url, HOOK: hook.url})
    save_keys(tmp_path / "api-keys.json", [new_key("old", None, None)[1]])
    secret, _ = await asyncio.gather(manual.run("vokter rotate"), manual.run("vokter keys add"))
    assert "whsec_" in secret
    (key,) = re.findall(r"(\w+) +│ news-desk", await manual.run("vokter keys list"))
    manual.places["remove ID"] = f"remove {key}"
    await manual.run("vokter keys remove")
    assert key not in (tmp_path / "api-keys.json").read_text()
    assert manual.left == []


async def test_several_workers_are_looked_at(opened: Opened) -> None:
    manual = opened("docs/how-to/several-workers.md", {})
    await asyncio.gather(
        manual.shows_in_the_end("vokter status", "stable"),
        manual.shows_in_the_end("vokter doctor", "✓ store"),
    )
    assert manual.left == []
