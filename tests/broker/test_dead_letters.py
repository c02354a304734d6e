"""What cannot be handled is kept as it was found, and holds nothing up."""

import json
import os
from uuid import uuid4

import pytest

from schemas import wire
from schemas.facts import Subscribe, Subscribed
from streams.topics import (
    CHANGES,
    DEAD_LETTERS,
    FETCHES,
    NOTIFICATIONS,
    SUBSCRIPTION_REQUESTS,
    SUBSCRIPTIONS,
    Topic,
)
from tests.harness.facts import producer, reading
from tests.harness.hooks import Hooks
from tests.harness.pages import Pages
from tests.harness.processes import Deployment
from tests.harness.rest import Rest
from tests.harness.waiting import until

REASON = "__connect.errors.exception.message"

UNKNOWN_SCHEMA = b"\xc3\x01" + bytes(8) + b"\x02\x04"
BAD = {
    "random bytes": b"\x07" + os.urandom(40),
    "an unknown schema": UNKNOWN_SCHEMA,
    "a record cut short": wire.encode(Subscribe("http://127.0.0.1/", ("argus",)))[:-3],
    "JSON of a wrong shape": json.dumps({"documentUrl": 7, "keywords": "argus"}).encode(),
    "JSON with an unknown action": b'{"action": "destroy", "documentUrl": "http://127.0.0.1/"}',
    "JSON cut short": b'{"documentUrl": ',
    "an empty value": b"",
    "no value": None,
}


@pytest.mark.parametrize("value", BAD.values(), ids=BAD)
async def test_a_bad_request_becomes_a_dead_letter_and_the_next_good_one_is_handled(
    shared: Deployment, rest: Rest, pages: Pages, hooks: Hooks, value: bytes | None
) -> None:
    page, name = pages.add("<p>the giant"), uuid4().hex
    good = Subscribe(page.url, ("argus",), hooks.add().url, request_id=name, interval=1)
    topic = shared.settings.topic_prefix + SUBSCRIPTION_REQUESTS.name
    header = ("trace", name.encode())
    async with (
        reading(shared.settings, DEAD_LETTERS) as letters,
        reading(shared.settings, SUBSCRIPTIONS) as facts,
        producer(shared.settings) as kafka,
    ):
        key = page.url.encode()  # both on one partition
        await kafka.send_and_wait(topic, value, key=key, headers=[header])
        await kafka.send_and_wait(topic, wire.encode(good), key=key)
        await until(lambda: facts.of(Subscribed, request_id=name), "the good one is answered")
        (letter,) = await until(
            lambda: [m for m in letters.seen if header in m.headers], "there is a dead letter"
        )
    assert (letter.key, letter.value) == (key, value)
    headers = dict(letter.headers)
    assert headers[REASON]
    assert headers["__connect.errors.topic"] == SUBSCRIPTION_REQUESTS.name.encode()


@pytest.mark.parametrize("topic", [FETCHES, CHANGES, NOTIFICATIONS], ids=lambda t: t.name)
async def test_a_bad_message_between_stages_holds_nothing_up(
    shared: Deployment, rest: Rest, pages: Pages, hooks: Hooks, topic: Topic
) -> None:
    page, hook = pages.add("<p>the giant"), hooks.add()
    marks = [uuid4().bytes for _ in range(shared.settings.partitions)]
    async with (
        reading(shared.settings, DEAD_LETTERS) as letters,
        producer(shared.settings) as kafka,
    ):
        for partition, value in enumerate(marks):
            name = shared.settings.topic_prefix + topic.name
            await kafka.send_and_wait(name, value, partition=partition)
        await until(
            lambda: {m.value for m in letters.seen} >= set(marks), "there is a letter of each"
        )
    await rest.subscribe(page.url, hook.url, "argus")
    await page.kept()
    page.text = "<p>the giant argus"
    await hook.told()
