"""What commands print for people, on standard error; their results are on standard output."""

import json
import sys
from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import Any

Say = Callable[[str], None]


def say(line: str) -> None:
    """Print a line at once, through a pipe too; a terminal that was closed is no error."""
    with suppress(OSError):
        print(printable(line, lines=True), file=sys.stderr, flush=True)


def print_json(value: Any) -> None:
    """Print a line of JSON as a result, at once."""
    print(json_line(value), flush=True)


def json_line(value: Any) -> str:
    r"""Return JSON in which every character that could act on a terminal is escaped.

    Example:
        >>> json_line({"text": "caf\u00e9 \x1b[2J \x9b2J"})
        '{"text": "café \\u001b[2J \\u009b2J"}'
    """
    text = json.dumps(value, ensure_ascii=False)
    if text.isprintable():
        return text
    return "".join(each if each.isprintable() else json.dumps(each)[1:-1] for each in text)


def printable(text: str, *, lines: bool = False) -> str:
    r"""Escape control characters, so that they cannot act on a terminal; ``lines`` may stay.

    Example:
        >>> print(printable("red \x1b[31m\u00a0text"))
        red \x1b[31m text
    """
    if text.isprintable():
        return text
    return "".join(each if lines and each == "\n" else _shown(each) for each in text)


def _shown(character: str) -> str:
    if character.isspace():
        return " "
    return character if character.isprintable() else repr(character)[1:-1]


def shortened(names: Iterable[str]) -> str:
    """Return up to three names, and an ellipsis if there are more.

    Example:
        >>> shortened(["a", "b", "c", "d"])
        'a, b, c, …'
    """
    listed = list(names)
    return ", ".join(listed[:3]) + (", …" if len(listed) > 3 else "")
