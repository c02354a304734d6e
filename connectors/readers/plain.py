"""Plain text."""

from connectors.readers.charsets import decode
from connectors.readers.page_text import PageText


def read_plain(body: bytes, charset: str | None) -> PageText:
    """Read a text unchanged; ``charset`` is the declared charset."""
    return PageText(decode(body, charset))
