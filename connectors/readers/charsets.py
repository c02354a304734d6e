"""Decode bytes by what a document says about its charset."""

import codecs

from charset_normalizer import from_bytes
from webencodings import lookup
from webencodings.labels import LABELS

from connectors.readers.errors import Unreadable

_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_SAMPLE = 20_000
# The standard has these for other purposes than text.
_NO_TEXT = ("replacement", "x-user-defined")


def decode(body: bytes, *declared: str | None) -> str:
    r"""Decode a text.

    Uses its byte-order mark, otherwise the first of the ``declared`` charsets that is one,
    otherwise UTF-8 if the text is valid as such, otherwise what it looks like. Bytes that
    mean nothing become U+FFFD. Raises Unreadable for binary content.

    Example:
        >>> decode(b"caf\xe9", "latin1")
        'café'
    """
    text = _decoded(body, declared)
    if "\0" in text:
        raise Unreadable("the content is binary, not text")
    return text


def _decoded(body: bytes, declared: tuple[str | None, ...]) -> str:
    for mark, codec in _MARKS:
        if body.startswith(mark):
            return body[len(mark) :].decode(codec, "replace")
    for label in declared:
        if (declared_codec := _codec(label or "")) is not None:
            return body.decode(declared_codec, "replace")
    try:
        return body.decode()
    except UnicodeDecodeError:
        return body.decode(_likely_codec(body), "replace")


def _codec(label: str) -> str | None:
    """Look up Python's codec for what a label means in practice; None if it means no charset.

    Browsers do the same: https://encoding.spec.whatwg.org/#names-and-labels.
    """
    encoding = lookup(label)
    if encoding is None or encoding.name in _NO_TEXT:
        return None
    # The standard decodes GBK as GB 18030, which contains it.
    return "gb18030" if encoding.name == "gbk" else str(encoding.codec_info.name)


_CODECS = sorted({codec for label in LABELS if (codec := _codec(label)) is not None})


def _likely_codec(body: bytes) -> str:
    best = from_bytes(body[:_SAMPLE], cp_isolation=_CODECS).best()
    return best.encoding if best is not None else "cp1252"
