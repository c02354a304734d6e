"""The first and the last characters in which two texts differ."""

from rapidfuzz.distance import Postfix, Prefix

from streams.text.tokens import UNIT


def differing_lines(old: str, new: str) -> tuple[int, int, int, int] | None:
    r"""Return the characters between which whole lines differ, in both texts; None if none do.

    White space alone is no difference::

        differing_lines("a\nb\nc", "a\nx\nc")  # (2, 3, 2, 3)
    """
    if old == new:
        return None
    start = old.rfind("\n", 0, common_start(old, new)) + 1
    size = common_end(old, new, min(len(old), len(new)) - start)
    found = old.find("\n", len(old) - size)
    tail = len(old) - found if found >= 0 else 0
    b, d = len(old) - tail, len(new) - tail
    return None if has_same_units(old[start:b], new[start:d]) else (start, b, start, d)


def has_same_units(old: str, new: str) -> bool:
    """Return whether two texts differ in white space alone."""
    at = common_start(old, new)
    first, other = old[at : at + 1], new[at : at + 1]
    # From the quickest test to the slowest: most texts fail the first.
    return first == other or (
        (first.isspace() or other.isspace())
        and _printed(old) == _printed(new)
        and UNIT.findall(old) == UNIT.findall(new)
    )


def _printed(text: str) -> str:
    return "".join(text.split())


def common_start(old: str, new: str) -> int:
    """Count the equal characters at the start."""
    return int(Prefix.similarity(old, new))


def common_end(old: str, new: str, high: int) -> int:
    """Count the equal characters at the end, ``high`` at most."""
    return min(int(Postfix.similarity(old, new)), high)
