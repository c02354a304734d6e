"""Marked runs of text."""

import re
from collections.abc import Iterable, Iterator
from typing import Literal, NamedTuple

RunKind = Literal["same", "removed", "added"]
"""What happened to a run of text."""

ARROW = "→"
"""Stands between what was and what is."""
BETWEEN_LINES = " \u00b7 "
"""A middle dot: stands where a line ended, or a cell of a row."""

_SPACE = re.compile(r"\s+")


class Run(NamedTuple):
    """A run of text; ``keyword`` says that it is what a subscription asks for."""

    text: str
    kind: RunKind = "same"
    keyword: bool = False


Line = tuple[Run, ...]
"""The runs of a line, in order."""


def one_line(text: str) -> str:
    r"""Return a text with single spaces, and a middle dot where a line or a cell ends.

    >>> one_line("Phone X\t€749\nPhone  Y")
    'Phone X · €749 · Phone Y'
    """
    return _SPACE.sub(_single, text)


def _single(space: re.Match[str]) -> str:
    return BETWEEN_LINES if "\n" in space[0] or "\t" in space[0] else " "


def line_of(runs: Iterable[Run]) -> Line:
    r"""Join runs of one kind in one line, and leave out empty ones.

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
    """Whether a run is what a subscription asks for."""
    return run.keyword


def is_marked(run: Run) -> bool:
    """Whether a run is more than context."""
    return run.keyword or run.kind != "same"


def line_text(line: Iterable[Run]) -> str:
    """Return the text of a line without its marks."""
    return "".join(run.text for run in line)


def with_keywords(line: Iterable[Run], spellings: Iterable[str]) -> Line:
    """Mark the words that a subscription asks for, as they are spelled in the text."""
    known = sorted(filter(None, spellings), key=len, reverse=True)
    if not known:
        return tuple(line)
    pattern = re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, known))})(?!\w)")
    return line_of(part for run in line for part in _split(run, pattern))


def _split(run: Run, pattern: re.Pattern[str]) -> Iterator[Run]:
    at = 0
    for found in pattern.finditer(run.text):
        yield run._replace(text=run.text[at : found.start()])
        yield run._replace(text=found[0], keyword=True)
        at = found.end()
    yield run._replace(text=run.text[at:])
