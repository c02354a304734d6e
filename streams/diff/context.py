"""How much of a snapshot is kept around what changed: whole sentences, and its whole block."""

import re

from schemas.records.changes import MAX_CONTEXT
from streams.text.units import sentence_bounds

MAX_BLOCK = 2_000
"""Characters of a block, which is lines with no empty line between, that is kept as a whole."""

_SPACE = re.compile(r"\s")
_LAST_SPACE = re.compile(r"\s\S*\Z")


def context_start(text: str, start: int) -> int:
    """Return where what is kept before a sentence begins.

    That are as many sentences as MAX_CONTEXT characters hold, but all of a block that is
    not large; of a longer sentence, its last words.
    """
    found = _block_start(text, start)
    return found if found <= start - MAX_CONTEXT else min(found, _sentences_start(text, start))


def context_end(text: str, end: int) -> int:
    """Return where what is kept after a sentence ends; as ``context_start``."""
    found = _block_end(text, end)
    return found if found >= end + MAX_CONTEXT else max(found, _sentences_end(text, end))


def _block_start(text: str, start: int) -> int:
    low = max(0, start - MAX_BLOCK)
    found = text.rfind("\n\n", low, start)
    return found + 2 if found >= 0 else 0 if low == 0 else start


def _block_end(text: str, end: int) -> int:
    high = end + MAX_BLOCK
    found = text.find("\n\n", end, high)
    return found if found >= 0 else len(text) if high >= len(text) else end


def _sentences_start(text: str, start: int) -> int:
    low = max(0, start - MAX_CONTEXT)
    if low == 0:
        return 0
    before = text[low:start]
    first = next((at for at in sentence_bounds(before) if before[at:].strip()), None)
    if first is None:
        space = _SPACE.search(before)
        return low + space.end() if space else start
    return low + first


def _sentences_end(text: str, end: int) -> int:
    high = end + MAX_CONTEXT
    if high >= len(text):
        return len(text)
    after = text[end:high].rstrip()
    last = next((at for at in reversed(sentence_bounds(after)) if after[:at].strip()), None)
    if last is None:
        space = _LAST_SPACE.search(after)
        return end + space.start() if space else end
    return end + len(after[:last].rstrip())
