"""Messages of commands, on standard error, and their results, on standard output."""

import json
import sys
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from itertools import accumulate
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.table import Table

Say = Callable[[str], None]

_JOINERS = "\u200c\u200d"
"""Zero-width non-joiner and joiner: Persian and Indic words, and families of emoji, need them."""
_SHAPED = {"Ll", "Lu", "Lt", "Lm", "Lo", "Mn", "Mc", "Me", "So", "Sk"}
"""Categories of letters, marks, emoji and their skin tones."""


def say(line: str) -> None:
    """Print a line at once, through a pipe too; a closed terminal is no error."""
    with suppress(OSError):
        print(printable(line, lines=True), file=sys.stderr, flush=True)


def print_json(value: Any) -> None:
    """Print a line of JSON as a result, at once."""
    print(json_line(value), flush=True)


def json_line(value: Any) -> str:
    r"""Return JSON with all control characters of a terminal escaped.

    Example:
        >>> json_line({"text": "caf\u00e9 \x1b[2J \x9b2J"})
        '{"text": "café \\u001b[2J \\u009b2J"}'
    """
    text = json.dumps(value, ensure_ascii=False)
    if text.isprintable():
        return text
    return "".join(each if each.isprintable() else json.dumps(each)[1:-1] for each in text)


def printable(text: str, *, lines: bool = False) -> str:
    r"""Escape control characters of a terminal or of the text around; ``lines`` may stay.

    Example:
        >>> print(printable("red \x1b[31m\u00a0text"))
        red \x1b[31m text
    """
    return printable_parts([text], lines=lines)[0]


def printable_parts(parts: Sequence[str], *, lines: bool = False) -> list[str]:
    """Escape the parts of a line, like ``printable`` the whole line."""
    whole = "".join(parts)
    if whole.isprintable():
        return list(parts)
    shown = ["\n" if lines and each == "\n" else _shown(whole, at) for at, each in enumerate(whole)]
    ends = list(accumulate(map(len, parts)))
    return ["".join(shown[end - len(part) : end]) for part, end in zip(parts, ends, strict=True)]


def _shown(text: str, at: int) -> str:
    character = text[at]
    if character.isspace():
        return " "
    joins = (
        character in _JOINERS
        and _is_joined(text[at - 1 : at])
        and _is_joined(text[at + 1 : at + 2])
    )
    return character if joins or character.isprintable() else repr(character)[1:-1]


def _is_joined(neighbour: str) -> bool:
    """Whether a joiner shapes this neighbour: a letter, a mark or an emoji."""
    return bool(neighbour) and unicodedata.category(neighbour) in _SHAPED


def print_table(table: "Table") -> None:
    """Print a table on a terminal, else a line for each row, its cells apart by tabs."""
    if sys.stdout.isatty():
        from rich.console import Console  # noqa: PLC0415 - it takes 0.1 s

        Console(markup=False).print(table)
        return
    columns = table.columns
    print("\t".join(str(each.header) for each in columns))
    for cells in zip(*(each.cells for each in columns), strict=True):
        print("\t".join(map(str, cells)))


def shortened(names: Iterable[str]) -> str:
    """Return up to three names, and an ellipsis if there are more.

    Example:
        >>> shortened(["a", "b", "c", "d"])
        'a, b, c, …'
    """
    listed = list(names)
    return ", ".join(listed[:3]) + (", …" if len(listed) > 3 else "")
