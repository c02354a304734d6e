"""The commands for a deployment that runs: what they do, say and end with."""

import asyncio
import json
import re
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from streams.app import NEEDED_AGENTS
from tests.harness.commands import Command, Result, vokter
from tests.harness.hooks import Hooks
from tests.harness.pages import Pages
from tests.harness.processes import Deployment, environment
from tests.harness.rest import Rest
from tests.harness.waiting import eventually, until

Run = Callable[..., Awaitable[Result]]


@pytest.fixture
def run(shared: Deployment, tmp_path: Path) -> Run:
    """Runs a command with the shared deployment's settings, or with others."""
    ours = environment(shared.settings)

    async def run(*arguments: str, **settings: str) -> Result:
        env = ours | {f"VOKTER_{name.upper()}": value for name, value in settings.items()}
        return await vokter(env, tmp_path, *arguments)

    return run


async def test_subscribe_and_cancel_say_what_happened_and_end_accordingly(
    rest: Rest, pages: Pages, hooks: Hooks, run: Run
) -> None:
    page, hook = pages.add("<p>the giant sleeps"), hooks.add()
    begun = await run("subscribe", page.url, "argus", "--to", hook.url, "--interval", "1")
    assert begun.status == 0, begun
    assert "Watching" in begun.err
    name, secret = begun.out.split()
    item = await rest.shows(lambda item: item["id"] == name, "it")
    assert item["clientUrl"] == hook.url
    listed = await run("list", "--url", page.url, "--json")
    (line,) = map(json.loads, listed.out.splitlines())
    assert line.pop("lastCheck", "") != ""  # by now there may have been one
    assert line == {field: item[field] for field in line}
    assert secret.startswith("whsec_")
    await page.stored()
    page.text = "<p>the giant argus sleeps"
    await hook.notified()
    again = await run("subscribe", page.url, "argus", "--to", hook.url)
    assert (again.status, again.out) == (1, "")
    assert f"{page.url} is already watched for {hook.url}" in again.err
    assert "--replace" in again.err
    ends = [await run("cancel", page.url, "--to", hook.url) for _ in range(2)]
    assert [end.status for end in ends] == [0, 1]
    assert f"there is no subscription of {page.url} for {hook.url}" in ends[1].err


async def test_a_receiver_watches_a_page_twice_by_names_and_one_of_them_is_renamed(
    rest: Rest, pages: Pages, hooks: Hooks, run: Run
) -> None:
    page, hook = pages.add("<p>the giant sleeps"), hooks.add()
    to = page.url, "--to", hook.url
    for name in ("argus", "below 100"):
        begun = await run("subscribe", *to, "--name", name, "argus", "--interval", "1")
        assert begun.status == 0, begun
    taken = await run("rename", *to, "below 100", "--name", "argus")
    assert (taken.status, "Another one has the name 'below 100'" in taken.err) == (1, True)
    renamed = await run("rename", *to, "in stock", "--name", "argus")
    assert renamed.status == 0, renamed
    await rest.shows(lambda item: item["name"] == "in stock", "the renamed one")
    listed = await run("list", "--url", page.url, "--name", "STOCK")
    assert f"{page.url}  in stock" in listed.out
    assert "1 subscriptions." in listed.err
    await page.stored()
    page.text = "<p>the giant argus sleeps"
    await hook.notified(2)
    assert {post.body["name"] for post in hook.posts} == {"in stock", "below 100"}
    ends = [await run("cancel", *to, "--name", name) for name in ("argus", "in stock", "below 100")]
    assert [end.status for end in ends] == [1, 0, 0]
    assert f"there is no subscription of {page.url} for {hook.url} named 'argus'" in ends[0].err


async def test_what_is_exported_can_be_imported_and_imported_again(
    rest: Rest, pages: Pages, hooks: Hooks, run: Run, tmp_path: Path
) -> None:
    page, notified, paused = pages.add("<p>the giant"), hooks.add(), hooks.add()
    body = {"documentUrl": page.url, "keywords": ["argus"], "interval": 1}
    lines = [body | {"clientUrl": notified.url}, body | {"clientUrl": paused.url, "paused": True}]
    file = tmp_path / "subscriptions.jsonl"
    file.write_text("\n".join(map(json.dumps, lines)))

    first = await run("import", str(file), "--secrets")
    assert first.status == 0, first
    assert "2 subscribed" in first.err
    names = [json.loads(line)["id"] for line in first.out.splitlines()]
    assert json.loads(first.out.splitlines()[0])["secret"].startswith("whsec_")
    await rest.shows(lambda item: item["id"] == names[1] and item["state"] == "paused", "it")

    exported = await run("export", "--manager", "default")
    kept = {line["id"]: line for line in map(json.loads, exported.out.splitlines())}
    assert [kept[name]["clientUrl"] for name in names] == [notified.url, paused.url]
    file.write_text("\n".join(json.dumps(kept[name]) for name in names) + "\nnone\n")
    again = await run("import", str(file))
    assert (again.status, "2 unchanged" in again.err) == (1, True), again
    results = [json.loads(line) for line in again.out.splitlines()]
    assert [each["result"] for each in results] == ["unchanged", "unchanged", "invalid"]
    assert [each["id"] for each in results[:2]] == names

    await page.stored()
    page.text += " argus"
    await notified.notified()
    assert paused.posts == []
    for hook in (notified, paused):
        await rest.cancel(page.url, hook.url)
    assert (await run("export", "--manager", "nobody")).out == ""


