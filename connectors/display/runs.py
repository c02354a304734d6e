"""Marked runs of text."""

import re
import unicodedata
from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import Literal, NamedTuple

from schemas.records.scripts import DENSE_SCRIPTS

RunKind = Literal["same", "removed", "added"]
"""The kind of a run of text."""

BETWEEN_CELLS = " \u00b7 "
"""A middle dot: stands where a cell of a row ended."""
BETWEEN_LINES = " / "
"""A slash: stands where a line or a row ended."""

_SPACE = re.compile(r"[^\S ]\s*| \s+")
"""All space but a single blank, which stays: most are, and each match takes time."""
_SPACED = rf"[^\W{DENSE_SCRIPTS}]"
_IS_SPACED = re.compile(_SPACED)


class Run(NamedTuple):
    """A run of text; ``keyword`` marks a match of the subscription."""

    text: str
    kind: RunKind = "same"
    keyword: bool = False


Line = tuple[Run, ...]
"""The runs of a line, in order."""


def one_line(text: str) -> str:
    r"""Return a text with single spaces, and a sign where a line or a cell ends.

    >>> one_line("Phone X\t€749\nPhone  Y")
    'Phone X · €749 / Phone Y'
    """
    return _SPACE.sub(_single, text)


def _single(space: re.Match[str]) -> str:
    if "\n" in space[0]:
        return BETWEEN_LINES
    return BETWEEN_CELLS if "\t" in space[0] else " "


def line_of(runs: Iterable[Run]) -> Line:
    r"""Join runs of the same kind in a line, and leave out empty runs.

    >>> line_of([Run("a  "), Run("b"), Run(""), Run("c", "added")])
    (Run(text='a b', kind='same', keyword=False), Run(text='c', kind='added', keyword=False))
    """
    joined: list[Run] = []
    for run in runs:
        text = one_line(run.text)
        if joined and joined[-1][1:] == run[1:]:
            joined[-1] = joined[-1]._replace(text=joined[-1].text + text)
        elif text:
            joined.append(run._replace(text=text))
    return tuple(joined)


def is_keyword(run: Run) -> bool:
    """Whether a run is a match of the subscription."""
    return run.keyword


def is_marked(run: Run) -> bool:
    """Whether a run is more than context."""
    return run.keyword or run.kind != "same"


def line_text(line: Iterable[Run]) -> str:
    """Return the text of a line without its marks."""
    return "".join(run.text for run in line)


def with_keywords(line: Iterable[Run], spellings: Iterable[str]) -> Line:
    """Mark the matches of a subscription, by their spellings in the text.

    >>> with_keywords([Run("art starts")], ["art"])[0]
    Run(text='art', kind='same', keyword=True)
    """
    runs = tuple(line)
    known = sorted(filter(None, spellings), key=len, reverse=True)
    if not known:
        return runs
    pattern = re.compile("|".join(map(_as_word, known)))
    text = line_text(runs)
    # A keyword may begin in one run and end in another. A mark after its last letter would make
    # another letter of it.
    spans = (each.span() for each in pattern.finditer(text))
    found = [
        (start, end)
        for start, end in spans
        if unicodedata.category(text[end : end + 1] or " ")[0] != "M"
    ]
    return line_of(_cut(runs, found))


def _as_word(spelling: str) -> str:
    """Return a pattern for a whole spelling; another character may be next to the spelling."""
    before = rf"(?<!{_SPACED})" if _IS_SPACED.match(spelling[0]) else ""
    after = rf"(?!{_SPACED})" if _IS_SPACED.match(spelling[-1]) else ""
    return f"{before}{re.escape(spelling)}{after}"


def _cut(runs: Iterable[Run], found: Iterable[tuple[int, int]]) -> Iterator[Run]:
    """Cut runs where a keyword begins or ends."""
    bounds = [(0, 0), *found]
    at = 0
    for run in runs:
        end = at + len(run.text)
        inner = (offset for each in bounds for offset in each if at < offset < end)
        cuts = [at, *inner, end]
        for low, high in pairwise(cuts):
            is_keyword = any(start <= low and high <= stop for start, stop in bounds)
            yield run._replace(text=run.text[low - at : high - at], keyword=is_keyword)
        at = end
