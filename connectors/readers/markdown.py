"""The text of rendered Markdown."""

import re
from html import escape
from typing import Any

from pyromark import Markdown, Options

from connectors.readers.charsets import decode
from connectors.readers.html import html_text
from connectors.readers.page_text import PageText

_DEEPEST = 100
_LINE_END = re.compile("\r\n?")
_MARKDOWN = Markdown(options=Options.ENABLE_TABLES | Options.ENABLE_STRIKETHROUGH)
_BLOCKS = {
    "BlockQuote": "blockquote",
    "CodeBlock": "pre",
    "Heading": "",
    "HtmlBlock": "",
    "Item": "li",
    "List": "ul",
    "Paragraph": "p",
    "Table": "table",
}
# Links and emphasis have no tag: they do not matter to the text.
_TAGS = _BLOCKS | {"Image": "img", "TableCell": "td", "TableHead": "tr", "TableRow": "tr"}
_OPENING = {"": "", "pre": "<pre>\n"}  # HTML ignores the first line end of the latter
_BREAKS = {"Rule": "<hr>", "SoftBreak": "\n", "HardBreak": "<br>"}


def read_markdown(body: bytes, charset: str | None) -> PageText:
    """Read the visible text of Markdown (CommonMark with tables and strikethrough).

    Blocks between empty lines stay so in the text. Blocks nested deeper than 100 levels are left
    out.
    """
    source = _LINE_END.sub("\n", decode(body, charset))
    html = _Html(source.encode())
    events = _MARKDOWN.events_with_range(source, merge_text=True)
    return html_text("".join([html.piece(event, extent["start"]) for event, extent in events]))


class _Html:
    """Renders the text, with a thematic break for an empty line before a block."""

    def __init__(self, source: bytes) -> None:
        self._source = source
        self._tags: list[str] = []
        self._shown = _DEEPEST
        """The depth below which nothing is shown at present."""

    def piece(self, event: Any, start: int) -> str:
        """Return the HTML of an event with this begin in the source (byte)."""
        kind, value = (event, "") if isinstance(event, str) else event.popitem()
        if kind == "Start":
            return self._opened(value, start)
        if kind == "End":
            return self._closed()
        if len(self._tags) > self._shown:
            return ""
        is_markup = kind in ("Html", "InlineHtml")
        return _BREAKS.get(kind) or (value if is_markup else escape(value, quote=False))

    def _opened(self, element: Any, start: int) -> str:
        detail: Any
        name, detail = (element, None) if isinstance(element, str) else element.popitem()
        tag = detail["level"] if name == "Heading" else _TAGS.get(name, "")
        self._tags.append(tag)
        if len(self._tags) > self._shown:
            return ""
        if tag == "img":  # its text is not seen
            self._shown = len(self._tags) - 1
        is_apart = name in _BLOCKS and _is_after_empty_line(self._source, start)
        return ("<hr>" if is_apart else "") + _OPENING.get(tag, f"<{tag}>")

    def _closed(self) -> str:
        tag = self._tags.pop()
        if len(self._tags) > self._shown:
            return ""
        if len(self._tags) == self._shown:
            self._shown = _DEEPEST
            return ""
        return f"</{tag}>" if tag else ""


def _is_after_empty_line(source: bytes, start: int) -> bool:
    # The extent of a block that a tab indents begins at the end of the line before.
    line = source.rfind(b"\n", 0, start + (source[start : start + 1] == b"\n"))
    before = source.rfind(b"\n", 0, max(line, 0))
    # A line of a quotation may have nothing but its marks.
    return line > 0 and not source[before + 1 : line].strip(b" \t\f\v>")
