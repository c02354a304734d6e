"""Plain text."""

from connectors.readers.charsets import decode
from connectors.readers.page_text import PageText


def read_plain(body: bytes, charset: str | None) -> PageText:
    """Read a text as it is; ``charset`` is the one that was declared."""
    return PageText(decode(body, charset))
