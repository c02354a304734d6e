"""The text of Markdown, as it is rendered."""

from functools import lru_cache

from markdown_it import MarkdownIt

from connectors.readers.charsets import decode
from connectors.readers.html import text_of

_DEEPEST = 100


def read_markdown(body: bytes, charset: str | None) -> str:
    """Read the visible text of Markdown (CommonMark with tables and strikethrough).

    What is nested deeper than 100 levels is left out.
    """
    return text_of(_renderer().render(decode(body, charset)))


@lru_cache(maxsize=1)
def _renderer() -> MarkdownIt:
    return MarkdownIt("commonmark", {"maxNesting": _DEEPEST}).enable(["table", "strikethrough"])
