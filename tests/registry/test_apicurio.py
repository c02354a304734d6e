"""A deployment with a real schema registry: `make test-registry`."""

import asyncio
import json
from datetime import timedelta
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from aiohttp import ClientSession
from confluent_kafka.schema_registry import SchemaRegistryClient
from confluent_kafka.schema_registry.avro import AvroDeserializer
from confluent_kafka.serialization import MessageField, SerializationContext

from schemas.codec import wire
from schemas.records.requests import Cancel
from schemas.records.subscriptions import Options, Receiver
from schemas.records.topics import (
    CHANGES,
    NOTIFICATIONS,
    SUBSCRIPTION_REQUESTS,
    SUBSCRIPTIONS,
    TOPICS,
)
from streams.effects.connections import started_codec
from tests.harness.commands import Command
from tests.harness.facts import everything, producer, reading
from tests.harness.hooks import Hooks
from tests.harness.pages import Pages
from tests.harness.processes import Deployment, environment
from tests.harness.rest import Rest
from tests.harness.waiting import TIMEOUT_S, until
from tests.servers.apicurio import Apicurio
from vokter import JobManager, Session

pytestmark = pytest.mark.registry

SECOND = timedelta(seconds=1)
BEFORE, AFTER = "<p>the giant sleeps", "<p>the giant argus sleeps"
SUBJECTS = {topic.name for topic in TOPICS if topic.kinds and not topic.keeps_last}


async def test_all_subjects_are_registered_as_fully_compatible(
    rest: Rest, deployment: Deployment, apicurio: Apicurio
) -> None:
    async with ClientSession() as http:
        async with http.get(f"{apicurio.url}/subjects") as answer:
            prefix = deployment.settings.topic_prefix
            assert set(await answer.json()) == {f"{prefix}{name}-value" for name in SUBJECTS}
        for name in SUBJECTS:
            async with http.get(f"{apicurio.url}/config/{prefix}{name}-value") as answer:
                assert (await answer.json())["compatibilityLevel"] == "FULL_TRANSITIVE"


async def test_a_change_goes_the_whole_way_in_confluents_framing(
    rest: Rest, deployment: Deployment, apicurio: Apicurio, pages: Pages, hooks: Hooks
) -> None:
    page, hook = pages.add(BEFORE), hooks.add()
    await rest.subscribe(page.url, hook.url, "argus")
    await page.stored()
    page.text = AFTER
    (notified,) = await hook.notified()
    assert [(diff["event"], diff["keyword"]) for diff in notified["diffs"]] == [("added", "argus")]

    for topic in (SUBSCRIPTION_REQUESTS, SUBSCRIPTIONS, CHANGES, NOTIFICATIONS):
        messages = await everything(
            deployment.settings, deployment.settings.topic_prefix + topic.name
        )
        assert messages
        assert {message.value[:1] for message in messages} == {b"\0"}


async def test_anybody_with_the_registry_reads_a_notification(
    rest: Rest, deployment: Deployment, apicurio: Apicurio, pages: Pages, hooks: Hooks
) -> None:
    page, hook = pages.add(BEFORE), hooks.add()
    await rest.subscribe(page.url, hook.url, "argus")
    await page.stored()
    async with reading(deployment.settings, NOTIFICATIONS) as notified:
        page.text = AFTER
        key = hook.url.encode()
        message, *_ = await until(lambda: [m for m in notified.seen if m.key == key], "it is there")
    context = SerializationContext(message.topic, MessageField.VALUE)
    read: Any = await asyncio.to_thread(
        lambda: AvroDeserializer(SchemaRegistryClient({"url": apicurio.url}))(
            message.value, context
        )
    )
    assert (read["receiver"]["client_url"], read["url"]) == (hook.url, page.url)
    assert [diff["text"] for diff in read["diffs"]] == ["argus"]


async def test_requests_in_json_and_in_single_object_encoding_are_taken_as_before(
    rest: Rest, deployment: Deployment, pages: Pages
) -> None:
    page, names = pages.add(BEFORE), [uuid4().hex, uuid4().hex]
    body = {"documentUrl": page.url, "session": "j", "keywords": ["a"], "requestId": names[0]}
    requests = (
        json.dumps(body).encode(),
        wire.encode(Cancel(page.url, Receiver(session="j"), names[1])),
    )
    codec = await started_codec(deployment.settings)
    topic = deployment.settings.topic_prefix + SUBSCRIPTION_REQUESTS.name
    async with (
        reading(deployment.settings, SUBSCRIPTIONS) as facts,
        producer(deployment.settings) as kafka,
    ):
        for request, name in zip(requests, names, strict=True):
            await kafka.send_and_wait(topic, request, key=page.url.encode())

            def answered(name: str = name) -> bool:
                found = [codec.decode(each.value, *SUBSCRIPTIONS.kinds) for each in facts.seen]
                return any(fact.request_id == name for fact in found)

            await until(answered, f"{name} is answered")


async def test_the_library_and_the_command_line_speak_it(
    rest: Rest, deployment: Deployment, apicurio: Apicurio, pages: Pages, tmp_path: Path
) -> None:
    page, settings = pages.add(BEFORE), deployment.settings
    notified: list[Any] = []
    desk = JobManager(
        "desk",
        settings.kafka or "",
        prefix=settings.topic_prefix,
        registry=apicurio.url,
        timeout=timedelta(seconds=TIMEOUT_S),
    )

    @desk.on_notification
    async def changed(*arguments: Any) -> None:
        notified.append(arguments)

    async with desk:
        await desk.add(page.url, Session("one"), ["argus"], Options(interval=1))
        await page.stored()
        page.text = AFTER
        await until(lambda: notified, "it is notified")
        env = environment(settings)
        async with Command(env, tmp_path, "tail", "notifications", "--from-start") as tail:
            await tail.says('"session": "one"')
        await desk.cancel(page.url, Session("one"))
