"""A document that lost its watch is fetched again after ``vokter doctor --repair``."""

from pathlib import Path
from time import time

from schemas.codec import wire
from schemas.records.subscription_facts import Rejected
from schemas.records.topics import SUBSCRIPTIONS
from tests.harness.commands import vokter
from tests.harness.facts import producer
from tests.harness.hooks import Hooks
from tests.harness.pages import Pages
from tests.harness.processes import Deployment, environment
from tests.harness.rest import Rest


async def test_doctor_repairs_a_watch_that_ticker_has_lost(
    shared: Deployment, rest: Rest, pages: Pages, hooks: Hooks, tmp_path: Path
) -> None:
    page, other, hook = pages.add("<p>the giant"), pages.add("<p>still"), hooks.add()
    await rest.subscribe(page.url, hook.url, "argus")
    await rest.subscribe(other.url, hooks.add().url, "argus")
    await page.stored()
    lost = Rejected(
        "lost",
        code=5,
        detail="",
        url=page.url,
        watch=None,
        at=int(time() * 1000),
        manager="default",
    )
    async with producer(shared.settings) as kafka:
        topic = shared.settings.topic_prefix + SUBSCRIPTIONS.name
        await kafka.send_and_wait(topic, wire.encode(lost), key=page.url.encode())
    await page.rests(other)
    checked = await vokter(environment(shared.settings), tmp_path, "doctor", "--repair")
    assert "watches; the ticker follows" in checked.out, checked
    await page.requested(2)
    page.text = "<p>the giant argus"
    (notified,) = await hook.notified()
    assert [diff["keyword"] for diff in notified["diffs"]] == ["argus"]
