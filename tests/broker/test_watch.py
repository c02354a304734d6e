"""``vokter watch``: the first thing that a newcomer types."""

from pathlib import Path
from signal import SIGINT

from tests.harness.commands import Command
from tests.harness.pages import Pages
from tests.harness.processes import Deployment, environment
from tests.harness.rest import Rest


async def test_watch_prints_both_sides_of_an_edit_and_ctrl_c_ends_the_subscription(
    shared: Deployment, rest: Rest, pages: Pages, tmp_path: Path
) -> None:
    page = pages.add("<p>the giant sleeps")
    env = environment(shared.settings)
    async with Command(env, tmp_path, "watch", page.url, "argus") as watch:
        await watch.says("Watching")
        await page.stored()
        page.text = "<p>the giant argus sleeps"
        await watch.says("[argus]")
        await watch.says("→ the giant argus sleeps")
        assert "edited" in watch.out
        watch.signal(SIGINT)
        result = await watch.ended()
    assert result.status == 0, result
    assert "Traceback" not in result.err
    item = await rest.shows(
        lambda item: item["documentUrl"] == page.url and item["state"] == "cancelled", "the cancel"
    )
    assert item["session"].startswith("watch-")


async def test_watch_prints_why_a_page_cannot_be_read_and_that_it_can_again(
    shared: Deployment, rest: Rest, pages: Pages, tmp_path: Path
) -> None:
    page = pages.add("<p>the giant sleeps")
    page.status = 404
    env = environment(shared.settings)
    async with Command(env, tmp_path, "watch", page.url, "argus") as watch:
        await watch.says(f"Cannot read {page.url}: HTTP 404")
        page.status = 200
        await watch.says(f"{page.url} can be read again.")
        watch.signal(SIGINT)
        assert (await watch.ended()).status == 0
