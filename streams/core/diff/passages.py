"""What differs between two snapshots of a document, by words."""

from schemas.facts import Hunk, Passage
from streams.core.diff.cleanup import merge_close_edits
from streams.core.diff.comparison import changes

CONTEXT = 200
"""Characters of context on each side of a passage."""


def hunks(old: str, new: str) -> tuple[Hunk, ...]:
    """Compare two snapshots and give what changed, in document order.

    Units are whole words and single other characters (``tokens``), so no passage
    cuts a word; white space alone is no change. ``text`` is an exact slice of its
    snapshot, which the reader has brought into NFKC and freed of NUL (rapidfuzz takes
    it for an empty piece). Texts too large to be aligned
    within bounded time give fewer and larger hunks.
    """
    if old == new:
        return ()
    return tuple(
        Hunk(_passage(old, a, b), _passage(new, c, d))
        for a, b, c, d, _, _ in merge_close_edits(old, changes(old, new))
    )


def _passage(text: str, start: int, end: int) -> Passage | None:
    """Cut out a passage without the white space around it, None if nothing is left."""
    words = text[start:end].strip()
    if not words:
        return None
    if len(words) < end - start:
        start = text.index(words, start)
        end = start + len(words)
    before = start - CONTEXT if start > CONTEXT else 0
    return Passage(words, start, text[before:start], text[end : end + CONTEXT])
