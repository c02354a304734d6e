"""Inline elements of (X)HTML that a style sheet sets apart, with nothing between."""

from collections.abc import Callable

INLINE = ("a", "b", "data", "em", "i", "label", "small", "span", "strong", "time")
"""Names of the elements that are parts of words, or words."""
HEADINGS = frozenset(["h1", "h2", "h3", "h4", "h5", "h6"])
_WHOLE = frozenset(["a", "label", "time"])
"""Elements around whole words."""
_ENDS = ".:!?\u2026"
"""Signs at the end of a sentence or a label."""


def are_apart(
    names: tuple[str | None, str | None], texts: tuple[str, str], has_style: Callable[[], bool]
) -> bool:
    """Return whether two elements with nothing between are parts of different words.

    A word of several elements goes on in small letters, in elements of one kind, or is of single
    letters. On real pages all others are separate words, such as a name and its state.
    ``has_style``: whether the elements differ in their class, or are in a heading.

    >>> are_apart(("span", "span"), ("Lamp", "Sold out"), lambda: False)
    True
    >>> are_apart(("span", "span"), ("kilo", "gram"), lambda: False)
    False
    """
    left, right = texts
    end, begin = left[-1:], right[:1]
    if end and end in _ENDS:
        return begin.isupper()
    if not (end.isalnum() and begin.isalnum()) or _is_letter(left) or _is_letter(right):
        return False
    is_new_word = begin.isupper() or end.isdigit() != begin.isdigit()
    return is_new_word or not _WHOLE.isdisjoint(names) or has_style()


def _is_letter(text: str) -> bool:
    return len(text) == 1 and text.isalpha()
