"""Send requests to the register: a request goes to one topic, its answer comes on another."""

import asyncio
from collections.abc import Callable
from contextlib import AsyncExitStack
from dataclasses import replace
from time import time_ns
from typing import Self
from uuid import uuid4

import structlog
from aiokafka import AIOKafkaConsumer, AIOKafkaProducer

from connectors.kafka.access import Access
from connectors.kafka.pending_answers import PendingAnswers, RegisterAnswer
from connectors.kafka.reading import tail
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
        self._stack = AsyncExitStack()

    async def __aenter__(self) -> Self:
        async with AsyncExitStack() as stack:
            await self._codec.start()
            self._producer = AIOKafkaProducer(**self._access.producer())
            stack.push_async_callback(self._producer.stop)  # also if it cannot start
            await self._producer.start()
            consumer = await stack.enter_async_context(tail(self._access, self._facts))
            reader = asyncio.create_task(self._read(consumer))
            stack.callback(reader.cancel)
            self._stack = stack.pop_all()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._stack.aclose()

    async def ask(self, request: ClientRequest) -> RegisterAnswer:
        """Send a request and return its answer. Without a request id it gets a random one.

        One with a password in a URL is refused here: the topic would keep it. Raises
        RequestTimedOut.
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
                raise RequestTimedOut(f"no worker answered within {self._timeout:g} s") from None

    async def _read(self, consumer: AIOKafkaConsumer) -> None:
        async for message in consumer:
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
