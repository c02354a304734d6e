"""README and reference, command by command, on a running deployment."""

import asyncio
import shutil
from datetime import UTC, datetime
from pathlib import Path
from signal import SIGINT
from uuid import uuid4

import pytest
from aiokafka import ConsumerRecord

from connectors.stores.opening import open_store
from schemas.records.documents import Document
from schemas.records.topics import CHANGES, DEAD_LETTERS
from tests.harness.facts import producer, reading
from tests.harness.hooks import Hooks
from tests.harness.manual import API, CHANGE, GIANTS, SINCE, Opened, an_hour_ago
from tests.harness.pages import Page, Pages
from tests.harness.processes import Deployment
from tests.harness.rest import Rest
from tests.harness.waiting import eventually, until


async def test_the_readme_watches_and_subscribes(
    opened: Opened, rest: Rest, pages: Pages, hooks: Hooks
) -> None:
    page, hook = pages.add("<p>on time"), hooks.add()
    town = "http://127.0.0.1:9080"
    places = {f"{town}/lamps": page.url, f"{town}/ferries": page.url, f"{town}/yours": hook.url}
    manual = opened("README.md", places)
    async with manual.start("vokter watch") as watch:
        await watch.says(f"Watching {page.url}")
        watch.signal(SIGINT)
        assert (await watch.ended()).status == 0
    assert '"code": "0"' in await manual.run(f"curl -s -X POST {API}/subscribe")
    answer = await rest.call("/cancel", {"documentUrl": page.url, "clientUrl": hook.url})
    assert answer.status == 200
    assert manual.left == []


async def test_the_rest_pages_subscribe_list_listen_cancel_and_limit_a_key(
    opened: Opened, rest: Rest, pages: Pages
) -> None:
    page = pages.add("<p>greek")
    rooms = "docs/rest.md", "docs/rest/subscribing.md", "docs/rest/subscriptions.md"
    keys, subscribing, subscriptions = (opened(each, {GIANTS: page.url}) for each in rooms)
    history = opened("docs/rest/history.md", {GIANTS: page.url})
    notifications = opened("docs/rest/notifications.md", {GIANTS: page.url})
    assert '"code": "0"' in await subscribing.run(f"curl -s -X POST {API}/subscribe")
    await rest.shows(lambda item: item["documentUrl"] == page.url, "it")
    assert '"at"' in await subscriptions.run(f"curl -s -X POST {API}/check")
    assert '"done": 0' in await subscriptions.run(f"curl -s -X POST {API}/bulk")
    assert '"changes": []' in await history.run(f"curl -s '{API}/changes")
    async with notifications.start(f"curl -sN {API}/events") as events:
        await events.says("id: ")
        await rest.call("/test", {"documentUrl": page.url, "session": "my-reader"})
        await events.says(page.url)
    assert '"code": "0"' in await subscriptions.run(f"curl -s -X POST {API}/cancel")
    await keys.run("vokter keys add")
    everything = keys, subscribing, subscriptions, history, notifications
    assert [each.left for each in everything] == [[]] * len(everything)


@pytest.mark.skipif(shutil.which("kcat") is None, reason="there is no kcat")
async def test_a_request_is_produced_to_the_topic(opened: Opened, rest: Rest, pages: Pages) -> None:
    page = pages.add("<p>greek")
    manual = opened("docs/how-to/use-kafka.md", {GIANTS: page.url})
    await manual.run(CHANGE)
    await _cancelled(rest, page)
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
        topic, key = shared.settings.topic_prefix + CHANGES.name, uuid4().bytes

        def ours(count: int) -> list[ConsumerRecord] | None:
            found = [message for message in letters.seen if message.key == key]
            return found if len(found) >= count else None

        begun = f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%S}"
        await kafka.send_and_wait(topic, b"rubbish", key=key)
        (message,) = await until(lambda: ours(1), "match wrote a dead letter")
        name = f"{message.partition}:{message.offset}"
        # Dead letters of earlier tests are not touched.
        places = {"3:42": name, SINCE: an_hour_ago(), "=2h": f"={begun}"}
        manual = opened("docs/dead-letters.md", places)
        looks = ["list"] * 3 + ["show"]
        every, others, as_json, shown = await asyncio.gather(
            *(manual.run(f"vokter dead-letters {look}") for look in looks)
        )
        assert (name in every, name in others, f'"{name}"' in as_json) == (True, False, True)
        assert "rubbish" in shown
        await manual.run("vokter dead-letters replay")
        await until(lambda: ours(2), "it is rubbish still")
    assert manual.left == []


async def test_a_store_is_copied_as_the_manual_says(opened: Opened, tmp_path: Path) -> None:
    old, new = f"sqlite:{tmp_path / 'old.db'}", f"sqlite:{tmp_path / 'new.db'}"
    store = await open_store(old)
    await store.snapshots.compare_and_set(Document(GIANTS, "w", 1, 1), 0)
    await store.close()
    # As to a server: tests/connectors/stores/test_copying.py has both kinds.
    places = {
        "sqlite:/…/vokter.db": old,
        "mongodb://NAME:PASSWORD@mongo.example/vokter": new,
    }
    manual = opened("docs/from-one-machine-to-many.md", places)
    assert "documents: 1" in await manual.run("vokter store copy")
    assert manual.left == []


async def test_a_change_is_followed_through_the_logs(
    opened: Opened, shared: Deployment, rest: Rest, pages: Pages, hooks: Hooks
) -> None:
    page, hook = pages.add("<p>the giant"), hooks.add()
    name = await rest.subscribe(page.url, hook.url, "argus")
    await page.stored()
    page.text = "<p>the giant argus"
    await hook.notified()
    deliver = shared["deliver"]
    await until(lambda: name in deliver.said, "the POST is logged")
    places = {"SUBSCRIPTION": name, " W ": f" {name} ", " logs/": f" {deliver.log.parent}/"}
    manual = opened("docs/logs.md", places)
    assert f"watch={name}" in await manual.run("grep")
    assert "status=204" in await manual.run("grep")
    assert manual.left == []
