"""Documents, snapshots and differences as the API shows them."""

from collections.abc import Iterator
from typing import Any

from schemas.codec.times import rfc3339
from schemas.records.changes import DocumentChanged, Place, Sentence
from schemas.records.documents import Snapshot
from schemas.records.numbers import NumberPoint


def document_json(item: tuple[str, Snapshot | None]) -> dict[str, Any]:
    """Return a document's URL and its current snapshot, if it has one."""
    url, snapshot = item
    return {"url": url, "snapshot": None if snapshot is None else snapshot_json(snapshot)}


def snapshot_json(snapshot: Snapshot) -> dict[str, Any]:
    """Return a snapshot without its text."""
    return {
        "url": snapshot.url,
        "at": rfc3339(snapshot.at),
        "until": None if snapshot.until is None else rfc3339(snapshot.until),
        "documentContentType": snapshot.content_type,
        "language": snapshot.language,
    }


def point_json(point: NumberPoint) -> dict[str, Any]:
    """Return a point of a series; a value is a text, as JSON's numbers are often floats.

    >>> point_json(NumberPoint(0, "19.90", "EUR"))
    {'at': '1970-01-01T00:00:00.000Z', 'value': '19.90', 'unit': 'EUR'}
    """
    return {"at": rfc3339(point.at), "value": point.value, "unit": point.unit}


def differences_json(change: DocumentChanged) -> Iterator[dict[str, Any]]:
    """Yield the sentences that a change removed and added; an edited one has both sides."""
    for region in change.regions:
        for edit in region.edits:
            sides = ("removed", region.removed, edit.removed), ("added", region.added, edit.added)
            for event, place, sentence in sides:
                if place is not None and sentence is not None:
                    where = {"change": change.id, "event": event, "kind": edit.change}
                    yield {**where, **_sentence(place, sentence), "headings": region.headings}


def _sentence(place: Place, sentence: Sentence) -> dict[str, Any]:
    start = place.start + sentence.start
    words = [[place.start + run.start, place.start + run.end] for run in sentence.changed]
    text = place.text[sentence.start : sentence.end]
    return {"text": text, "start": start, "end": start + len(text), "changed": words}