async def test_tail_prints_facts_as_json_lines(
    shared: Deployment, rest: Rest, pages: Pages, hooks: Hooks, tmp_path: Path
) -> None:
    page, hook = pages.add("<p>the giant"), hooks.add()
    env = environment(shared.settings)
    async with Command(env, tmp_path, "tail", "subscriptions", "--from-start") as tail:
        name = await rest.subscribe(page.url, hook.url, "argus")

        def printed() -> list[dict[str, Any]]:
            whole, _, _ = tail.out.rpartition("\n")
            facts = [json.loads(line) for line in whole.splitlines()]
            subscribed = [fact for fact in facts if fact["type"] == "Subscribed"]
            return [fact for fact in subscribed if fact["subscription"]["id"] == name]

        (fact,) = await until(printed, "it is printed")
    assert (fact["key"], fact["url"]) == (page.url, page.url)


async def test_topics_are_created_once_with_one_partition_count(rest: Rest, run: Run) -> None:
    new = {"topic_prefix": "test-cli.", "partitions": "2"}
    first = await run("topics", "create", **new)
    assert first.status == 0, first
    assert "test-cli.subscription-requests" in first.out.splitlines()
    again, other = await asyncio.gather(
        run("topics", "create", **new),
        run("topics", "create", **new | {"partitions": "3"}),
    )
    assert (again.status, again.out) == (0, "")
    assert f"0 created, {len(first.out.splitlines())} already existed." in again.err
    assert other.status == 1
    assert "VOKTER_PARTITIONS=2" in other.err


WRONG = [
    (("worker", "juggle"), {}, 2, "choose one of: ticker"),
    (("tail", "nothing"), {}, 1, "there is no topic nothing"),
    (("subscribe", "http://a/", "argus"), {}, 2, "--session"),
    (("subscribe", "ftp://nowhere", "argus", "--session", "me"), {}, 2, "no http or https URL"),
    (("cancel", "http://a/", "--session", "me"), {"partitions": "many"}, 2, "VOKTER_PARTITIONS"),
    (("topics", "create"), {"kafka": "127.0.0.1:1"}, 1, "127.0.0.1:1"),
    (("worker", "match"), {"kafka": ""}, 1, "VOKTER_KAFKA"),
]


@pytest.mark.parametrize(
    ("arguments", "settings", "status", "message"), WRONG, ids=[" ".join(w[0]) for w in WRONG]
)
async def test_what_is_wrong_is_said_in_a_line_without_a_traceback(
    rest: Rest,
    run: Run,
    arguments: tuple[str, ...],
    settings: dict[str, str],
    status: int,
    message: str,
) -> None:
    result = await run(*arguments, **settings)
    assert result.status == status, result
    assert message in result.err
    assert "Traceback" not in result.err
    assert result.out == ""


async def test_doctor_and_status_show_how_a_deployment_is(
    rest: Rest, pages: Pages, hooks: Hooks, run: Run
) -> None:
    page, hook = pages.add("<p>the giant"), hooks.add()  # the pages of other tests are gone
    await rest.subscribe(page.url, hook.url, "argus")
    await page.stored()

    async def well() -> bool:
        result = await run("doctor")
        about = ("broker", "topics", "store", "signing key", "clock", "fetch")
        is_shown = all(f"✓ {each}: " in result.out for each in about)
        are_read = re.search(r"^[✓!] documents: ", result.out, re.MULTILINE) is not None
        return result.status == 0 and "✗" not in result.out and is_shown and are_read

    async def shown() -> bool:
        result = await run("status", "--once")
        lines = [line for line in result.out.splitlines() if "stable" in line]
        has_each = all(sum(f" {agent} " in line for line in lines) == 1 for agent in NEEDED_AGENTS)
        return result.status == 0 and "watches" in result.out and has_each

    _, _, elsewhere, nowhere = await asyncio.gather(
        eventually(well, "the doctor finds all well"),
        eventually(shown, "every agent is stable, and shows what it keeps"),
        run("doctor", topic_prefix="test-doctor."),
        run("doctor", kafka="127.0.0.1:1"),
    )
    assert elsewhere.status == 1
    assert "Create them: vokter topics create" in elsewhere.out
    assert (nowhere.status, "✗ broker: " in nowhere.out) == (1, True)
