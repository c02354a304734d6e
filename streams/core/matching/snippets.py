"""Which part of a passage a client is shown, and what around it."""

from schemas.facts import Passage
from streams.core.diff.passages import CONTEXT
from streams.core.text.tokens import TORN, UNIT

MAX_TEXT = 4_000
"""Characters of a passage beyond which it is cut."""

_GAP = "..."


def excerpt(text: str, around: tuple[int, int]) -> tuple[int, int]:
    """Give start and end of at most MAX_TEXT characters around a span of a passage's text.

    Cut at words; of a span that is longer itself its end is cut, but never its first
    word, however long that is.
    """
    if len(text) <= MAX_TEXT:
        return 0, len(text)
    start, end = around
    spare = max(0, MAX_TEXT - (end - start))
    low = max(0, min(start - spare // 2, len(text) - MAX_TEXT))
    return min(start, _forward(text, low)), _back(text, _end_of_unit(text, start), low + MAX_TEXT)


def snippet(passage: Passage, start: int, end: int, offset: int) -> str:
    """Show ``passage.text[start:end]`` with ``offset`` characters of context on each side.

    Context is cut at words; ``...`` stands where text was left out.
    """
    before = (passage.before + passage.text[:start])[-CONTEXT:]
    after = (passage.text[end:] + passage.after)[:CONTEXT]
    left = _left(before, offset, more=passage.start + start > len(before))
    return left + passage.text[start:end] + _right(after, offset, more=len(after) == CONTEXT)


def _left(context: str, offset: int, *, more: bool) -> str:
    low = max(len(context) - offset, _torn(context) if more else 0)
    starts = (unit.start() for unit in UNIT.finditer(context))
    kept = next((start for start in starts if start >= low), len(context))
    cut = more or bool(context[:kept].strip())
    return f"{_GAP} {context[kept:]}" if cut else context[kept:]


def _right(context: str, offset: int, *, more: bool) -> str:
    high = min(offset, len(context) - _torn_end(context) if more else len(context))
    ends = (unit.end() for unit in UNIT.finditer(context))
    kept = max((end for end in ends if end <= high), default=0)
    cut = more or bool(context[kept:].strip())
    return f"{context[:kept]} {_GAP}" if cut else context[:kept]


def _torn(text: str) -> int:
    """Count the characters at the start that may belong to a word begun before."""
    return next(TORN.finditer(text)).end()


def _torn_end(text: str) -> int:
    """Count the characters at the end that may go on in what follows."""
    torn = _torn(text[::-1])
    # Marks that follow would belong to the character before them too.
    return min(len(text), torn + (not text[: len(text) - torn][-1:].isspace()))


def _forward(text: str, low: int) -> int:
    """Move behind the word that is cut at ``low``, and the white space there."""
    if low and not text[low - 1].isspace():
        low += _torn(text[low : low + MAX_TEXT])
    return low + len(text[low:]) - len(text[low:].lstrip())


def _back(text: str, floor: int, high: int) -> int:
    """Move before the word that is cut at ``high``, but not before ``floor``."""
    kept = text[floor:high]
    if not text[high : high + 1].isspace() and high < len(text):
        kept = kept[: len(kept) - _torn_end(kept)]
    return floor + len(kept.rstrip())


def _end_of_unit(text: str, start: int) -> int:
    return next(UNIT.finditer(text, start)).end()
