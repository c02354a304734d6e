"""The new partitions of waiting messages."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from itertools import product, starmap
from typing import Any, NamedTuple

from schemas.codec.versions import Record
from schemas.records.fetches import Due, FetchDue, Forget
from schemas.records.percolations import DropQuery, Interest, Percolate, StoreQuery, TermFilter
from schemas.records.urls import host
from schemas.records.watches import WatchesStated
from streams.repartition.growth import Growth
from streams.repartition.interest_moves import divided_filter, divided_interest, divided_query


class PlacedMessage(NamedTuple):
    """The copy of a message; without a ``record`` the bytes are the original's."""

    partition: int
    record: Record | None = None


def placed_messages(
    partition: int, key: bytes | None, fact: Any, growth: Growth
) -> Iterator[PlacedMessage]:
    """Yield the copies of a message.

    ``fact`` need only be decoded if there is no ``key``.

    A message for a partition, by its number and without a key, is divided.
    """
    if key is not None:
        yield PlacedMessage(growth.place(partition, key.decode(errors="replace")))
        return
    divide = _DIVIDED.get(type(fact))
    yield from divide(fact, partition, growth) if divide else [PlacedMessage(partition)]


def _due(fact: FetchDue, partition: int, growth: Growth) -> Iterator[PlacedMessage]:
    parts = defaultdict[int, list[Due]](list)
    for each in fact.due:
        parts[growth.place(partition, host(each.url))].append(each)
    for child, part in parts.items():
        yield PlacedMessage(child, FetchDue(tuple(part)))


def _to_all(_: Any, partition: int, growth: Growth) -> Iterator[PlacedMessage]:
    return map(PlacedMessage, growth.children(partition))


def _parts_to_all(
    divide: Callable[[Any, Growth], Iterable[Record]],
    fact: Any,
    partition: int,
    growth: Growth,
) -> Iterator[PlacedMessage]:
    return starmap(PlacedMessage, product(growth.children(partition), divide(fact, growth)))


def _stated(fact: WatchesStated, partition: int, growth: Growth) -> Iterator[PlacedMessage]:
    for child in growth.children(partition):
        own = tuple(each for each in fact.watches if growth.place(partition, each.url) == child)
        yield PlacedMessage(child, replace(fact, watches=own))


_DIVIDED: Mapping[type, Callable[[Any, int, Growth], Iterator[PlacedMessage]]] = {
    FetchDue: _due,
    Forget: lambda fact, at, growth: iter([PlacedMessage(growth.place(at, host(fact.url)))]),
    StoreQuery: lambda fact, at, growth: starmap(PlacedMessage, divided_query(fact, at, growth)),
    DropQuery: _to_all,
    Percolate: _to_all,
    Interest: partial(_parts_to_all, divided_interest),
    TermFilter: partial(_parts_to_all, divided_filter),
    WatchesStated: _stated,
}
