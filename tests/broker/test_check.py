"""Check now: from REST and the command line to the page and the receiver."""

from pathlib import Path

from schemas.codec.times import epoch_ms
from tests.harness.commands import vokter
from tests.harness.hooks import Hooks
from tests.harness.pages import Pages
from tests.harness.processes import Deployment, environment
from tests.harness.rest import OK, Rest


async def test_a_page_is_visited_long_before_its_interval_when_that_is_asked_for(
    shared: Deployment, rest: Rest, pages: Pages, hooks: Hooks, tmp_path: Path
) -> None:
    page, hook = pages.add("<p>the giant"), hooks.add()
    name = await rest.subscribe(page.url, hook.url, "argus", interval=86_400)
    await rest.shows(lambda item: item["id"] == name and item["lastCheck"], "the first visit")
    page.text = "<p>the giant argus"
    checked = await rest.call("/check", {"id": name})
    assert (checked.verdict, checked.body["id"]) == (OK, name)
    assert epoch_ms(checked.body["at"]) > 0
    (changed,) = await hook.notified()
    assert [diff["keyword"] for diff in changed["diffs"]] == ["argus"]

    env = environment(shared.settings)
    page.text = "<p>the giant"
    again = await vokter(env, tmp_path, "check", page.url, "--to", hook.url)
    assert again.status == 0, again
    assert f"{page.url} is checked at " in again.err
    await hook.notified(2)

    stopped = await vokter(env, tmp_path, "stop", page.url, "--to", hook.url)
    assert stopped.status == 0, stopped
    await rest.shows(lambda item: item["id"] == name and item["undoUntil"], "the stop")
    undone = await vokter(env, tmp_path, "undo", page.url)
    assert undone.status == 0, undone
    assert (await rest.call("/check", {"id": name})).verdict == OK
    ended = await vokter(env, tmp_path, "cancel", page.url, "--to", hook.url)
    assert ended.status == 0, ended
    assert (await rest.call("/check", {"documentUrl": page.url})).body["code"] == "7"
