"""The edits by words that lead from one text to another, wherever its sentences end."""

from typing import NamedTuple

from streams.diff.comparison import merge_close_edits, text_edits


class Passage(NamedTuple):
    """A run of words of a text."""

    text: str
    start: int


class WordEdit(NamedTuple):
    """What was removed, added, or both, at one point of a text."""

    removed: Passage | None
    added: Passage | None


def word_edits(old: str, new: str) -> list[WordEdit]:
    return [
        WordEdit(_passage(old, a, b), _passage(new, c, d))
        for a, b, c, d, *_ in merge_close_edits(old, text_edits(old, new))
    ]


def _passage(text: str, start: int, end: int) -> Passage | None:
    words = text[start:end].strip()
    return Passage(words, text.index(words, start)) if words else None
