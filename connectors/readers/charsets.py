"""Bytes to characters, by what a document says of itself."""

import codecs
import re

from charset_normalizer import from_bytes

from connectors.readers.errors import Unreadable

_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_SAMPLE = 20_000

# What a name means in practice (https://encoding.spec.whatwg.org/#names-and-labels).
_MEANT = {
    "ascii": "cp1252",
    "iso8859-1": "cp1252",
    "iso8859-9": "cp1254",
    "iso8859-11": "cp874",
    "tis-620": "cp874",
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "shift_jis": "cp932",
    "euc_kr": "cp949",
    "big5": "big5hkscs",
    "utf-16": "utf-16-le",
}
_ALLOWED = {
    *_MEANT.values(),
    *(f"cp{code}" for code in (866, *range(1250, 1259))),
    *(f"iso8859-{part}" for part in (2, 3, 4, 5, 6, 7, 8, 10, 13, 14, 15, 16)),
    "euc_jp",
    "iso2022_jp",
    "koi8-r",
    "koi8-u",
    "mac-cyrillic",
    "mac-roman",
    "utf-8",
    "utf-16-be",
    "utf-16-le",
}
_LABEL = re.compile(r"[A-Za-z0-9_:.-]{1,40}")


def decode(body: bytes, *declared: str | None) -> str:
    """Decode a text.

    By its byte-order mark, else the first of the ``declared`` charsets that is one,
    else as UTF-8 if it is valid, else as what it looks like. Bytes that mean nothing
    become U+FFFD. Raises Unreadable for binary content.
    """
    text = _decoded(body, declared)
    if "\0" in text:
        raise Unreadable("the content is binary, not text")
    return text


def _decoded(body: bytes, declared: tuple[str | None, ...]) -> str:
    for mark, charset in _MARKS:
        if body.startswith(mark):
            return body[len(mark) :].decode(charset, "replace")
    for label in declared:
        codec = _codec(label or "")
        if codec is not None:
            return body.decode(codec, "replace")
    try:
        return body.decode()
    except UnicodeDecodeError:
        return body.decode(_likely(body), "replace")


def _codec(label: str) -> str | None:
    """Give Python's name of an allowed charset, None for any other."""
    try:
        name = codecs.lookup(label).name if _LABEL.fullmatch(label) else ""
    except LookupError:
        return None
    name = _MEANT.get(name, name)
    return name if name in _ALLOWED else None


def _likely(body: bytes) -> str:
    best = from_bytes(body[:_SAMPLE], cp_isolation=sorted(_ALLOWED)).best()
    return best.encoding if best is not None else "cp1252"
