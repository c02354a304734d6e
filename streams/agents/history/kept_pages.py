"""A page from the store or an archive, read as a visit reads one."""

from schemas.codec import wire
from schemas.codec.versions import KINDS
from schemas.records.answers import Response
from schemas.records.changes import DocumentChanged
from schemas.records.documents import Document
from streams.agents.fetch.due_view import DueView
from streams.agents.fetch.examining import Read, examine
from streams.agents.fetch.fetched_page import FetchedPage


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
