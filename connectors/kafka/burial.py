"""Writing a dead letter: a message as it was found, with where and why it failed."""

from collections.abc import Sequence
from traceback import format_exception
from typing import Protocol

from connectors.kafka.facts import MAX_MESSAGE
from connectors.kafka.letters import CUT, ERRORS
from schemas.wire import Undecodable

MAX_REASON = 2_000
MAX_TRACE = 8_000
ROOM = 64 * 1024
"""Bytes that a letter's own headers and Kafka's framing take at most."""
KEPT = 1024 * 1024
"""Bytes of a value that are kept where a letter would be too large."""

Headers = tuple[tuple[str, bytes], ...]
Letter = tuple[bytes | None, bytes | None, Headers]
"""Key, value and headers."""


class Message(Protocol):
    """What could not be handled; ``topic`` is the name without its prefix."""

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
    """Say why in a text of bounded length."""
    return (str(error) if isinstance(error, Undecodable) else repr(error))[:MAX_REASON]


def letter(stage: str, message: Message, error: Exception) -> Letter:
    """Give the original bytes, key and headers, with where and why it failed."""
    facts = {
        "topic": message.topic,
        "partition": message.partition,
        "offset": message.offset,
        "connector.name": stage,
        "stage": stage,
        "exception.class.name": type(error).__name__,
        "exception.message": reason_of(error),
    }
    if not isinstance(error, Undecodable):
        facts["exception.stacktrace"] = "".join(format_exception(error))[-MAX_TRACE:]
    added = tuple((ERRORS + name, _bytes(value)) for name, value in facts.items())
    key, value, headers = _fitting(message)
    return key, value, headers + added


def _fitting(message: Message) -> Letter:
    """Give key, value and headers, cut where the broker or the client would refuse them.

    A letter that cannot be written would end the process again and again.
    """
    key, value, headers = message.key, message.value, tuple(message.headers)
    size = _size(key) + _size(value)
    size += sum(len(name.encode()) + _size(content) + 10 for name, content in headers)
    if size > MAX_MESSAGE - ROOM:
        return None, (value or b"")[:KEPT], ((CUT, _bytes(size)),)
    if key is None and value is None:
        return None, b"", (*headers, (CUT, _bytes(size)))
    return key, value, headers


def _size(data: bytes | None) -> int:
    return 0 if data is None else len(data)


def _bytes(value: object) -> bytes:
    return str(value).encode("utf-8", "replace")
