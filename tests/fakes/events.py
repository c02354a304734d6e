"""Events as the engine gives them to an agent."""

from itertools import count
from typing import Any

from schemas.codec import wire
from streams.values.outcome import Event, Owned

_offsets = count(1)


def event(
    fact: Any,
    *,
    topic: str = "subscription-requests",
    partition: int = 0,
    offset: int | None = None,
    timestamp: int | None = None,
    headers: tuple[tuple[str, bytes], ...] = (),
    value: bytes | None = None,
) -> Event:
    """Wrap a fact; without an offset it gets the next one."""
    number = next(_offsets) if offset is None else offset
    data = wire.encode(fact) if value is None else value
    at = 1_000_000 if timestamp is None else timestamp
    return Event(topic, partition, number, at, None, data, headers, fact)


def no_rows(table: str, key: bytes) -> bytes | None:
    """Look up in an empty table."""
    return None


def owned(partition: int) -> Owned:
    """Return a partition of which nothing is done and that has no rows."""
    return Owned(partition, {}, lambda table: iter(()), {})
