"""Which part of a passage a client is shown, and how much of what is around it."""

from schemas.changes import MAX_CONTEXT, Passage
from streams.core.text.tokens import PART, PARTIAL_WORD, UNIT

MAX_TEXT = 4_000
"""Characters of a passage beyond which it is cut."""

_GAP = "..."


def excerpt(text: str, around: tuple[int, int]) -> tuple[int, int]:
    """Return start and end of at most MAX_TEXT characters around a span of a passage's text.

    Cuts are between words. If the span itself is longer, its end is cut, but never its
    first word, however long that is.
    """
    if len(text) <= MAX_TEXT:
        return 0, len(text)
    start, end = around
    spare = max(0, MAX_TEXT - (end - start))
    low = max(0, min(start - spare // 2, len(text) - MAX_TEXT))
    end = _last_cut(text, _end_of_unit(text, start), low + MAX_TEXT)
    return min(start, _first_cut(text, low)), end


def snippet(passage: Passage, start: int, end: int, offset: int) -> str:
    """Return ``passage.text[start:end]`` with ``offset`` characters of context on each side.

    Context is cut between words, and ``...`` stands where text was left out::

        snippet(Passage("Argus", 0, "", " has a hundred eyes."), 0, 5, 7)  # "Argus has a ..."
    """
    # Of a passage of megabytes, only what is close by is copied.
    before = (passage.before + passage.text[max(0, start - MAX_CONTEXT) : start])[-MAX_CONTEXT:]
    after = (passage.text[end : end + MAX_CONTEXT] + passage.after)[:MAX_CONTEXT]
    left = _left(before, offset, is_cut=passage.start + start > len(before))
    return left + passage.text[start:end] + _right(after, offset, is_cut=len(after) == MAX_CONTEXT)


def _left(context: str, offset: int, *, is_cut: bool) -> str:
    """Return the end of the text before; ``is_cut`` says that it may begin within a word."""
    low = max(len(context) - offset, _partial(context) if is_cut else 0)
    starts = (unit.start() for unit in UNIT.finditer(context))
    kept = next((start for start in starts if start >= low), len(context))
    has_gap = is_cut or bool(context[:kept].strip())
    return f"{_GAP} {context[kept:]}" if has_gap else context[kept:]


def _right(context: str, offset: int, *, is_cut: bool) -> str:
    """Return the start of the text after; ``is_cut`` says that it may end within a word."""
    high = min(offset, len(context) - _partial_end(context) if is_cut else len(context))
    ends = (unit.end() for unit in UNIT.finditer(context))
    kept = max((end for end in ends if end <= high), default=0)
    has_gap = is_cut or bool(context[kept:].strip())
    return f"{context[:kept]} {_GAP}" if has_gap else context[:kept]


def _partial(text: str) -> int:
    """Count the characters at the start that may belong to a word that began before."""
    return next(PARTIAL_WORD.finditer(text)).end()


def _partial_end(text: str) -> int:
    """Count the characters at the end that may go on in what follows."""
    partial = _partial(text[::-1])
    # Marks that follow would belong to the character before them, too.
    return min(len(text), partial + (not text[: len(text) - partial][-1:].isspace()))


def _first_cut(text: str, low: int) -> int:
    """Return the start of the first whole word from ``low`` on."""
    if low and not text[low - 1].isspace():
        low += _partial(text[low : low + MAX_TEXT])
    near = text[low : low + MAX_TEXT]
    return low + len(near) - len(near.lstrip())


def _last_cut(text: str, floor: int, high: int) -> int:
    """Return the end of the last whole word before ``high``, but not less than ``floor``."""
    kept = text[floor:high]
    if high < len(text) and not text[high].isspace():
        kept = kept[: len(kept) - _partial_end(kept)]
    return floor + len(kept.rstrip())


def _end_of_unit(text: str, start: int) -> int:
    return next(UNIT.finditer(text, start, start + PART)).end()
