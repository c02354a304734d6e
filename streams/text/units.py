"""The units that snapshots are compared by: sentences, and rows of a table.

A line is cut at the ends of its sentences, in any script; a line with tabs is a row, and
stays whole. White space around a unit is not part of it.
"""

import re
from collections.abc import Iterable, Iterator
from operator import add
from typing import NamedTuple

from streams.text.tokens import DENSE

# NFKC has turned the full-width marks of Chinese and Japanese into "!" and "?".
_MARK = "[.!?\u2026\u061f]"
_DENSE_MARK = "[\u3002\uff61\u0964\u0965\u104b\u17d4\u1362\u0589\u06d4]"
_CLOSING = "[\"'\u2019\u201d\u00bb\u203a)\\]\u300d\u300f\u3011\u300b]*"
_QUOTES = f"[\u2018\u201c{_CLOSING[1:]}"
_LOWER = "[a-z\u00df-\u00f6\u00f8-\u00ff\u03ac-\u03ce\u0430-\u045f]"
# Before white space German quotes close; next to a Chinese mark they open.
_SPACE = f"{_QUOTES}\\s++(?!{_LOWER})"
_SHORT = (
    "Mr|Dr|St|No|Nr|vs|Co|Jr|Sr|Mt|ca|Mrs|Art|Abs|Inc|Ltd|etc|Rep|Sen|Gov|Gen|Jan|Feb|Mar|Apr|Jun|"
    "Jul|Aug|Sep|Oct|Nov|Dec|Vol|Fig|Sec|bzw|Prof|Sept"
)
# The point after a letter (J., U.S., z.B.), an ordinal (12.) or one of these rarely ends one.
_NO_END = (r"\b[^\W\d_]", r"^\d", r"^\d\d", r"\s\d", r"\s\d\d", r"\(\d")
_NOT_AFTER = "".join(
    rf"(?<!{each}\.)" for each in (*_NO_END, *(rf"\b{each}" for each in _SHORT.split("|")))
)
# It begins with one set of characters, for which alone the text is searched.
_END = re.compile(
    f"[{_MARK[1:-1]}{_DENSE_MARK[1:-1]}](?:"
    f"(?<={_DENSE_MARK}){_DENSE_MARK}*{_CLOSING}\\s*"
    f"|(?<={DENSE.pattern}[!?])[!?]*{_CLOSING}\\s*"
    f"|(?<={_MARK})(?<!{_MARK}{_MARK})(?:{_MARK}+|(?<!\\.)|{_NOT_AFTER}){_SPACE})"
)
# Lines that are longer are cut into pieces of at least some words, which is quicker.
_LONG_LINE = 20_000
# A run of marks is tried from its start alone, or many dots would take minutes.
_COARSE = re.compile(
    f".{{80,}}?(?:(?<!{_MARK}){_MARK}++{_QUOTES}\\s+|{_DENSE_MARK}|\\Z)|.+", re.DOTALL
)
_WITH_END = re.compile(f"({_END.pattern})")
_BOUND = re.compile(f"\n|{_END.pattern}")
FIELD = re.compile(r"\w[\w.-]*(?:: | - )")
"""Finds the name of a value at the start of a line."""


class Unit(NamedTuple):
    """A unit of a snapshot: its text, and where it starts there (characters).

    ``line`` is the number of its line among those that are compared.
    """

    text: str
    start: int
    line: int

    @property
    def end(self) -> int:
        """The end of the unit in the snapshot."""
        return self.start + len(self.text)


def cut_line(line: str) -> list[str]:
    """Cut a line into its sentences, each with the white space around it.

    >>> cut_line('He paid 3.50 to Mr. Smith. "Why?" Who knows.')
    ['He paid 3.50 to Mr. Smith. ', '"Why?" ', 'Who knows.']
    """
    if "\t" in line:
        return [line]
    if len(line) > _LONG_LINE:
        return _COARSE.findall(line)
    return _sentences(line)


def unit_texts(text: str) -> Iterator[str]:
    """Yield the units of a text, and empty ones; quicker than ``cut_lines``."""
    if "\t" in text or len(text) > _LONG_LINE * text.count("\n"):
        lines = text.split("\n")
        return (piece.strip() for line in lines for piece in cut_line(line))
    return map(str.strip, "\n".join(_sentences(text)).split("\n"))


def _sentences(text: str) -> list[str]:
    pieces = _WITH_END.split(text)
    if len(pieces) == 1:
        return pieces
    return [*map(add, pieces[::2], pieces[1::2]), pieces[-1]]


def sentence_bounds(text: str) -> list[int]:
    r"""Return where lines and sentences end within a text, and where its lines begin.

    >>> sentence_bounds("One. Two\nThree")
    [5, 9]
    """
    return [found.end() for found in _BOUND.finditer(text)]


def cut_lines(lines: Iterable[tuple[int, int, str]]) -> Iterator[Unit]:
    """Yield the units of lines, each given as its number, where it starts, and its text."""
    for number, start, line in lines:
        at = start
        for piece in cut_line(line):
            size, text = len(piece), piece.strip()
            if text:
                blank = size - len(piece.lstrip()) if len(text) < size else 0
                yield Unit(text, at + blank, number)
            at += size
