"""A page of which nearly all is gone is not believed before the next visit finds it so, too.

A server that fails halfway delivers an empty body, or a page without its contents, with status
200; its subscribers would be notified that all was removed, and a little later that all came.
"""

from dataclasses import replace

from schemas.records.documents import Document
from streams.agents.fetch.due_view import DueView
from streams.agents.fetch.state.failures import recovery
from streams.agents.fetch.state.recurring_texts import text_hash

LEAST = 200
"""Characters of a text that may shrink too much to be believed; to nothing any may."""
SHARE = 20
"""A text shrinks too much if less than this part of it is left: one in so many characters."""


def is_held(before: Document, text: str) -> bool:
    """Return whether a text is so much shorter than the last that it has to be read once more.

    >>> is_held(Document("", "", 1, text="Zeus"), "")
    True
    """
    if not before.text:
        return False
    has_shrunk = len(before.text) >= LEAST and len(text) * SHARE <= len(before.text)
    # Last, for it takes long: of a hundred pages none has shrunk.
    return (has_shrunk or not text.strip()) and text_hash(text) != before.held


def state_after_holding(before: Document, due: DueView, held: bytes, at: int) -> Document:
    """Compute the state after a text with this hash was not believed: all else stays."""
    return replace(
        before,
        slot=due.slot,
        version=due.slot,
        failures=0,
        last_error=None,
        held=held,
        unpublished=recovery(before, due, at),
    )
