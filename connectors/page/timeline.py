"""What has happened to a document, as people are shown it."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Any

from schemas.changes import DocumentChanged, Edit, Region
from schemas.deliveries import Delivered, DeliveryFailed
from schemas.display.entries import REMARKS, Lines
from schemas.display.returns import returned_text
from schemas.display.runs import Run, RunKind, line_of
from schemas.display.sentences import edited_lines
from schemas.display.shortening import MAX_LINE, shortened
from schemas.failures import DocumentFailing, DocumentRecovered, DocumentUnreachable
from schemas.losses import LoginFound, LoginLost, SelectionFound, SelectionLost
from schemas.times import rfc3339

MAX_EDITS = 20
"""Sentences of a change that are shown."""
_EVENTS: dict[type[Any], str] = {
    DocumentUnreachable: "Given up",
    DocumentFailing: "Cannot be read",
    DocumentRecovered: "Can be read again",
    SelectionLost: "The selected part is lost",
    SelectionFound: "The selected part is found again",
    LoginLost: "The page asks for a login",
    LoginFound: "The login is accepted again",
}


@dataclass(frozen=True, slots=True)
class ShownEdit:
    """A sentence that changed: how, below which headings, and in which words."""

    kind: str
    remark: str
    headings: tuple[str, ...]
    lines: Lines


@dataclass(frozen=True, slots=True)
class ShownChange:
    """An entry of a timeline; ``more`` counts the edits that are not shown.

    ``arrival`` is what became of the subscription's notification, empty if there was none.
    """

    at: str
    title: str
    detail: str
    edits: tuple[ShownEdit, ...]
    more: int
    arrival: str
    is_lost: bool


def shown_change(
    fact: Any, notification: str, notified: set[str], deliveries: Mapping[str, Any]
) -> ShownChange:
    """Return a change as an entry; ``notification`` is the id that one of it has.

    ``notified`` are the ids of notifications there were, ``deliveries`` what became of them.
    """
    delivery = deliveries.get(notification)
    arrival = _arrival(delivery) if delivery else ""
    if not delivery and notification in notified:
        arrival = "Notified"
    is_lost = isinstance(delivery, DeliveryFailed)
    at = rfc3339(fact.at)
    if not isinstance(fact, DocumentChanged):
        title, detail = _EVENTS.get(type(fact), "Noted"), getattr(fact, "reason", "")
        return ShownChange(at, title, detail, (), 0, arrival, is_lost)
    edits = tuple(islice(_edits(fact), MAX_EDITS))
    count = sum(len(region.edits) for region in fact.regions)
    detail = returned_text(fact.returned) if fact.returned else ""
    title = f"{count} {'sentence' if count == 1 else 'sentences'} changed"
    return ShownChange(at, title, detail, edits, count - len(edits), arrival, is_lost)


def _arrival(delivery: Delivered | DeliveryFailed) -> str:
    times = f"after {delivery.attempts} attempts" if delivery.attempts > 1 else "at once"
    if isinstance(delivery, Delivered):
        return f"Arrived {times} (HTTP {delivery.status})"
    return f"Not delivered: {delivery.reason}"


def _edits(change: DocumentChanged) -> Iterator[ShownEdit]:
    for region in change.regions:
        for edit in region.edits:
            remark = REMARKS.get(edit.noise, "")
            yield ShownEdit(edit.change, remark, region.headings, _lines(region, edit))


def _lines(region: Region, edit: Edit) -> Lines:
    before, after = _side(region, edit, "removed"), _side(region, edit, "added")
    if edit.change == "edited":
        return edited_lines(before, after)
    kinds: dict[str, RunKind] = {"added": "added", "removed": "removed"}
    text = Run((after or before).strip(), kinds.get(edit.change, "same"))
    return (shortened(line_of([text]), 3 * MAX_LINE),)


def _side(region: Region, edit: Edit, side: str) -> str:
    place, sentence = getattr(region, side), getattr(edit, side)
    if place is None or sentence is None:
        return ""
    text: str = place.text[sentence.start : sentence.end]
    return text
