"""The language declared in a document."""

import re

from selectolax.lexbor import LexborNode

from connectors.language_tags import language_code
from connectors.readers.html import parsed_html

MAX_HEAD = 16_000
"""Bytes at the beginning of a document in which its language is sought."""
_XML = re.compile(
    rb"<(?![?!])[^<>]*?\sxml:lang\s*=\s*[\"']([\w-]+)|<(?:\w+:)?language\s*>\s*([\w-]+)\s*<"
)
_ITEM = re.compile(rb"<(?:\w+:)?(?:item|entry)[\s>]")
_META = "meta[http-equiv='content-language' i]"


def declared_language(media: str, body: bytes) -> str:
    """Return the ISO 639-1 code of the declared language, empty if there is none.

    The ``lang`` of a page's ``html`` (HTML, 3.2.6.2), or the language of a feed or of other XML.
    The language of an item is not the feed's.

    >>> declared_language("text/html", b"<html lang=en-GB><p>Storm lantern")
    'en'
    """
    head = body[:MAX_HEAD]
    if media == "text/html":
        return language_code(_of_html(head))
    if media.endswith(("/xml", "+xml")):
        found = _XML.search(_ITEM.split(head, 1)[0])
        return language_code((found[1] or found[2]).decode() if found else "")
    return ""


def _of_html(head: bytes) -> str:
    small = head.lower()
    if b"lang" not in small:
        return ""
    # To parse no more than the tag takes a tenth of the time; what only looks like it has none.
    tag = _root(head[: small.find(b">", small.find(b"<html")) + 1])
    return (tag is not None and tag.attributes.get("lang")) or _of_page(_root(head))


def _root(head: bytes) -> LexborNode | None:
    # A tag is ASCII, and so are nearly all charsets as far as that.
    return parsed_html(head.decode("latin-1"))


def _of_page(root: LexborNode | None) -> str:
    if root is None:
        return ""
    own = root.attributes.get("lang") or root.attributes.get("xml:lang")
    if own:
        return own
    meta = root.css_first(_META)
    return (meta.attributes.get("content") or "") if meta is not None else ""
