"""Requests produced to the topic, as any Kafka client can."""

import asyncio
import json
from functools import partial
from typing import Any
from uuid import uuid4

from confluent_kafka import Message, Producer

from schemas.codec import wire
from schemas.records.notifications import Notification
from schemas.records.requests import Cancel, Subscribe
from schemas.records.subscription_facts import Cancelled, Rejected, Subscribed
from schemas.records.subscriptions import Options, Receiver
from schemas.records.topics import NOTIFICATIONS, SUBSCRIPTION_REQUESTS, SUBSCRIPTIONS
from streams.values.partitions import partition_of
from tests.fakes.variants import varied
from tests.harness.facts import Messages, producer, reading
from tests.harness.hooks import Hooks
from tests.harness.pages import Pages
from tests.harness.processes import Deployment
from tests.harness.rest import Rest
from tests.harness.waiting import until

BEFORE, AFTER = "<p>the giant sleeps", "<p>the giant argus sleeps"


async def produce(deployment: Deployment, value: bytes | None, **where: Any) -> None:
    """Produce one request."""
    async with producer(deployment.settings) as kafka:
        topic = deployment.settings.topic_prefix + SUBSCRIPTION_REQUESTS.name
        await kafka.send_and_wait(topic, value, **where)


async def answered(facts: Messages, kind: type[Any], request_id: str) -> Any:
    """Return the one answer of a request, once it is there."""
    found = await until(lambda: facts.of(kind, request_id=request_id), f"{request_id} is answered")
    assert len(found) == 1
    return found[0]


def note(placed: dict[str, int], name: str, error: object, message: Message) -> None:
    """Remember where librdkafka put a request."""
    assert error is None
    placed[name] = message.partition() or 0


async def test_a_subscribe_in_avro_does_what_the_rest_call_does(
    shared: Deployment, rest: Rest, pages: Pages, hooks: Hooks
) -> None:
    page, hook, name = pages.add(BEFORE), hooks.add(), uuid4().hex
    request = Subscribe(
        page.url,
        Receiver(hook.url),
        request_id=name,
        keywords=("argus",),
        options=Options(interval=1),
    )
    async with reading(shared.settings, SUBSCRIPTIONS) as facts:
        await produce(shared, wire.encode(request), key=page.url.encode())
        fact: Subscribed = await answered(facts, Subscribed, name)
        assert fact.subscription.receiver.client_url == hook.url
        await page.stored()
        page.text = AFTER
        (notified,) = await hook.notified()
        assert [(d["event"], d["keyword"]) for d in notified["diffs"]] == [("added", "argus")]
        again = {"documentUrl": page.url, "clientUrl": hook.url, "keywords": ["argus"]}
        assert (await rest.call("/subscribe", again)).body["code"] == "5"
        gone = wire.encode(Cancel(page.url, Receiver(hook.url), request_id=name + "c"))
        await produce(shared, gone, key=page.url.encode())
        assert (await answered(facts, Cancelled, name + "c")).watch is None
    assert (await rest.call("/cancel", again)).body["code"] == "7"


async def test_a_request_in_json_has_rests_field_names_and_an_action(
    shared: Deployment, rest: Rest, pages: Pages, hooks: Hooks
) -> None:
    page, hook = pages.add(BEFORE), hooks.add()
    body = {"documentUrl": page.url, "clientUrl": hook.url, "keywords": ["ARGUS"], "interval": 1}
    names = [uuid4().hex for _ in range(3)]
    requests = [
        body | {"ignoreCase": True, "requestId": names[0]},
        body | {"action": "subscribe", "requestId": names[1]},
        {"action": "cancel", "requestId": names[2], **body},
    ]
    async with reading(shared.settings, SUBSCRIPTIONS) as facts:
        for request in requests[:2]:
            await produce(shared, json.dumps(request).encode(), key=page.url.encode())
        assert (await answered(facts, Subscribed, names[0])).subscription.options.ignore_case
        assert (await answered(facts, Rejected, names[1])).code == 5
        await page.stored()
        page.text = AFTER
        (notified,) = await hook.notified()
        assert [(d["event"], d["keyword"]) for d in notified["diffs"]] == [("added", "ARGUS")]
        await produce(shared, json.dumps(requests[2]).encode(), key=page.url.encode())
        await answered(facts, Cancelled, names[2])


