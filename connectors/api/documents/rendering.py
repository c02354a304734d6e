"""Documents, snapshots and differences as the API shows them."""

from collections.abc import Iterator
from typing import Any

from connectors.api.times import rfc3339
from schemas.changes import DocumentChanged, Passage
from schemas.documents import Snapshot


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


def differences_json(change: DocumentChanged) -> Iterator[dict[str, Any]]:
    """Yield the passages that a change removed and added."""
    for number, hunk in enumerate(change.hunks):
        where = {"change": change.id, "hunk": number}
        if hunk.removed is not None:
            yield {**where, "event": "removed", **_passage(hunk.removed)}
        if hunk.added is not None:
            yield {**where, "event": "added", **_passage(hunk.added)}


def _passage(passage: Passage) -> dict[str, Any]:
    end = passage.start + len(passage.text)
    return {"text": passage.text, "start": passage.start, "end": end}
