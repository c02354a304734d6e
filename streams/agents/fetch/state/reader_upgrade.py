"""What a page is compared with that another reader, or another version of it, has read before.

Texts of two readers differ where the page does not: their difference is no change of the page.
"""

from dataclasses import replace

from schemas.records.documents import Document


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
