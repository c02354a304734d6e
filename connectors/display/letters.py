"""What changed inside a long word: a compound, an address or an id.

Characters are compared by diff-match-patch, with its semantic clean-up. Its work is bounded by
the length of the words and by how alike they are, and not by a time limit, which would make the
same notification look different from one day to the next.
"""

import re
import unicodedata
from collections.abc import Iterator

from diff_match_patch import diff_match_patch
from rapidfuzz.distance import Indel

from connectors.display.runs import Line, Run, line_of

LONG = 8
"""Characters of a word of which less than all may be marked."""
MAX_WORD = 200
"""Characters of a word that is compared by characters."""
LIKENESS = 0.7
"""Share of characters that two words have in common at least."""

_NUMBER = re.compile(r"\d+(?:[.,:'\u2019]\d+)*")


def compared_by_letters(before: str, after: str) -> bool:
    """Whether two words are so long, and so alike, that the reader looks for what differs.

    >>> compared_by_letters("1,299.00", "1,199.00"), compared_by_letters("Sunday", "Monday")
    (False, False)
    """
    shorter, longer = sorted((before, after), key=len)
    return (
        len(longer) >= LONG
        and len(longer) <= MAX_WORD
        and any(map(str.isalpha, shorter))
        and Indel.normalized_similarity(before, after) >= LIKENESS
    )


def changed_letters(before: str, after: str) -> tuple[Line, Line]:
    """Return both words with the characters that changed marked; a number is never cut.

    >>> removed, added = changed_letters("INC-4711-open", "INC-4712-open")
    >>> [run.text for run in removed if run.kind == "removed"]
    ['4711']
    """
    engine = diff_match_patch()
    engine.Diff_Timeout = 0  # The words are bounded instead.
    found = engine.diff_main(before, after, checklines=False)
    engine.diff_cleanupSemantic(found)
    old = _marks(before, (part for part in found if part[0] != engine.DIFF_INSERT))
    new = _marks(after, (part for part in found if part[0] != engine.DIFF_DELETE))
    return (
        line_of(Run(letter, "removed" if changed else "same") for letter, changed in old),
        line_of(Run(letter, "added" if changed else "same") for letter, changed in new),
    )


def _marks(word: str, parts: Iterator[tuple[int, str]]) -> Iterator[tuple[str, bool]]:
    """Yield each character of a word, and whether it changed."""
    marks = [operation != 0 for operation, text in parts for _ in text]
    for number in _NUMBER.finditer(word):
        if any(marks[slice(*number.span())]):
            marks[slice(*number.span())] = [True] * len(number[0])
    for at in range(len(word) - 1, 0, -1):
        if marks[at] and unicodedata.category(word[at])[0] == "M":
            marks[at - 1] = True
    return zip(word, marks, strict=True)
