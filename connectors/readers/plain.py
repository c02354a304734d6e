"""Plain text, and what is shown as it is."""

from unicodedata import normalize

from connectors.readers.charsets import decode


def read_plain(body: bytes, charset: str | None) -> str:
    """Give a text in NFKC; ``charset`` is the one that was declared."""
    return normalized(decode(body, charset))


def normalized(text: str) -> str:
    """Bring a text into NFKC, with plain line ends and without soft hyphens."""
    composed = normalize("NFKC", text.replace("\u00ad", ""))
    return composed.replace("\r\n", "\n").replace("\r", "\n").strip()
