"""Plain text, and what is shown as it is."""

import re
from unicodedata import normalize

from connectors.readers.charsets import decode

_NO_CHARACTER = re.compile("[\0\ud800-\udfff]")


def read_plain(body: bytes, charset: str | None) -> str:
    """Give a text as it stands; ``charset`` is the one that was declared."""
    return decode(body, charset)


def normalized(text: str) -> str:
    """Bring a text into NFKC, with plain line ends and without soft hyphens.

    What is no character, and could be neither stored nor sent, becomes U+FFFD.
    """
    known = _NO_CHARACTER.sub("\ufffd", text.replace("\u00ad", ""))
    composed = normalize("NFKC", known)
    return composed.replace("\r\n", "\n").replace("\r", "\n").strip()
