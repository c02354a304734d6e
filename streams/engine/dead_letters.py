"""What could not be handled, kept as it was found, with the reason."""

from traceback import format_exception

import structlog

from connectors.kafka.facts import MAX_MESSAGE
from connectors.kafka.letters import CUT, ERRORS
from schemas.trail import trail
from schemas.wire import Undecodable
from streams.core.outcome import Event, Outcome, Send
from streams.topics import DEAD_LETTERS

log = structlog.get_logger()

MAX_REASON = 2_000
MAX_TRACE = 8_000
ROOM = 64 * 1024
"""Bytes that a letter's own headers and Kafka's framing take at most."""
KEPT = 1024 * 1024
"""Bytes of a value that are kept where a letter would be too large."""


def dead_letter(stage: str, event: Event, error: Exception) -> Outcome:
    """Send the original bytes, key and headers on, with where and why it failed."""
    is_bad = isinstance(error, Undecodable)
    reason = (str(error) if is_bad else repr(error))[:MAX_REASON]
    where = {"topic": event.topic, "partition": event.partition, "offset": event.offset}
    log.warning("dead letter", stage=stage, **where, reason=reason, **trail(event.fact))
    facts = {
        **where,
        "connector.name": stage,
        "stage": stage,
        "exception.class.name": type(error).__name__,
        "exception.message": reason,
    }
    if not is_bad:
        facts["exception.stacktrace"] = "".join(format_exception(error))[-MAX_TRACE:]
    added = tuple((ERRORS + name, _bytes(value)) for name, value in facts.items())
    key, value, headers = _fitting(event)
    return Outcome(sends=(Send(DEAD_LETTERS.name, key, value, headers=headers + added),))


def _fitting(event: Event) -> tuple[bytes | None, bytes | None, tuple[tuple[str, bytes], ...]]:
    """Give key, value and headers, cut where the broker or the client would refuse them.

    A letter that cannot be written would end the process again and again.
    """
    key, value = event.key, event.value
    size = _size(key) + _size(value)
    size += sum(len(name.encode()) + _size(content) + 10 for name, content in event.headers)
    if size > MAX_MESSAGE - ROOM:
        return None, (value or b"")[:KEPT], ((CUT, _bytes(size)),)
    if key is None and value is None:
        return None, b"", (*event.headers, (CUT, _bytes(size)))
    return key, value, event.headers


def _size(data: bytes | None) -> int:
    return 0 if data is None else len(data)


def _bytes(value: object) -> bytes:
    return str(value).encode("utf-8", "replace")
