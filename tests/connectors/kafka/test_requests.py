"""Requests that are refused before a topic would keep them, and answers after an error."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from typing import Any

import pytest
from aiokafka import TopicPartition
from aiokafka.errors import TopicAuthorizationFailedError

from connectors.kafka import requests
from connectors.kafka.access import Access
from connectors.kafka.requests import RequestSender, RequestTimedOut
from schemas.codec import wire
from schemas.records.requests import Subscribe
from schemas.records.subscription_facts import Rejected
from schemas.records.subscriptions import Receiver

REQUEST = Subscribe("https://example.org/", Receiver("https://example.com/hook"), keywords=("a",))


@pytest.mark.parametrize(
    ("request_", "code"),
    [
        (replace(REQUEST, document_url="https://jo:hush@example.org/"), 1),
        (replace(REQUEST, document_url="https:\\\\jo:hush@example.org/"), 1),
        (replace(REQUEST, document_url="https:/\t/jo:hush@example.org/"), 1),
        (replace(REQUEST, document_url="https:jo:hush@example.org/"), 1),
        (replace(REQUEST, document_url="HTTPS:/jo:hush@example.org/"), 1),
        (replace(REQUEST, receiver=Receiver("https://jo:hush@example.com/hook")), 2),
    ],
)
async def test_a_password_in_a_url_is_refused_and_sent_to_no_topic(
    request_: Subscribe, code: int
) -> None:
    never_started: Any = None
    answer = await RequestSender(never_started, "requests", "facts").ask(request_)
    assert isinstance(answer, Rejected)
    assert answer.code == code
    assert answer.url.endswith("example.org/")
    assert "watched with credentials" in answer.detail
    assert "hush" not in repr(answer)


PLACE = TopicPartition("facts", 0)


@dataclass
class Message:
    offset: int
    value: bytes
    topic: str = PLACE.topic
    partition: int = PLACE.partition


@dataclass
class Topic:
    """A topic of facts, and a producer of requests, each of which is answered there at once.

    A reader raises the ``errors`` first, one each.
    """

    errors: list[Exception] = field(default_factory=list)
    log: list[bytes] = field(default_factory=list)
    is_longer: asyncio.Event = field(default_factory=asyncio.Event)
    readers: int = 0

    @asynccontextmanager
    async def tail(self, *_: Any) -> AsyncIterator["Reader"]:
        self.readers += 1
        yield Reader(self, len(self.log))

    async def start(self) -> None:
        """Connect."""

    async def stop(self) -> None:
        """Disconnect."""

    async def send(self, _: str, value: bytes, key: bytes) -> None:
        asked = wire.decode(value, Subscribe)
        rejected = Rejected(asked.request_id, asked.manager, 1, "", asked.document_url, None, 0, ())
        self.log.append(wire.encode(rejected))
        self.is_longer.set()


@dataclass
class Reader:
    topic: Topic
    position_: int

    def assignment(self) -> set[TopicPartition]:
        return {PLACE}

    def seek(self, _: TopicPartition, offset: int) -> None:
        self.position_ = offset

    async def position(self, _: TopicPartition) -> int:
        return self.position_

    async def __aiter__(self) -> AsyncIterator[Message]:
        while True:
            if self.topic.errors and self.topic.log:
                raise self.topic.errors.pop()
            while self.position_ < len(self.topic.log):
                self.position_ += 1
                yield Message(self.position_ - 1, self.topic.log[self.position_ - 1])
            self.topic.is_longer.clear()
            await self.topic.is_longer.wait()


async def test_an_answer_comes_though_its_reader_failed(monkeypatch: pytest.MonkeyPatch) -> None:
    topic = Topic([TopicAuthorizationFailedError(), TopicAuthorizationFailedError()])
    monkeypatch.setattr(requests, "READ_AGAIN_S", 0)
    monkeypatch.setattr(requests, "tail", topic.tail)
    monkeypatch.setattr(requests, "AIOKafkaProducer", lambda **_: topic)
    async with RequestSender(Access("nowhere"), "requests", "facts") as sender:
        assert isinstance(await sender.ask(REQUEST), Rejected)
        assert (topic.readers, sender.problem) == (3, None)
        assert isinstance(await sender.ask(REQUEST), Rejected)


async def test_a_reader_that_has_failed_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    topic = Topic([TopicAuthorizationFailedError()])
    monkeypatch.setattr(requests, "READ_AGAIN_S", 3600)
    monkeypatch.setattr(requests, "tail", topic.tail)
    monkeypatch.setattr(requests, "AIOKafkaProducer", lambda **_: topic)
    async with RequestSender(Access("nowhere"), "requests", "facts", timeout=0.2) as sender:
        with pytest.raises(RequestTimedOut):
            await sender.ask(REQUEST)
        assert "TopicAuthorizationFailedError" in (sender.problem or "")


async def test_a_broker_that_is_missing_is_said_at_the_start(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    @asynccontextmanager
    async def missing(*_: Any) -> AsyncIterator[None]:
        raise LookupError("there is no topic facts")
        yield

    monkeypatch.setattr(requests, "tail", missing)
    monkeypatch.setattr(requests, "AIOKafkaProducer", lambda **_: Topic())
    with pytest.raises(LookupError, match="no topic"):
        async with RequestSender(Access("nowhere"), "requests", "facts"):
            pass