async def test_a_refused_request_is_answered_on_the_topic_with_rests_code(
    shared: Deployment, rest: Rest
) -> None:
    url = "http://127.0.0.1:1024/"
    good = Subscribe(url, Receiver(url), request_id="r", keywords=("argus",))
    cases = {
        1: ("document_url", "nowhere"),
        2: ("client_url", "nobody"),
        3: ("keywords", ("-",)),
        6: ("interval", 0),
    }
    async with reading(shared.settings, SUBSCRIPTIONS) as facts:
        for code, (name, value) in cases.items():
            request_id = uuid4().hex
            request = varied(good, **{name: value, "request_id": request_id})
            await produce(shared, wire.encode(request), key=request.document_url.encode())
            assert (await answered(facts, Rejected, request_id)).code == code
        request_id = uuid4().hex
        mistake = {"documentUrl": url, "requestId": request_id, "ignorecase": True}
        await produce(shared, json.dumps(mistake).encode(), key=url.encode())
        rejected = await answered(facts, Rejected, request_id)
        assert (rejected.code, rejected.detail) == (
            6,
            "ignorecase: there is no such field; did you mean ignoreCase?",
        )


async def test_a_request_on_a_wrong_partition_is_forwarded_and_answered_once(
    shared: Deployment, rest: Rest, pages: Pages, hooks: Hooks
) -> None:
    requests = {uuid4().hex: pages.add(BEFORE) for _ in range(8)}
    topic = shared.settings.topic_prefix + SUBSCRIPTION_REQUESTS.name
    placed: dict[str, int] = {}
    kafka = Producer({"bootstrap.servers": shared.settings.kafka})
    async with reading(shared.settings, SUBSCRIPTIONS) as facts:
        for number, (name, page) in enumerate(requests.items()):
            request = Subscribe(
                page.url,
                Receiver(hooks.add().url),
                request_id=name,
                keywords=("argus",),
                options=Options(interval=1),
            )
            # librdkafka's default partitioner: CRC32 of the key, any partition without one
            kafka.produce(
                topic,
                wire.encode(request),
                key=page.url.encode() if number % 2 else None,
                on_delivery=partial(note, placed, name),
            )
        await asyncio.to_thread(kafka.flush)
        for name, page in requests.items():
            assert (await answered(facts, Subscribed, name)).url == page.url
        await asyncio.gather(*(page.requested() for page in requests.values()))
        assert all(len(facts.of(Subscribed, request_id=name)) == 1 for name in requests)
    rights = {
        name: partition_of(page.url, shared.settings.partitions) for name, page in requests.items()
    }
    assert placed != rights, "some went to a wrong partition"
    for message, fact in zip(facts.seen, facts.facts, strict=True):
        if isinstance(fact, Subscribed) and fact.request_id in rights:
            assert message.partition == rights[fact.request_id]


async def test_a_session_reads_its_notifications_from_the_topic(
    shared: Deployment, rest: Rest, pages: Pages
) -> None:
    page, session = pages.add(BEFORE), uuid4().hex
    body = {"documentUrl": page.url, "session": session, "keywords": ["argus"], "interval": 1}
    async with reading(shared.settings, NOTIFICATIONS) as notifications:
        assert (await rest.call("/subscribe", body)).body["code"] == "0"
        await page.stored()
        page.text = AFTER
        (notified,) = await until(
            lambda: notifications.of(Notification, receiver=Receiver(session=session)),
            "the session is notified",
        )
    assert (notified.status, notified.url, notified.receiver.client_url) == ("ok", page.url, None)
    assert [(diff.event, diff.keyword) for diff in notified.diffs] == [("added", "argus")]
