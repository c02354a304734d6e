"""Input and outcome of an agent: events in, outputs and table puts out."""

from collections.abc import Awaitable, Callable, Generator, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from schemas.codec.versions import Record
from streams.values.steps import Steps

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Event:
    """A decoded message; ``topic`` without its prefix, ``timestamp`` in epoch ms."""

    topic: str
    partition: int
    offset: int
    timestamp: int
    key: bytes | None
    value: bytes | None
    headers: tuple[tuple[str, bytes], ...]
    fact: Any


@dataclass(frozen=True, slots=True)
class Send:
    """An output; without a ``partition`` the partition of its ``key`` is used.

    A ``key`` or ``record`` of bytes is sent unchanged.
    """

    topic: str
    key: str | bytes | None
    record: Record | bytes | None
    partition: int | None = None
    headers: tuple[tuple[str, bytes], ...] = ()


@dataclass(frozen=True, slots=True)
class Put:
    """A change of a table in the event's partition; without a ``record`` the row is deleted.

    Without a ``table`` the agent's first, or only, table is meant.
    """

    key: bytes
    record: Record | None
    table: str = ""


@dataclass(frozen=True, slots=True)
class Outcome:
    """All results of an event: first the outputs, then the changes of tables.

    ``rest`` continues a long outcome in parts, each decided some time after the part before, with
    other events in between; a part without outputs and puts only lets others go on. The parts take
    effect in the order in which they, and other outcomes, were decided. Long outcomes of the same
    ``line`` keep their order: the first is decided to its end before the next begins. After an
    ``awaited`` part the next is decided once all before are durable; in a pool, after each part.
    """

    sends: Iterable[Send] = ()
    puts: tuple[Put, ...] = ()
    line: str = ""
    rest: "Iterator[Outcome] | None" = None
    awaited: bool = False


_STOP = Outcome()
"""A part which only lets others go on: there are many, so a single object serves all."""


def in_parts(steps: Steps[T]) -> Generator[Outcome, None, T]:
    """Let other events have their turn between two steps of a computation."""
    while True:
        try:
            next(steps)
        except StopIteration as end:
            result: T = end.value
            return result
        yield _STOP


Publish = Callable[[Iterable[Send]], Awaitable[None]]
"""Publishes outputs and returns when the broker has acknowledged them all."""

Lookup = Callable[[str, bytes], bytes | None]
"""Reads a row of a table, by its name and key, in the event's partition."""


@dataclass(frozen=True, slots=True)
class Owned:
    """A partition assigned to a worker.

    ``done`` has the committed offset of each input topic: all events before are done. ``rows``
    iterates over a table, given its name, and holds its lock only for moments. ``ends`` has the
    offset after the last message of each input topic.
    """

    number: int
    done: Mapping[str, int]
    rows: Callable[[str], Iterator[tuple[bytes, bytes]]]
    ends: Mapping[str, int]
