"""The partitions of the rows of the agents' tables once there are more partitions."""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from schemas.codec import wire
from schemas.records.deliveries import Delivered, DeliveryFailed
from schemas.records.judgements import HeldJudgement
from schemas.records.pages import is_pages, request_key
from schemas.records.percolations import Interest, StoreQuery, TermFilter
from schemas.records.table_rows import Crawl, Queued, Registration
from streams.agents.deliver.outbox.recipients import DAY, Recipient
from streams.agents.match.patience.memory import WAITING
from streams.agents.match.register.memory import INTEREST, TERM_FILTER, filter_key, interest_key
from streams.agents.match.register.registrations import NOTIFIED
from streams.agents.ticker.agenda import THROUGH_KEY
from streams.matching.terms.interests import has_any
from streams.repartition.growth import Growth
from streams.repartition.interest_moves import divided_filter, divided_interest, divided_query

EARLIER = 2**52
"""More than any offset: a difference from an offset comes before all of a new partition, in the
same order. The subtraction can be done a thousand times."""


class PlacedRow(NamedTuple):
    """A row in its new partition; a row which ``is_spare`` replaces none there."""

    partition: int
    key: bytes
    value: bytes
    is_spare: bool = False


@dataclass(slots=True)
class TableContext:
    """Facts about the rest of a table's partition.

    ``done`` is the offset of the agent's committed notifications, ``end`` the next offset on the
    topic. ``roots`` are the documents of crawls by the ids of these.
    """

    done: int = 0
    roots: dict[str, str] = field(default_factory=dict)
    end: int = EARLIER

    def note(self, key: bytes, value: bytes) -> None:
        """Take in a row of the table of crawl."""
        if b"\0" not in key:
            self.roots[key.decode()] = wire.decode(value, Crawl).subscription.url


class RowBefore(NamedTuple):
    """A row before its move: its partition, and the state of its table there."""

    partition: int
    key: bytes
    value: bytes
    context: TableContext


Place = Callable[[RowBefore, Growth], Iterable[PlacedRow]]


def changed_rows(
    row: RowBefore, placed: Iterable[PlacedRow]
) -> tuple[list[PlacedRow], bytes | None]:
    """Return the copies in other partitions, and the rest in the old partition; None: nothing."""
    copies, stays = [], None
    for each in placed:
        if (each.partition, each.key) == (row.partition, row.key):
            stays = each.value
        else:
            copies.append(each)
    return copies, stays


def _to(row: RowBefore, *partitions: int) -> list[PlacedRow]:
    return [PlacedRow(each, row.key, row.value) for each in partitions]


def _everywhere(row: RowBefore, growth: Growth) -> list[PlacedRow]:
    """Copy a row without an owner's key: elsewhere nobody looks for the row, which expires."""
    return _to(row, *growth.children(row.partition))


def _watch(row: RowBefore, growth: Growth) -> list[PlacedRow]:
    if row.key == THROUGH_KEY:
        return _everywhere(row, growth)
    return _to(row, growth.place(row.partition, row.key.decode()))


def _registered(row: RowBefore, growth: Growth) -> Iterable[PlacedRow]:
    if row.key.startswith(INTEREST):
        return _interest(row, growth)
    if row.key.startswith(TERM_FILTER):
        parts = divided_filter(wire.decode(row.value, TermFilter), growth)
        return [
            PlacedRow(child, filter_key(each), wire.encode(each))
            for each in parts
            for child in growth.children(row.partition)
        ]
    if row.key.startswith(NOTIFIED):
        url = row.key.removeprefix(NOTIFIED).decode()
    elif row.key.startswith(WAITING):
        url = json.loads(row.key.removeprefix(WAITING))[0]
    else:
        url = row.key.partition(b"\0")[0].decode()
        if is_pages(url):
            return _registration_of_pages(row, growth)
    return _to(row, growth.place(row.partition, url))


def _registration_of_pages(row: RowBefore, growth: Growth) -> list[PlacedRow]:
    registration = wire.decode(row.value, Registration)
    subscription = registration.subscription
    if subscription is None and registration.ending is not None:
        subscription = registration.ending.subscription
    if subscription is None:  # it has ended, and is forgotten after a day
        return _everywhere(row, growth)
    key = request_key(subscription.url, subscription.manager, subscription.receiver)
    return _to(row, growth.place(row.partition, key))


def _interest(row: RowBefore, growth: Growth) -> Iterator[PlacedRow]:
    for each in divided_interest(wire.decode(row.value, Interest), growth):
        if has_any(each):
            key, value = interest_key(each), wire.encode(each)
            # An interrupted attempt may have put there what has words.
            is_spare = not (each.terms or each.everything)
            for child in growth.children(row.partition):
                yield PlacedRow(child, key, value, is_spare)


def _query(row: RowBefore, growth: Growth) -> Iterator[PlacedRow]:
    query = wire.decode(row.value, StoreQuery)
    for child, part in divided_query(query, row.partition, growth):
        if isinstance(part, StoreQuery):
            # An interrupted attempt may have put there what has words.
            is_spare = not (part.terms or part.everything)
            yield PlacedRow(child, row.key, wire.encode(part), is_spare)


def _queued(row: RowBefore, growth: Growth) -> list[PlacedRow]:
    queued = wire.decode(row.value, Queued)
    is_of_former_log = queued.place >= row.context.end  # the topic was created again since
    if queued.place >= row.context.done and queued.redelivery is None and not is_of_former_log:
        return []  # its notification is not done: it is copied, and handled again
    child = growth.place(row.partition, queued.notification.receiver.name)
    if child == row.partition and not is_of_former_log:
        return _to(row, child)
    moved = replace(queued, place=queued.place - EARLIER * (1 + is_of_former_log))
    return [PlacedRow(child, row.key, wire.encode(moved))]


def _ended(row: RowBefore, growth: Growth) -> list[PlacedRow]:
    fact: Delivered | DeliveryFailed = wire.decode(row.value, Delivered, DeliveryFailed)
    return _to(row, growth.place(row.partition, fact.client_url))


def _receiver(row: RowBefore, growth: Growth) -> list[PlacedRow]:
    if row.key.startswith(DAY.encode()):
        return _everywhere(row, growth)
    return _to(row, growth.place(row.partition, Recipient.of_key(row.key).client_url))


def _held(row: RowBefore, growth: Growth) -> list[PlacedRow]:
    held = wire.decode(row.value, HeldJudgement)
    child = growth.place(row.partition, held.command.url)
    if child == row.partition:
        return _to(row, child)
    return [PlacedRow(child, row.key, wire.encode(replace(held, place=held.place - EARLIER)))]


def _crawled(row: RowBefore, growth: Growth) -> list[PlacedRow]:
    root = row.context.roots.get(row.key.partition(b"\0")[0].decode())
    return _to(row, row.partition if root is None else growth.place(row.partition, root))


PLACES: Mapping[str, Place] = {
    "watches": _watch,
    "subscriptions": _registered,
    "queries": _query,
    "outbox": _queued,
    "delivered": _ended,
    "receivers": _receiver,
    "grants": _everywhere,
    "decided": _everywhere,
    "answers": _everywhere,
    "uses": _everywhere,
    "held": _held,
    "pages": _crawled,
}
"""The new partitions of the rows of each table, by its name."""
