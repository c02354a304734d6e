"""Read a kept body as a visit reads a page: the part that may be hard work."""

from dataclasses import replace
from hashlib import sha256

from schemas.records.answers import Response
from schemas.records.documents import Document
from streams.agents.fetch.differences import edits_in, shown_difference
from streams.agents.fetch.examining import Read
from streams.agents.fetch.fetched_page import unpacked_body
from streams.agents.history.kept_pages import changes_to, state_after
from streams.agents.history.reprocess_effects import Reread, Rereading


def read_again(reader: Read, work: Rereading) -> Reread:
    """Read the body of a snapshot, and compare the text with the one that is kept."""
    # A worker hands documents to other processes, so it can do without numpy: 20 MB.
    from streams.diff.regions import changed_regions  # noqa: PLC0415

    assert work.snapshot.body is not None
    kept = unpacked_body(work.snapshot.body)
    after = _state(reader, work, kept)
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


def _state(reader: Read, work: Rereading, kept: Response) -> Document | Exception:
    after = state_after(reader, kept, work.before, work.due)
    if isinstance(after, Document) and after.held:
        # It was believed: another visit had found it, too.
        after = state_after(reader, kept, after, work.due)
    return after
