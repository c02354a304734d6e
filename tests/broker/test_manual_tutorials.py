"""The tutorials by trade, command by command, on a running deployment."""

import json
from pathlib import Path
from signal import SIGINT

import pytest

from tests.harness.hooks import Hooks
from tests.harness.manual import Opened
from tests.harness.pages import Page, Pages
from tests.harness.rest import Rest

DEMO = "http://127.0.0.1:9080"
LAMPS = """<title>Lamp shop</title><table id=lamps><tr><th>Lamp</th><th>Price</th></tr>
<tr><td>Reading lamp</td><td>{}</td></tr><tr><td>Storm lantern</td><td>{}</td></tr></table>"""
API = "http://127.0.0.1:9000/vokter/v1"


async def changed(page: Page, *texts: str) -> None:
    """Let the page be read, then change it."""
    await page.stored()
    page.upcoming = list(texts)


async def test_the_shop(opened: Opened, rest: Rest, pages: Pages) -> None:
    page = pages.add(LAMPS.format("€49.00", "sold out"))
    manual = opened("docs/tutorials/shop.md", {f"{DEMO}/lamps": page.url})
    assert "49 EUR" in await manual.run("vokter try")
    await manual.run("vokter subscribe")
    await manual.run("vokter subscribe")
    assert '"reading lamp"' in await manual.run("vokter list")
    await changed(page, LAMPS.format("€39.00", "sold out"), LAMPS.format("€39.00", "in stock"))
    seen = await manual.shows_in_the_end(f"curl -s '{API}/notifications", '"below')
    assert '"reading lamp"' in seen
    await manual.run("vokter stop")
    assert manual.left == []


@pytest.mark.slow  # the commands are run by tests of the manual, too
async def test_terms(opened: Opened, rest: Rest, pages: Pages, tmp_path: Path) -> None:
    page = pages.add("<p>You may cancel 14 days before the end.")
    names = {f" {each}": f" {tmp_path / each}" for each in ("evidence.json", "terms.jsonl")}
    manual = opened("docs/tutorials/terms.md", {f"{DEMO}/giants": page.url, **names})
    await manual.run("vokter subscribe")
    await changed(page, "<p>You may cancel 30 days before the end.")
    printed = await manual.shows_in_the_end(f"curl -s '{API}/notifications", page.url)
    (known,) = json.loads(printed)["notifications"]
    manual.places["7f7763f5464f6fac5e14160e7da07c3c"] = known["id"]
    await manual.run("vokter evidence save")
    await manual.run("vokter evidence check")
    await manual.run("vokter history")
    assert "30 days" in (tmp_path / "terms.jsonl").read_text()
    await manual.run("vokter stop")
    assert manual.left == []


@pytest.mark.slow  # the commands are run by tests of the manual, too
async def test_a_service(opened: Opened, rest: Rest, pages: Pages, hooks: Hooks) -> None:
    page, hook = pages.add("<p>All boats leave from the quay."), hooks.add()
    places = {f"{DEMO}/ferries": page.url, f"{DEMO}/yours": hook.url}
    manual = opened("docs/tutorials/service.md", places)
    assert "vk_" in await manual.run("vokter keys add")
    assert '"quay"' in await manual.run("curl -s -X POST 'http")
    assert '"secret"' in await manual.run(f"curl -s -X POST {API}/subscribe")
    await changed(page, "<p>All boats are delayed.")
    await hook.notified()
    await manual.shows_in_the_end(f"curl -s '{API}/deliveries", '"delivered"')
    assert '"done": 1' in await manual.run(f"curl -s -X POST {API}/bulk")
    assert '"done": 1' in await manual.run(f"curl -s -X POST {API}/bulk")
    assert manual.left == []


@pytest.mark.slow  # the commands are run by tests of the manual, too
async def test_data(opened: Opened, rest: Rest, pages: Pages, tmp_path: Path) -> None:
    page = pages.add("<p>Gardener wanted.")
    names = {" changes.jsonl": f" {tmp_path / 'changes.jsonl'}"}
    manual = opened("docs/tutorials/data.md", {f"{DEMO}/observatory": page.url, **names})
    await manual.run("vokter subscribe")
    await changed(page, "<p>Gardener and astronomer wanted.")
    async with manual.start("python examples/consume") as consumer:
        await consumer.says("astronomer")
    async with manual.start("vokter tail") as tail:
        await tail.says(page.url)
        tail.signal(SIGINT)
    await rest.shows_in_history("changes", 1, documentUrl=page.url)
    await manual.run("vokter history")
    assert "astronomer" in (tmp_path / "changes.jsonl").read_text()
    assert "astronomer: 1 notification" in await manual.run("vokter backtest")
    await manual.run("vokter stop")
    assert manual.left == []
