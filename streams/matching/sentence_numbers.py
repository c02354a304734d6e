"""Numbers in sentences: which became which."""

import re
from collections.abc import Iterable
from itertools import islice

from schemas.records.changes import ValueChange
from streams.matching.marks import Bounds

MAX_VALUES = 20
"""Numbers of one sentence that are compared."""

NUMBER = re.compile(r"\d+(?:[.,:'\u2019\u00a0\u202f/-]\d+)*")


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
    numbers = (number.span() for number in NUMBER.finditer(text))
    return list(islice((each for each in numbers if overlaps(each, spans)), MAX_VALUES))


def overlaps(bounds: Bounds, spans: Iterable[Bounds]) -> bool:
    """Whether a part of a text is in one of some others, or the other way round."""
    return any(start < bounds[1] and bounds[0] < end for start, end in spans)
