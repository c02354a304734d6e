"""Send requests to the register: a request goes to a topic, its answer comes on another."""

import asyncio
from collections.abc import Callable
from contextlib import AsyncExitStack
from dataclasses import replace
from time import time_ns
from typing import Self
from uuid import uuid4

import structlog
from aiokafka import AIOKafkaConsumer, AIOKafkaProducer, TopicPartition

from connectors.kafka.access import Access
from connectors.kafka.pending_answers import PendingAnswers, RegisterAnswer
from connectors.kafka.reading import end_task, tail
from connectors.registry.codec import Codec
from schemas.codec.wire import Undecodable
from schemas.records.codes import Code
from schemas.records.faults import Fault, refusal_by
from schemas.records.pages import canonical_document, request_key
from schemas.records.requests import ClientRequest
from schemas.records.subscription_facts import Rejected, SubscriptionFact
from schemas.records.topics import SUBSCRIPTION_REQUESTS, SUBSCRIPTIONS
from schemas.records.urls import USERINFO_REFUSED, without_userinfo
from schemas.records.waiting import ChangesWaiting
from schemas.records.watches import WatchesStated

log = structlog.get_logger()

ANSWER_TIMEOUT_S = 10.0
READ_AGAIN_S = 1.0
"""Seconds after which unreadable answers are read again."""


class RequestTimedOut(Exception):
    """No worker answered in time; the request may still be decided."""


class RequestSender:
    """A client of the register; an async context manager."""

    def __init__(
        self,
        access: Access,
        requests: str,
        facts: str,
        timeout: float = ANSWER_TIMEOUT_S,
        codec: Codec | None = None,
        note: Callable[[SubscriptionFact], None] | None = None,
    ) -> None:
        """``requests`` and ``facts`` are full topic names; ``timeout`` (s) is for each answer.

        ``note`` is called with every fact, before its answer is returned.
        """
        self._note = note
        self._codec = codec or Codec()
        self._access = access
        self._requests = requests
        self._facts = facts
        self._timeout = timeout
        self._pending = PendingAnswers()
        self._positions: dict[TopicPartition, int] = {}
        """The next offset to read of each partition of the answers."""
        self.problem: str | None = None
        """The reason for which no answer can be read now, None if answers can be read."""
        self._stack = AsyncExitStack()

    async def __aenter__(self) -> Self:
        async with AsyncExitStack() as stack:
            await self._codec.start()
            self._producer = AIOKafkaProducer(**self._access.producer())
            stack.push_async_callback(self._producer.stop)  # also if it cannot start
            await self._producer.start()
            ready: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            reader = asyncio.create_task(self._keep_reading(ready))
            stack.push_async_callback(end_task, reader)
            await ready
            self._stack = stack.pop_all()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._stack.aclose()

    async def ask(self, request: ClientRequest) -> RegisterAnswer:
        """Send a request and return its answer.

        Without a request id the request gets a random id.

        A request with a password in a URL is refused here: the topic would keep the password.
        Raises RequestTimedOut.
        """
        request_id = request.request_id or uuid4().hex
        if faults := _userinfo_faults(request):
            url, at = without_userinfo(request.document_url), time_ns() // 1_000_000
            refused = refusal_by(faults)
            why = refused.code, refused.detail
            return Rejected(request_id, request.manager, *why, url, None, at, refused.faults)
        document = canonical_document(request.document_url) or request.document_url
        key = request_key(document, request.manager, request.receiver).encode()
        named = replace(request, request_id=request_id)
        with self._pending.expected(request.manager, request_id) as answer:
            try:
                async with asyncio.timeout(self._timeout):
                    value = self._codec.encode(SUBSCRIPTION_REQUESTS.name, named)
                    await self._producer.send(self._requests, value, key=key)
                    return await answer
            except TimeoutError:
                raise RequestTimedOut(
                    f"no worker answered within {self._timeout:g} s; the request may still be "
                    "decided, and 'vokter status' shows what match is doing"
                ) from None

    async def _keep_reading(self, ready: asyncio.Future[None]) -> None:
        """Read until cancelled; after an error go on, with the answers of the meantime.

        An error of the first connection is raised where this is ``ready``.
        """
        while True:
            try:
                async with tail(self._access, self._facts) as consumer:
                    await self._go_on(consumer)
                    self.problem = None
                    if not ready.done():
                        ready.set_result(None)
                    await self._read(consumer)
            except Exception as error:  # noqa: BLE001 - without this task no request is answered
                if not ready.done():
                    ready.set_exception(error)
                    return
                self.problem = f"the answers to requests cannot be read: {error!r}"
                log.warning("answers cannot be read, retrying", error=repr(error))
            await asyncio.sleep(READ_AGAIN_S)

    async def _go_on(self, consumer: AIOKafkaConsumer) -> None:
        for place in consumer.assignment():
            if place in self._positions:
                consumer.seek(place, self._positions[place])
            else:
                self._positions[place] = await consumer.position(place)

    async def _read(self, consumer: AIOKafkaConsumer) -> None:
        async for message in consumer:
            self._positions[TopicPartition(message.topic, message.partition)] = message.offset + 1
            await self._codec.learn(message.value)
            try:
                fact = self._codec.decode(message.value, *SUBSCRIPTIONS.kinds)
            except Undecodable as error:
                log.warning("answer passed over", topic=message.topic, reason=str(error))
                continue
            if isinstance(fact, WatchesStated | ChangesWaiting):
                continue
            if self._note is not None:
                self._note(fact)
            if isinstance(fact, RegisterAnswer):
                self._pending.resolve(fact)


def _userinfo_faults(request: ClientRequest) -> list[Fault]:
    """Return the URLs with a user name in them."""
    given = (
        (Code.INVALID_DOCUMENT_URL, "documentUrl", request.document_url),
        (Code.INVALID_CLIENT_URL, "clientUrl", request.receiver.client_url or ""),
    )
    return [
        Fault(code, field, USERINFO_REFUSED)
        for code, field, url in given
        if without_userinfo(url) != url
    ]
