"""Changes as rows of a table: a row for each changed sentence."""

from collections.abc import Iterator
from typing import Any, TypedDict

from schemas.records.changes import Change, DocumentChanged, Place, Sentence
from schemas.records.statuses import STATUSES


class HistoryRow(TypedDict):
    """A changed sentence, or a page unreadable or without its part.

    ``at`` is epoch ms. ``before`` and ``after`` are the former and the present sentence; absent
    sides are None. ``body_sha256`` is the hash of the received bytes.
    """

    url: str
    view: str
    change: str
    at: int
    status: str
    title: str | None
    content_type: str | None
    language: str | None
    kind: str | None
    before: str | None
    after: str | None
    headings: list[str]
    noise: str | None
    returned_since: int | None
    returned_times: int | None
    body_sha256: str | None
    reason: str | None


def rows_of(fact: Change) -> Iterator[HistoryRow]:
    """Yield the rows of a fact of ``changes``."""
    row = HistoryRow(
        url=fact.url,
        view=fact.view,
        change=fact.id,
        at=fact.at,
        status="ok" if isinstance(fact, DocumentChanged) else STATUSES[type(fact)],
        title=None,
        content_type=None,
        language=None,
        kind=None,
        before=None,
        after=None,
        headings=[],
        noise=None,
        returned_since=None,
        returned_times=None,
        body_sha256=None,
        reason=getattr(fact, "reason", None),
    )
    if not isinstance(fact, DocumentChanged):
        yield row
        return
    row["title"] = fact.title or None
    row["content_type"] = fact.content_type or None
    row["language"] = fact.language
    row["body_sha256"] = fact.body_sha256 or None
    if fact.returned is not None:
        row["returned_since"], row["returned_times"] = fact.returned.since, fact.returned.times
    for region in fact.regions:
        for edit in region.edits:
            sides: Any = {
                "kind": edit.change,
                "before": _text(region.removed, edit.removed),
                "after": _text(region.added, edit.added),
                "noise": edit.noise or None,
            }
            yield HistoryRow(**{**row, **sides, "headings": list(region.headings)})


def _text(place: Place | None, sentence: Sentence | None) -> str | None:
    if place is None or sentence is None:
        return None
    return place.text[sentence.start : sentence.end]
