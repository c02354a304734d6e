"""Pause, resume and test: from REST and the command line to the page and the receiver."""

from pathlib import Path

from tests.harness.commands import vokter
from tests.harness.hooks import Hooks
from tests.harness.pages import Pages
from tests.harness.processes import Deployment, environment
from tests.harness.rest import OK, Rest


async def test_what_changed_while_all_was_paused_is_notified_after_the_resume(
    shared: Deployment, rest: Rest, pages: Pages, hooks: Hooks, tmp_path: Path
) -> None:
    page, other, hook = pages.add("<p>the giant"), pages.add("<p>still"), hooks.add()
    target = {"documentUrl": page.url, "clientUrl": hook.url}
    name = await rest.subscribe(page.url, hook.url, "argus")
    await rest.subscribe(other.url, hooks.add().url, "argus")
    await page.stored()

    paused = await rest.call("/pause", target)
    assert (paused.verdict, paused.body["id"], "secret" in paused.body) == (OK, name, False)
    item = await rest.shows(lambda item: item["id"] == name and item["state"] == "paused", "it")
    assert item["nextCheck"] is None
    await page.rests(other)
    looks, page.text = len(page.requests), "<p>the giant argus"
    await other.requested(3)
    assert len(page.requests) == looks

    assert (await rest.call("/test", target)).verdict == OK
    (notified,) = await hook.promised()
    assert notified == {"status": "ok", "url": page.url, "diffs": []}
    assert hook.posts[0].headers["vokter-test"] == "true"

    env = environment(shared.settings)
    resumed = await vokter(env, tmp_path, "resume", page.url, "--to", hook.url)
    assert (resumed.status, resumed.out) == (0, "")
    _, changed = await hook.notified(2)
    assert [diff["keyword"] for diff in changed["diffs"]] == ["argus"]
    assert "vokter-test" not in hook.posts[1].headers
    tried = await vokter(env, tmp_path, "test", page.url, "--to", hook.url)
    assert tried.status == 0, tried
    assert (await hook.notified(3))[2]["diffs"] == []

    again = await vokter(env, tmp_path, "pause", page.url, "--to", hook.url)
    assert again.status == 0, again
    await rest.shows(lambda item: item["id"] == name and item["state"] == "paused", "it")

    await rest.cancel(page.url, hook.url)
    for path in ("/pause", "/resume", "/test"):
        assert (await rest.call(path, target)).body["code"] == "7"
