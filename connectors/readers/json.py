"""The text of JSON: a line for each value, after its keys."""

import json
from typing import Any

from connectors.readers.charsets import decode_checked
from connectors.readers.errors import Unreadable
from connectors.readers.numbers.locales import EXACT
from connectors.readers.page_text import PageText
from connectors.readers.tables import is_row

_DEEPEST = 100
MAX_PATH = 200
"""Characters of the keys before a value; of longer ones the end is read."""
MAX_WITH_PATHS = 4_000_000
"""Characters of a text with all keys in each line: in a longer text each line has its last key."""


class Members(list[tuple[str, Any]]):
    """An object with all its members, even with equal names."""


def read_json(body: bytes, charset: str | None) -> PageText:
    """Read a line per value, after its keys joined by dots; numbers as written.

    Arrays add nothing to the keys, so a value keeps its line when another comes before. An array of
    values in an array is a line, like the row of a table. Objects in arrays are set apart by empty
    lines.

    Raises Unreadable for invalid JSON (RFC 8259) or more than 100 levels.
    """
    return json_text(parsed_json(decode_checked(body, charset)))


def parsed_json(text: str) -> Any:
    """Parse JSON, with numbers as they were written; raises Unreadable."""
    try:
        return json.loads(
            text, object_pairs_hook=Members, parse_float=str, parse_int=str, strict=False
        )
    except ValueError as error:
        raise Unreadable(f"the content is not JSON: {error}") from None
    except RecursionError:
        raise Unreadable("the JSON is nested too deeply") from None


def json_text(value: Any) -> PageText:
    """Return the text of a value from ``parsed_json``."""
    text = _JsonLines(MAX_PATH).of(value)
    text = text if len(text) <= MAX_WITH_PATHS else _JsonLines(0).of(value)
    return PageText(text, language=EXACT)


class _JsonLines:
    """The lines of a document, with at most ``max_path`` characters of the path to a key."""

    def __init__(self, max_path: int) -> None:
        self._max_path = max_path
        self._lines: list[str] = []

    def of(self, value: Any) -> str:
        """Return the text of a value."""
        self._add("", value, _DEEPEST)
        return "\n".join(self._lines).strip("\n")

    def _add(self, path: str, value: Any, levels: int) -> None:
        if not levels:
            raise Unreadable("the JSON is nested too deeply")
        if not isinstance(value, list):
            self._add_value(path, value)
        elif not value:
            self._lines.append(f"{path}:" if path else "")
        elif isinstance(value, Members):
            for key, each in value:
                self._add(self._extended(path, key), each, levels - 1)
        else:
            for each in value:
                self._add_element(path, each, levels - 1)

    def _add_element(self, path: str, value: Any, levels: int) -> None:
        if isinstance(value, Members):
            self._add_gap()
            self._add(path, value, levels)
            self._add_gap()
        elif isinstance(value, list) and (row := _row(value)):
            self._lines.append(f"{path}: {row}" if path else row)
        else:
            self._add(path, value, levels)

    def _add_gap(self) -> None:
        if self._lines and self._lines[-1]:
            self._lines.append("")

    def _add_value(self, path: str, value: Any) -> None:
        shown = _shown(value)
        if "\n" in shown:
            shown = "\n".join(filter(None, map(str.strip, shown.split("\n"))))
        if path:
            self._lines.append(f"{path}: {shown}" if shown else f"{path}:")
        elif shown:
            self._lines.append(shown)

    def _extended(self, path: str, key: str) -> str:
        """Return a path with a further key."""
        if not key.isprintable():
            key = " ".join(key.split())
        if len(path) > self._max_path:
            path = path[-self._max_path :] if self._max_path else ""
        return f"{path}.{key}" if path and key else key or path


def _row(values: list[Any]) -> str:
    """Return the cells of an array, separated by tabs; none if unlike a row of a table."""
    if any(isinstance(each, list) for each in values):
        return ""
    cells = [" ".join(_shown(each).split()) for each in values]
    row = "\t".join(cells)
    return row if is_row(row, cells) else ""


def _shown(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)
