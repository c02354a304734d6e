"""Write a dead letter: the unchanged message, with its origin and failure."""

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from traceback import format_exception
from typing import NamedTuple, Protocol

from aiokafka.errors import KafkaError

from connectors.dead_letters.record import CUT, ERRORS
from connectors.kafka.access import MAX_MESSAGE_BYTES, Access
from connectors.kafka.writing import large_message_producer
from schemas.codec.wire import Undecodable

MAX_REASON = 2_000
MAX_TRACE = 8_000
HEADROOM_BYTES = 64 * 1024
"""The most bytes of the headers of a dead letter and Kafka's framing."""
KEPT_BYTES = 1024 * 1024
"""The kept bytes of the value of a too large message."""

log = logging.getLogger("vokter")

PAUSE_S = 5.0


class RawMessage(NamedTuple):
    """The parts of a message on a topic."""

    key: bytes | None
    value: bytes | None
    headers: tuple[tuple[str, bytes], ...]


PublishDeadLetter = Callable[[RawMessage], Awaitable[None]]
"""Returns once a dead letter is on its topic."""


class FailedMessage(Protocol):
    """A failed message; ``topic`` is without the prefix."""

    @property
    def topic(self) -> str: ...  # noqa: D102 - see above
    @property
    def partition(self) -> int: ...  # noqa: D102
    @property
    def offset(self) -> int: ...  # noqa: D102
    @property
    def key(self) -> bytes | None: ...  # noqa: D102
    @property
    def value(self) -> bytes | None: ...  # noqa: D102
    @property
    def headers(self) -> Sequence[tuple[str, bytes]]: ...  # noqa: D102


def reason_of(error: Exception) -> str:
    """Return why a message failed, in a text of bounded length."""
    return (str(error) if isinstance(error, Undecodable) else repr(error))[:MAX_REASON]


def dead_letter_of(agent: str, message: FailedMessage, error: Exception) -> RawMessage:
    """Return the unchanged message, plus headers with its origin and failure.

    ``agent`` is the agent, or the manager, of the failure.
    """
    facts = {
        # First, for readers tell the message's own headers from these by this name.
        "topic": message.topic,
        "partition": message.partition,
        "offset": message.offset,
        "connector.name": agent,
        "stage": agent,
        "exception.class.name": type(error).__name__,
        "exception.message": reason_of(error),
    }
    # What cannot be decoded says all in its reason; a bug needs its traceback.
    if not isinstance(error, Undecodable):
        facts["exception.stacktrace"] = "".join(format_exception(error))[-MAX_TRACE:]
    added = tuple((ERRORS + name, _encoded(value)) for name, value in facts.items())
    key, value, headers = _fitting(message)
    return RawMessage(key, value, headers + added)


def _fitting(message: FailedMessage) -> RawMessage:
    """Return the message, cut if too large for the broker or the client.

    A dead letter too large to write would end the process again and again.
    """
    key, value, headers = message.key, message.value, tuple(message.headers)
    size = _size(key) + _size(value)
    size += sum(len(name.encode()) + _size(content) + 10 for name, content in headers)
    if size > MAX_MESSAGE_BYTES - HEADROOM_BYTES:
        return RawMessage(None, (value or b"")[:KEPT_BYTES], ((CUT, _encoded(size)),))
    if key is None and value is None:  # aiokafka refuses to send such a message
        return RawMessage(None, b"", (*headers, (CUT, _encoded(size))))
    return RawMessage(key, value, headers)


def _size(data: bytes | None) -> int:
    return 0 if data is None else len(data)


def _encoded(value: object) -> bytes:
    return str(value).encode("utf-8", "replace")


@asynccontextmanager
async def publishing_dead_letters(access: Access, topic: str) -> AsyncIterator[PublishDeadLetter]:
    """Connect a function to publish a dead letter, with endless retries.

    Raises KafkaConnectionError if no broker answers at the start.
    """
    async with large_message_producer(access) as producer:

        async def publish(letter: RawMessage) -> None:
            key, value, headers = letter
            while True:
                try:
                    await producer.send_and_wait(topic, value, key=key, headers=list(headers))
                except KafkaError as error:
                    log.warning(
                        "a dead letter could not be written, retrying in %g s: %r", PAUSE_S, error
                    )
                    await asyncio.sleep(PAUSE_S)
                else:
                    return

        yield publish
