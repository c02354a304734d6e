"""What stages take and give: events in, outputs and table puts out."""

from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from schemas.versions import Record


@dataclass(frozen=True, slots=True)
class Event:
    """One decoded message; ``topic`` without its prefix, ``timestamp`` in epoch ms."""

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
    """One output; without a ``partition`` it goes where its ``key`` belongs.

    A ``key`` or ``record`` of bytes goes out as it is.
    """

    topic: str
    key: str | bytes | None
    record: Record | bytes | None
    partition: int | None = None
    headers: tuple[tuple[str, bytes], ...] = ()


@dataclass(frozen=True, slots=True)
class Put:
    """One change of a table in the event's partition; None deletes.

    Without a ``table`` it is the stage's only or first one.
    """

    key: bytes
    record: Record | None
    table: str = ""


@dataclass(frozen=True, slots=True)
class Outcome:
    """All that handling one event brings about: outputs first, tables second.

    Outcomes of one ``line`` keep their order. Where ``sends`` is an iterator, without
    puts, other lines need not wait until it is through; it must not depend on anything
    that changes meanwhile.
    """

    sends: Iterable[Send] = ()
    puts: tuple[Put, ...] = ()
    line: str = ""

    @property
    def is_long(self) -> bool:
        """Whether its sends are made one by one while they are sent."""
        return isinstance(self.sends, Iterator)


Publish = Callable[[Iterable[Send]], Awaitable[None]]
"""Publishes outputs and returns when the broker has acknowledged them all."""

Lookup = Callable[[str, bytes], bytes | None]
"""Reads a row of a table, by its name and key, in the event's partition."""


@dataclass(frozen=True, slots=True)
class Owned:
    """A partition that a worker takes up.

    ``done`` has each input topic's committed offset: all before it is done.
    ``rows`` goes through a table, by its name; take its lock only for moments.
    """

    number: int
    done: Mapping[str, int]
    rows: Callable[[str], Iterator[tuple[bytes, bytes]]]
