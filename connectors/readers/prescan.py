"""The tags at the beginning of a page, and the charset in them, before its charset is known.

As the HTML standard says ("Prescan a byte stream to determine its encoding"): comments are passed
over, and attributes are separated.
"""

import re
from collections.abc import Collection, Iterator, Mapping

from webencodings import lookup

PRESCAN = 1024
"""Bytes in which a page has to name its charset."""
_BLANK = rb"[\t\n\f\r ]"
_NAME = re.compile(rb"<(/?[A-Za-z][^\t\n\f\r />]*)")
_ATTRIBUTE = re.compile(
    rb"[\t\n\f\r /]*([^\t\n\f\r />][^\t\n\f\r />=]*)(?=[\t\n\f\r />=])"
    rb"(?:B*=B*(?:\"([^\"]*)\"|'([^']*)'|([^\t\n\f\r >\"'][^\t\n\f\r >]*)(?=[\t\n\f\r >])|(?=>))"
    rb"|(?!B*=))".replace(b"B", _BLANK)
)
_TAG_END = re.compile(rb"[\t\n\f\r /]*>")
_IN_CONTENT = re.compile(
    rb"charsetB*=B*(?:\"([^\"]*)\"|'([^']*)'|([^\t\n\f\r ;\"'][^\t\n\f\r ;]*))".replace(
        b"B", _BLANK
    ),
    re.IGNORECASE,
)
_XML = re.compile(rb"\s*<\?xml\b[^>]*?\sencoding\s*=\s*(?:\"([^\">]*)\"|'([^'>]*)')")

Tag = tuple[bytes, Mapping[bytes, bytes]]
"""A name in lower case, with a slash for an end tag, and attributes."""


def tags(beginning: bytes, raw: Collection[bytes] = ()) -> Iterator[Tag]:
    """Find the tags at the beginning of a page, as far as they are there as a whole.

    None is found in elements with a name in ``raw``.

    >>> list(tags(b"<!-- <p> --><META charset='utf-8' lang=de>"))
    [(b'meta', {b'charset': b'utf-8', b'lang': b'de'})]
    """
    at, small = 0, beginning.lower() if raw else b""
    while (at := beginning.find(b"<", at)) >= 0:
        if beginning.startswith(b"<!--", at):
            at = _after(b"-->", beginning, at + 2)
        elif name := _NAME.match(beginning, at):
            attributes, at = _attributes(beginning, name.end())
            end = _TAG_END.match(beginning, at)
            if end is None:
                return
            at = end.end()
            kind = name[1].lower()
            if kind in raw:
                at = _after(b"</" + kind, small, at)
            yield kind, attributes
        elif beginning[at + 1 : at + 2] in (b"!", b"/", b"?"):
            at = _after(b">", beginning, at)
        else:
            at += 1


def _after(sign: bytes, beginning: bytes, at: int) -> int:
    found = beginning.find(sign, at)
    return len(beginning) if found < 0 else found + len(sign)


def _attributes(beginning: bytes, at: int) -> tuple[dict[bytes, bytes], int]:
    """Parse attributes (the first of a name counts), and return the offset after them."""
    attributes: dict[bytes, bytes] = {}
    while found := _ATTRIBUTE.match(beginning, at):
        at = found.end()
        attributes.setdefault(found[1].lower(), found[2] or found[3] or found[4] or b"")
    return attributes, at


def html_charset(beginning: bytes) -> str | None:
    """Return the charset in the beginning of a page; None if there is none.

    >>> html_charset(b"<meta http-equiv=content-type content='text/html; charset=latin1'>")
    'latin1'
    """
    labels = (_meta_charset(tag) for tag in tags(beginning) if tag[0] == b"meta")
    return next(filter(None, map(_written_in, labels)), None) or xml_charset(beginning)


def xml_charset(beginning: bytes) -> str | None:
    """Return the charset of an XML declaration; None if there is none."""
    found = _XML.match(beginning)
    return _written_in((found[1] or found[2]) if found is not None else None)


def _meta_charset(tag: Tag) -> bytes | None:
    _, attributes = tag
    if b"charset" in attributes:
        return attributes[b"charset"]
    if attributes.get(b"http-equiv", b"").lower() != b"content-type":
        return None
    found = _IN_CONTENT.search(attributes.get(b"content", b""))
    return None if found is None else found[1] or found[2] or found[3]


def _written_in(label: bytes | None) -> str | None:
    """Return a label which can be true: a label in ASCII does not name UTF-16."""
    text = (label or b"").decode("ascii", "replace")
    encoding = lookup(text)
    if encoding is None:
        return None
    if encoding.name.startswith("utf-16"):
        return "utf-8"
    return "windows-1252" if encoding.name == "x-user-defined" else text
