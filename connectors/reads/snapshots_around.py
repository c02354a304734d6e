"""The snapshots that a change came between."""

from dataclasses import dataclass
from typing import Any

from connectors.stores.ports import TextReader
from schemas.records.changes import DocumentChanged
from schemas.records.documents import Snapshot
from schemas.records.subscriptions import Subscription

Loaded = tuple[Snapshot, str] | None
"""A snapshot with its text, if it is kept."""


@dataclass(frozen=True, slots=True)
class SnapshotsAround:
    """What a document was before a change and after it; None if that is not kept any more."""

    before: Loaded = None
    after: Loaded = None


async def load_snapshots_around(
    texts: TextReader, subscription: Subscription, fact: Any
) -> SnapshotsAround:
    """Load the snapshots around a fact of ``changes``, in the view of a subscription.

    A snapshot of another time is none of its: those in between are not kept any more.
    """
    if not isinstance(fact, DocumentChanged):
        return SnapshotsAround()
    asked = subscription.manager, fact.url
    before = await texts.snapshot(*asked, fact.at - 1, subscription.id)
    after = await texts.snapshot(*asked, fact.at, subscription.id)
    return SnapshotsAround(
        before=before if before and before[0].until == fact.at else None,
        after=after if after and after[0].at == fact.at else None,
    )


def utf8(text: str) -> bytes:
    """Encode a text as its SHA-256 is computed: a surrogate by itself, as in JSON, too."""
    return text.encode("utf-8", "surrogatepass")
