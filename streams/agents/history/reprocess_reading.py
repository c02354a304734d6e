"""Read a kept body as a visit reads a page: the part that may be hard work."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from hashlib import sha256

from schemas.codec import wire
from schemas.codec.versions import KINDS
from schemas.records.answers import Response
from schemas.records.changes import DocumentChanged, Region
from schemas.records.documents import Document
from streams.agents.fetch.due_view import DueView
from streams.agents.fetch.examining import Read, examine
from streams.agents.fetch.fetched_page import FetchedPage, unpacked_body
from streams.agents.history.reprocess_effects import Reread, Rereading

MAX_SHOWN = 2_000
"""Characters of what is shown."""


def read_again(reader: Read, work: Rereading) -> Reread:
    """Read the body of a snapshot, and compare the text with the one that is kept."""
    # A worker hands documents to other processes, so it can do without numpy: 20 MB.
    from streams.diff.regions import changed_regions  # noqa: PLC0415

    assert work.snapshot.body is not None
    kept = unpacked_body(work.snapshot.body)
    after = state_after(reader, kept, work.before, work.due)
    if isinstance(after, Document) and after.held:
        # It was believed: another visit had found it, too.
        after = state_after(reader, kept, after, work.due)
    digest = sha256(kept.body).hexdigest()
    if isinstance(after, Exception):
        return Reread(None, str(after), digest)
    regions = changed_regions(work.snapshot.text, after.text or "")
    return Reread(
        after=replace(after, unpublished=(), body=None),
        body_sha256=digest,
        edits=edits_in(regions),
        difference=shown_difference(regions),
        changes=changes_to(after),
    )


def shown_difference(regions: Iterable[Region]) -> str:
    """Return the lines that one text has (-) and the other has in their place (+), the first.

    What only moved is not shown.
    """
    lines, size = [], 0
    for line in _lines(regions):
        size += len(line) + 1
        if size > MAX_SHOWN:
            lines.append("…")
            break
        lines.append(line)
    return "\n".join(lines)


def edits_in(regions: Iterable[Region]) -> int:
    """Count the sentences and lines that differ."""
    return sum(len(region.edits) for region in regions)


def _lines(regions: Iterable[Region]) -> Iterator[str]:
    edits = ((region, edit) for region in regions for edit in region.edits)
    for region, edit in edits:
        sides = ("-", region.removed, edit.removed), ("+", region.added, edit.added)
        for sign, place, sentence in sides if edit.change != "moved" else ():
            if place is not None and sentence is not None:
                text = " ".join(place.text[sentence.start : sentence.end].split())
                yield f"{sign} {text[: MAX_SHOWN // 4]}"


def state_after(
    reader: Read, response: Response, before: Document | None, due: DueView
) -> Document | Exception:
    """Return the state after a visit that found this page, or why it cannot be read."""
    (after,) = examine(reader, [(before, due)], FetchedPage(response, b"", due.slot))
    return after


def changes_to(after: Document) -> tuple[DocumentChanged, ...]:
    """Return the changes that led to a state."""
    facts = (wire.decode(fact, *KINDS) for fact in after.unpublished)
    return tuple(fact for fact in facts if isinstance(fact, DocumentChanged))
