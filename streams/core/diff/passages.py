"""Finds what differs between two snapshots of a document, by words."""

from schemas.changes import MAX_CONTEXT, Hunk, Passage
from streams.core.diff.cleanup import merge_close_edits
from streams.core.diff.comparison import text_edits


def hunks(old: str, new: str) -> tuple[Hunk, ...]:
    """Compare two snapshots, and return what changed, in document order.

    Texts are compared by units (``text/tokens.py``), so no passage cuts a word, and white
    space alone is no change. The text of a passage is an exact slice of its snapshot::

        (hunk,) = hunks("The giant sleeps.", "The giant wakes.")
        hunk.removed.text, hunk.added.text, hunk.added.before  # "sleeps", "wakes", "The giant "

    Snapshots must be in NFKC and without NUL, which rapidfuzz takes for an empty piece.
    Texts that are too large to be aligned in bounded time have fewer and larger hunks.
    """
    if old == new:
        return ()
    return tuple(
        Hunk(_passage(old, a, b), _passage(new, c, d))
        for a, b, c, d, _, _ in merge_close_edits(old, text_edits(old, new))
    )


def _passage(text: str, start: int, end: int) -> Passage | None:
    """Cut out a passage without the white space around it; None if nothing is left."""
    words = text[start:end].strip()
    if not words:
        return None
    if len(words) < end - start:
        start = text.index(words, start)
        end = start + len(words)
    before = start - MAX_CONTEXT if start > MAX_CONTEXT else 0
    return Passage(words, start, text[before:start], text[end : end + MAX_CONTEXT])
