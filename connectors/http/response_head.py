"""The head of a response, rewritten as a strict parser takes it: browsers read odd ones, too."""

import re
from collections.abc import Iterator

HEAD_END = re.compile(rb"[^\r\n]\r{0,2}\n\r{0,2}\n")
MAX_HEAD_END = 6
"""Bytes in which the end of a head is found, less one; blank lines before a head are no end."""
_STATUS_LINE = re.compile(
    rb"[^\n]{0,4}?HTTP(?:/(?P<version>\d+(?:\.\d+)?))?[ \t]+(?P<status>\d{3})(?!\d)(?P<reason>.*)",
    re.IGNORECASE | re.DOTALL,
)
_NO_HTTP = re.compile(rb"(?!\s*[^\n]{0,4}?HTTP)", re.IGNORECASE)
_LEAST = 100
"""Bytes in which the name of the protocol must stand."""
# Most heads, for which a parser needs no help; to rewrite one takes ten times as long.
_STRICT = re.compile(
    rb"HTTP/1\.[01] \d{3} [^\r\n\0]*+\r\n(?:[A-Za-z0-9_-]++: [^\r\n\0]*+\r\n)*+\r\n"
)
_FRAMING = re.compile(
    rb"\n(?:(content-length: \d+|transfer-encoding: chunked)\r|content-length|transfer-encoding)",
    re.IGNORECASE,
)
_FOLDED = re.compile(rb"\r*\n[ \t]+")
_LINE_END = re.compile(rb"\r*\n")
_LENGTH_VALUE = re.compile(rb"-?\d+")
_FIELD = re.compile(rb"([!#$%&'*+.^_`|~0-9A-Za-z-]+)[ \t]*:[ \t]*(.*)", re.DOTALL)
_LENGTH, _CODING = b"content-length", b"transfer-encoding"

Field = tuple[bytes, bytes]


def ordinary_head(beginning: bytes) -> bytes | None:
    r"""Return the head that some bytes begin with, as most do, if all parsers accept it as it is.

    >>> ordinary_head(b"HTTP/1.1 200 OK\r\nA: b\r\n\r\nZeus")
    b'HTTP/1.1 200 OK\r\nA: b\r\n\r\n'
    """
    found = _STRICT.match(beginning)
    if found is None:
        return None
    framed = _FRAMING.findall(found[0])
    return found[0] if all(framed) and len(framed) <= 1 else None


def is_no_http(beginning: bytes | bytearray) -> bool:
    """Return whether what a server sends is too long already to begin a response.

    >>> is_no_http(b"SSH-2.0-OpenSSH " * 10)
    True
    """
    return len(beginning) >= _LEAST and _NO_HTTP.match(beginning) is not None


def no_http(message: str) -> str:
    r"""Return the reason of a response that is no HTTP, by the message of a parser.

    >>> no_http("Invalid character in chunk size:\n\n  b'Zeus'")
    'the response is not valid HTTP: Invalid character in chunk size'
    """
    return f"the response is not valid HTTP: {message.partition(':')[0].strip()}"


def strict_head(head: bytes) -> bytes:
    r"""Return the head of a response with what browsers accept in a form that all parsers accept.

    Lines without a colon or a name are dropped, as are lengths that are no number, and the length
    of a body in chunks. One length that is named several times is named once. A head without a
    status is empty.

    >>> strict_head(b"HTTP/1.1 200\nA : b\nGarbage\nContent-Length: 4, 4\n\n")
    b'HTTP/1.1 200 \r\nA: b\r\nContent-Length: 4\r\n\r\n'
    """
    if ordinary_head(head) == head:
        return head
    first, *lines = _LINE_END.split(_FOLDED.sub(b" ", head.strip(b"\r\n")))
    status = _STATUS_LINE.match(first)
    if status is None:
        return b""
    version = b"1.0" if status["version"] in (None, b"1.0") else b"1.1"
    found = filter(None, map(_FIELD.fullmatch, lines))
    fields = [(each[1], _printable(each[2])) for each in found]
    lengths, codings = _values(fields, _LENGTH), _values(fields, _CODING)
    others = (field for field in fields if field[0].lower() not in (_LENGTH, _CODING))
    written = (b"%s: %s\r\n" % field for field in (*others, *_framing(lengths, codings)))
    reason = _printable(status["reason"])
    return b"HTTP/%s %s %s\r\n%s\r\n" % (version, status["status"], reason, b"".join(written))


def _printable(value: bytes) -> bytes:
    return value.replace(b"\0", b"").replace(b"\r", b" ").strip()


def _values(fields: list[Field], name: bytes) -> list[bytes]:
    """Return the members of a list that may be in one field, or in several of the name."""
    own = (value for each, value in fields if each.lower() == name)
    return [part.strip().lower() for value in own for part in value.split(b",")]


def _framing(lengths: list[bytes], codings: list[bytes]) -> Iterator[Field]:
    """Return the fields that say where a body ends; none if the end of the connection does.

    Lengths that differ are all returned: a parser refuses them.
    """
    if codings and codings[-1] == b"chunked":
        yield b"Transfer-Encoding", b"chunked"
        return
    numbers = (each for each in lengths if _LENGTH_VALUE.fullmatch(each))
    for length in dict.fromkeys(each.lstrip(b"0") or b"0" for each in numbers):
        yield b"Content-Length", length
