"""The text of Markdown, as it is rendered."""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

from markdown_it import MarkdownIt
from markdown_it.token import Token

from connectors.readers.charsets import decode
from connectors.readers.html import html_text
from connectors.readers.page_text import PageText

_DEEPEST = 100
_LINE_END = re.compile("\r\n?|\n")
# A line of a quotation may have nothing but its marks.
_BLANK = re.compile(r"[\s>]*")
_EMPTY_LINE = Token("html_block", "", 0, content="<hr>\n")


def read_markdown(body: bytes, charset: str | None) -> PageText:
    """Read the visible text of Markdown (CommonMark with tables and strikethrough).

    Blocks that it sets apart by empty lines are so in the text. What is nested deeper than
    100 levels is left out.
    """
    source = decode(body, charset)
    markdown = _renderer()
    tokens = list(_with_empty_lines(markdown.parse(source), _LINE_END.split(source)))
    return html_text(markdown.renderer.render(tokens, markdown.options, {}))


def _with_empty_lines(tokens: Sequence[Token], lines: Sequence[str]) -> Iterator[Token]:
    for token in tokens:
        first = token.map[0] if token.map and token.nesting >= 0 else 0
        if first > 0 and token.type != "inline" and _BLANK.fullmatch(lines[first - 1]):
            yield _EMPTY_LINE
        yield token


@lru_cache(maxsize=1)
def _renderer() -> MarkdownIt:
    return MarkdownIt("commonmark", {"maxNesting": _DEEPEST}).enable(["table", "strikethrough"])
