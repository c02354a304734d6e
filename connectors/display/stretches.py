"""The stretch of a long sentence that its change is in; of the rest nothing is shown."""

MAX_CHANGED = 2_000
"""Characters of what changed that are looked at, and twice as many as are shown."""
MOST_SPACED = 4
"""Characters of a text for each that is shown of it, where spaces become one."""
SLACK = 100
"""Characters more than are shown, so that it shows that they were cut."""


def around_change(before: str, after: str, size: int) -> tuple[str, str]:
    """Return both sides of an edit as far as they matter where ``size`` characters are shown.

    That is the beginning, which is shown where nothing is marked, what changed, without its
    middle if it is long, and what stands next to it.
    """
    start = _common(before, after)
    end = _common(before[start:][::-1], after[start:][::-1])
    one, other = (_stretch(text, start, end, size) for text in (before, after))
    return one, other


def _stretch(text: str, start: int, end: int, size: int) -> str:
    """Cut what changed, from ``start`` up to ``end`` characters before the end, and the rest."""
    changed = text[start : len(text) - end]
    left, right = text[:start], text[len(text) - end :]
    near, most = 2 * size + SLACK, MAX_CHANGED + 2 * size
    if len(left) > 2 * near:
        left = left[:near] + left[-near:]
    if len(changed) > most + SLACK:
        # The last of it differs on both sides: so it shows that there is more.
        changed = changed[:most] + changed[-SLACK:]
    return left + changed + right[:near]


def _common(one: str, other: str) -> int:
    """Count the characters that two texts begin with."""
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        if one[low:middle] == other[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low
