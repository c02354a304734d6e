"""Texts that may say nothing of their page: of another reader, or with nearly all of it gone.

Texts of two readers differ where the page does not: their difference is no change of the page.
A page of which nearly all is gone is not believed before the next visit finds it so, too.

A server that fails halfway delivers an empty body, or a page without its contents, with status
200; its subscribers would be notified that all was removed, and a little later that all came.
"""

from dataclasses import replace

from schemas.records.documents import Document
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


def is_of_another_reader(before: Document | None, reader: str) -> bool:
    """Return whether the last text of a view was read by another reader than this one."""
    return before is not None and before.text is not None and before.reader != reader


def state_as_read_again(before: Document, text: str, reader: str, at: int) -> Document:
    """Return a state as another reader reads the same page ``at`` a time (epoch ms).

    Another text begins a snapshot, so that the earlier one goes to the history.

    >>> before = Document("u", "w", 1, text="Zeus", read_at=1, reader="html 1")
    >>> after = state_as_read_again(before, "Zeus!", "html 2", 9)
    >>> after.text, after.read_at, after.reader
    ('Zeus!', 9, 'html 2')
    """
    if text == before.text:
        return replace(before, reader=reader)
    return replace(before, text=text, reader=reader, read_at=at)
