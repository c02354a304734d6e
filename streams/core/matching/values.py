"""Numbers in sentences: which became which, and which of them matter to a keyword."""

import re
from collections.abc import Iterable, Iterator, Sequence
from unicodedata import category

from schemas.changes import ValueChange
from streams.core.matching.closest import Bounds
from streams.core.text.tokens import WORD

MAX_VALUES = 20
"""Numbers of one sentence that are compared."""
NEAR = 3
"""Words between which a number belongs to a keyword."""

NUMBER = re.compile(r"\d+(?:[.,:'\u2019\u00a0\u202f/-]\d+)*")
_UNIT_AFTER = re.compile(r"\s?(?:%|\u2030|percent\b|per cent\b|Prozent\b|EUR\b|USD\b|GBP\b|CHF\b)")
_UNIT_BEFORE = re.compile(r"(?:EUR|USD|GBP|CHF)\s?$")


def value_changes(
    before: str, changed_before: Iterable[Bounds], after: str, changed_after: Iterable[Bounds]
) -> tuple[ValueChange, ...]:
    """Pair the numbers of two sentences that changed, if there are as many on both sides.

    The bounds are those of the changed words, from the start of each sentence on.
    """
    old = [before[a:b] for a, b in changed_numbers(before, changed_before)]
    new = [after[a:b] for a, b in changed_numbers(after, changed_after)]
    if len(old) != len(new):
        return ()
    pairs = zip(old, new, strict=True)
    return tuple(ValueChange(one, other) for one, other in pairs if one != other)


def changed_numbers(text: str, changed: Iterable[Bounds]) -> list[Bounds]:
    """Return where a text has numbers of which a part has changed, MAX_VALUES at most."""
    spans = list(changed)
    found: list[Bounds] = []
    for number in NUMBER.finditer(text):
        if any(start < number.end() and number.start() < end for start, end in spans):
            found.append(number.span())
            if len(found) == MAX_VALUES:
                break
    return found


def matters(text: str, numbers: Sequence[Bounds], keyword: Sequence[Bounds]) -> bool:
    """Whether one of the numbers is a price, a share, or at most three words from the keyword."""
    return any(_is_amount(text, each) or _is_near(text, each, keyword) for each in numbers)


def _is_amount(text: str, number: Bounds) -> bool:
    start, end = number
    before, after = text[max(0, start - 6) : start], text[end : end + 12]
    beside = f"{before.rstrip()[-1:]}{after.lstrip()[:1]}"
    is_currency = any(category(each) == "Sc" for each in beside)
    return is_currency or bool(_UNIT_AFTER.match(after) or _UNIT_BEFORE.search(before))


def _is_near(text: str, number: Bounds, keyword: Iterable[Bounds]) -> bool:
    return any(_words_between(text, number, each) < NEAR for each in keyword)


def _words_between(text: str, one: Bounds, other: Bounds) -> int:
    low, high = min(one[1], other[1]), max(one[0], other[0])
    return sum(1 for _ in _some(WORD.finditer(text, low, high))) if low < high else 0


def _some(found: Iterable[object]) -> Iterator[object]:
    for _, each in zip(range(NEAR), found, strict=False):
        yield each
