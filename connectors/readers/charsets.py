"""Decode bytes by the charset that a document states."""

import codecs
import re
from collections.abc import Callable, Sequence
from functools import lru_cache

from charset_normalizer import from_bytes
from webencodings import lookup
from webencodings.labels import LABELS

from connectors.readers.errors import Unreadable

_MARKS = (
    (re.compile(codecs.BOM_UTF8), "utf-8"),
    (re.compile(rb"\xff\xfe|[\t\n\r -~]\0[\t\n\r -~]\0"), "utf-16-le"),
    (re.compile(rb"\xfe\xff|\0[\t\n\r -~]\0[\t\n\r -~]"), "utf-16-be"),
)
_WRONG = "\ufffd"
_NOT_ASCII = re.compile(r"[^\0-\x7f]+")
_CONTROLS = re.compile(r"[\1-\x08\x0e-\x1a\x1c-\x1f\ufffd]")
_MAX_CONTROLS = 20
"""In a text with NULs, the share of controls allowed: 1 / this."""
_SAMPLE = 20_000
_USUAL = "cp1252"
# The standard has these for other purposes than text.
_NO_TEXT = ("replacement", "x-user-defined")


def _none_in(_body: bytes) -> None:
    """Find no charset in a document."""


def decode(
    body: bytes,
    declared: str | None = None,
    *,
    named: Callable[[bytes], str | None] = _none_in,
    late: Callable[[bytes], str | None] = _none_in,
) -> str:
    r"""Decode a text.

    Uses its byte-order mark, else a valid ``declared`` charset, else the charset by ``named`` in
    the text, else UTF-8 if valid, else the charset by ``late``, or a guess. Meaningless bytes
    become U+FFFD, and NULs are dropped, as in browsers. Raises Unreadable for binary content.

    Example:
        >>> decode(b"caf\xe9", "latin1")
        'café'
    """
    return _text_of(body, _stated_codec(body, declared, named), late)


def decode_unless_utf_8(
    body: bytes,
    declared: str | None = None,
    *,
    named: Callable[[bytes], str | None] = _none_in,
    late: Callable[[bytes], str | None] = _none_in,
) -> str | bytes:
    """Decode a text like ``decode``, but return UTF-8 unchanged if nothing is dropped."""
    codec = _stated_codec(body, declared, named)
    is_plain = b"\0" not in body and not body.startswith(codecs.BOM_UTF8)
    if codec in (None, "utf-8") and is_plain and _is_valid(body, "utf-8"):
        return body
    return _text_of(body, codec, late)


def _stated_codec(
    body: bytes, declared: str | None, named: Callable[[bytes], str | None]
) -> str | None:
    return _marked_codec(body) or _codec(declared) or _codec(named(body))


def _text_of(body: bytes, codec: str | None, late: Callable[[bytes], str | None]) -> str:
    if codec is not None:
        return _text(body, codec)
    try:
        return _without_nuls(body.decode())
    except UnicodeDecodeError:
        return _text(body, _codec(late(body)) or _likely_codec(body))


def decode_checked(body: bytes, *declared: str | None) -> str:
    """Decode a text like ``decode``, but by a declared charset only if the text fits.

    Programs write feeds with declarations of other programs.

    >>> decode_checked("Göttervater".encode(), "latin1")
    'Göttervater'
    """
    codec = _marked_codec(body) or _true_codec(body, declared)
    return decode(body) if codec is None else _text(body, codec)


def _true_codec(body: bytes, declared: Sequence[str | None]) -> str | None:
    """Return the codec of a text without a mark; None if only a guess is left.

    Text other than ASCII is valid UTF-8 only by chance; and remains UTF-8 with a few errors, such
    as a character cut in two.
    """
    if not body.isascii() and (_is_valid(body, "utf-8") or is_mostly_utf_8(body)):
        return "utf-8"
    found = (codec for codec in map(_codec, declared) if codec and _is_valid(body, codec))
    return next(found, None)


def is_mostly_utf_8(body: bytes) -> bool:
    """Return whether most characters beyond ASCII are those of UTF-8, and few bytes are wrong."""
    text = body.decode("utf-8", "replace")
    wrong = text.count(_WRONG)
    return sum(map(len, _NOT_ASCII.findall(text))) >= 2 * wrong


def _is_valid(body: bytes, codec: str) -> bool:
    try:
        body.decode(codec)
    except UnicodeDecodeError:
        return False
    return True


def _marked_codec(body: bytes) -> str | None:
    """Return the codec of a mark at the beginning, or of ASCII with a NUL in each character."""
    return next((codec for sign, codec in _MARKS if sign.match(body)), None)


def _text(body: bytes, codec: str) -> str:
    return _without_nuls(body.decode(codec, "replace").removeprefix("\ufeff"))


def _without_nuls(text: str) -> str:
    """Drop the NULs of a text; raises Unreadable for too many controls."""
    if "\0" not in text:
        return text
    sample = text[:_SAMPLE]
    if _MAX_CONTROLS * len(_CONTROLS.findall(sample)) > len(sample):
        raise Unreadable("the content is binary, not text")
    return text.replace("\0", "")


@lru_cache
def _codec(label: str | None) -> str | None:
    """Look up Python's codec for a label as used in practice; None if unknown.

    Browsers do the same: https://encoding.spec.whatwg.org/#names-and-labels.
    """
    encoding = lookup(label or "")
    if encoding is None or encoding.name in _NO_TEXT:
        return None
    # The standard decodes GBK as GB 18030, which contains it.
    return "gb18030" if encoding.name == "gbk" else str(encoding.codec_info.name)


_CODECS = sorted({codec for label in LABELS if (codec := _codec(label)) is not None})


def _likely_codec(body: bytes) -> str:
    found = from_bytes(body[:_SAMPLE], cp_isolation=_CODECS)
    best = found.best()
    if best is None:
        return _USUAL
    # Which one it looks like is chance among those in which its words are words of a language.
    is_usual = any(each.encoding == _USUAL and each.coherence >= best.coherence for each in found)
    return _USUAL if is_usual else best.encoding
