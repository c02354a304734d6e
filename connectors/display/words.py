"""Changed words of an edited sentence, for people.

Words are compared by their longest common subsequence. Text between two changes and shorter than
both is part of the change, as in diff-match-patch's semantic clean-up, so a reader finds few whole
phrases and not many shreds.
"""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from diff_match_patch import diff_match_patch
from rapidfuzz.distance import Indel

from connectors.display.runs import Line, Run, line_of

MAX_WORDS = 200
"""Words, punctuation and spaces compared between the first and last change.

More are not shown in a line; the rest counts as changed."""

_FULL_WIDTH = r"\u3001\u3002\u300a-\u300f\uff01\uff08\uff09\uff0c\uff1a\uff1b\uff1f"
"""Punctuation of Chinese and Japanese, without spaces around."""
_DIVIDER = rf"\s|\u00ab\u00bb\u2014\u201c-\u201e\u2026{_FULL_WIDTH}"
_OUTER = rf"{_DIVIDER}()\[\]{{}}<>\"'.,;:!?\u00a1\u00bf\u2018\u2019\u2039\u203a"
_WORD = re.compile(
    # A number and its unit, which may stand apart from it.
    r"(?<!\w)[+\-\u2212]?\d[\d.,:'\u2019]*\s[%\u2030$\u00a3\u00a5\u20a0-\u20c0](?=[\s.,;:!?)]|\Z)"
    # All that is written without a space, but for punctuation around it.
    rf"|[^{_OUTER}](?:[^{_DIVIDER}]*[^{_OUTER}])?"
    r"|\s+|."
)

LONG = 8
"""Characters of a word of which less than all may be marked."""
MAX_WORD = 200
"""Characters of a word compared by characters."""
LIKENESS = 0.7
"""The least share of characters common to two words."""

_NUMBER = re.compile(r"\d+(?:[.,:'\u2019]\d+)*")


class Change(NamedTuple):
    """A part of a sentence, before and after."""

    before: str
    after: str

    @property
    def same(self) -> bool:
        """Whether the part is unchanged."""
        return self.before == self.after


def words(text: str) -> list[str]:
    """Return the words of a sentence, its punctuation and its spaces; joined, they are the text.

    >>> words("Price: €1,299.00 (4 %)")
    ['Price', ':', ' ', '€1,299.00', ' ', '(', '4 %', ')']
    """
    return _WORD.findall(text)


def changed_words(before: str, after: str) -> list[Change]:
    """Return a sentence as equal parts, with the changed parts between.

    >>> changed_words("Price: €1,299.00", "Price: €1,199.00")
    [Change(before='Price: ', after='Price: '), Change(before='€1,299.00', after='€1,199.00')]
    """
    old, new = words(before), words(after)
    start = _common(old, new)
    end = _common(old[start:][::-1], new[start:][::-1])
    first, last = "".join(old[:start]), "".join(old[len(old) - end :])
    old, new = (_bounded(each[start : len(each) - end]) for each in (old, new))
    parts = [Change(first, first)]
    for code in Indel.opcodes(old, new):
        was = "".join(old[code.src_start : code.src_end])
        now = "".join(new[code.dest_start : code.dest_end])
        if parts[-1].same == (code.tag == "equal"):
            was, now = parts[-1].before + was, parts.pop().after + now
        parts.append(Change(was, now))
    parts.append(Change(last, last))
    return _without_shreds([part for part in parts if any(part)])


def _common(one: Sequence[str], other: Sequence[str]) -> int:
    """Count the first words common to two sentences."""
    pairs = zip(one, other, strict=False)
    differing = (at for at, (a, b) in enumerate(pairs) if a != b)
    return next(differing, min(len(one), len(other)))


def _bounded(found: Sequence[str]) -> list[str]:
    rest = "".join(found[MAX_WORDS:])
    return [*found[:MAX_WORDS], rest] if rest else list(found)


def _without_shreds(parts: Sequence[Change]) -> list[Change]:
    """Merge changes with the text between them, if shorter than both."""
    kept: list[Change] = []
    for part in parts:
        kept.append(part)
        while len(kept) >= 3:
            left, middle, right = kept[-3:]
            if not middle.same or left.same or right.same:
                break
            shortest = min(max(map(len, each)) for each in (left, right))
            if len(middle.before) > shortest and any(map(str.isalnum, middle.before)):
                break
            kept[-3:] = [Change(*map("".join, zip(left, middle, right, strict=True)))]
    return kept


def compared_by_letters(before: str, after: str) -> bool:
    """Whether two words are so long, and so alike, as to need a comparison by letters.

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
    """Return both words with the changed characters marked; a number is never cut.

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
    """Yield each character of a word, and whether changed."""
    marks = [operation != 0 for operation, text in parts for _ in text]
    for number in _NUMBER.finditer(word):
        if any(marks[slice(*number.span())]):
            marks[slice(*number.span())] = [True] * len(number[0])
    for at in range(len(word) - 1, 0, -1):
        if marks[at] and unicodedata.category(word[at])[0] == "M":
            marks[at - 1] = True
    return zip(word, marks, strict=True)
