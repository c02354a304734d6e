"""Plain text, and the form in which every reader's text is stored."""

import re
from unicodedata import normalize

from connectors.readers.charsets import decode

_NO_CHARACTER = re.compile("[\0\ud800-\udfff]")


def read_plain(body: bytes, charset: str | None) -> str:
    """Read a text as it is; ``charset`` is the one that was declared."""
    return decode(body, charset)


def normalized(text: str) -> str:
    """Normalize a text to NFKC, with plain line ends and without soft hyphens.

    What is not a character, and could be neither stored nor sent, becomes U+FFFD.
    """
    if "\u00ad" in text:
        text = text.replace("\u00ad", "")
    if not _is_storable(text):
        text = _NO_CHARACTER.sub("\ufffd", text)
    composed = text if text.isascii() else normalize("NFKC", text)
    if "\r" in composed:
        composed = composed.replace("\r\n", "\n").replace("\r", "\n")
    return composed.strip()


def _is_storable(text: str) -> bool:
    """Check that a text has nothing that _NO_CHARACTER finds, five times as fast."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return "\0" not in text
