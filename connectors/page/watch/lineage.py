"""Where a change comes from: its visit, and the snapshots before and after it."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from connectors.page.watch.timeline import Arrival, arrival_of
from connectors.reads.snapshots_around import Loaded, SnapshotsAround, utf8
from connectors.stores.pages import ListedSubscription
from schemas.codec.times import rfc3339
from schemas.records.changes import DocumentChanged


@dataclass(frozen=True, slots=True)
class ShownSnapshot:
    """A snapshot: from when it was current, its size, and the SHA-256 of its text in UTF-8."""

    at: str
    characters: int
    sha256: str


@dataclass(frozen=True, slots=True)
class Lineage:
    """A change with its visit and its snapshots; those that are not kept any more are None."""

    change: str
    slot: str
    part: int
    view: str
    body_sha256: str
    before: ShownSnapshot | None
    after: ShownSnapshot | None


@dataclass(frozen=True, slots=True)
class Notified:
    """A subscription that a change concerns, and what became of its notification."""

    subscription: str
    client: str
    notification: str
    arrival: Arrival
    is_this: bool


def lineage_of(fact: Any, around: SnapshotsAround) -> Lineage:
    """Return the lineage of a fact of ``changes``."""
    is_change = isinstance(fact, DocumentChanged)
    return Lineage(
        change=fact.id,
        slot=rfc3339(fact.slot),
        part=fact.part + 1 if is_change else 0,
        view=fact.view,
        body_sha256=fact.body_sha256 if is_change else "",
        before=_shown(around.before),
        after=_shown(around.after),
    )


def _shown(found: Loaded) -> ShownSnapshot | None:
    if found is None:
        return None
    snapshot, text = found
    return ShownSnapshot(rfc3339(snapshot.at), len(text), sha256(utf8(text)).hexdigest())


def notified_of(
    known: Sequence[ListedSubscription],
    ids: Sequence[str],
    notified: Collection[Any],
    deliveries: Collection[Any],
    this: str,
) -> list[Notified]:
    """Return the subscriptions that were notified, and ``this`` one (its id), first.

    ``ids`` are those of their notifications, in the same order.
    """
    there = {fact.id for fact in notified}
    outcomes = {fact.notification: fact for fact in deliveries}
    found = []
    for listed, name in zip(known, ids, strict=True):
        subscription = listed.subscription
        arrival = arrival_of(name, there, outcomes)
        if arrival.text or subscription.id == this:
            client = subscription.receiver.name
            is_this = subscription.id == this
            found.append(Notified(subscription.id, client, name, arrival, is_this))
    return sorted(found, key=lambda each: not each.is_this)
