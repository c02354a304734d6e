"""XML with common faults, as meant by its author."""

import re
from html import escape, unescape

MAX_LEAD = 65_536
"""Characters before a document in which its beginning is sought."""
_NAME = r"[^\W\d][\w.:-]*"
_ATTRIBUTES = rf"\s+{_NAME}\s*=(?:\"[^\"]*\"|'[^']*'|[^<>\"'])*+>"
_FAULTS = re.compile(
    r"<!--(?:.*?-->|.*)|<!\[CDATA\[(?:.*?\]\]>|.*)"
    # Programs write a character beyond 16 bits as two halves, which are none alone.
    r"|(?P<halves>(?:&#(?:x[Dd][89A-Fa-f][0-9A-Fa-f]{2}|5[5-7][0-9]{3});)+)"
    # XML defines five names; documents that come from HTML use HTML's.
    r"|&(?!(?:amp|lt|gt|quot|apos|#[0-9]+|#x[0-9A-Fa-f]+);)(?:[A-Za-z]\w*;)?"
    rf"|<(?![!?]|/?{_NAME}\s*/?>|{_NAME}{_ATTRIBUTES})",
    re.DOTALL,
)
"""Comments and CDATA, where everything is text, and other signs outside of markup."""
_CODE = re.compile(r"&#(?:x(\w+)|(\d+));")
_MESSAGE = re.compile(r"\s*(?:[^<\s]|<(?:br|b|p|div|pre|font|table|span)\b)")
"""The beginning of a message of the server, such as a warning of PHP."""
_DOCUMENT = re.compile(r"<\?xml\b|<(?:\w+:)?(?:rss|feed|RDF)\b")
_FEED = re.compile(
    r"\s*+(?:(?:<\?.*?\?>|<!--.*?-->|<!DOCTYPE[^>]*>)\s*+)*+<(?:\w+:)?(?:rss|feed|RDF)[\s>]",
    re.DOTALL,
)


def repaired_xml(markup: str) -> str:
    """Escape each ampersand and each less-than sign outside of markup.

    >>> repaired_xml("<a b='1&2'>AT&T, 5 < 6, caf&eacute; &amp; more</a>")
    "<a b='1&amp;2'>AT&amp;T, 5 &lt; 6, café &amp; more</a>"
    >>> repaired_xml("&#xD83D;&#xDE00;")
    '😀'
    """
    return _FAULTS.sub(_repaired, markup)


def _repaired(found: re.Match[str]) -> str:
    if found["halves"]:
        codes = (int(hexa, 16) if hexa else int(plain) for hexa, plain in _CODE.findall(found[0]))
        return (
            "".join(map(chr, codes)).encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        )
    return found[0] if found[0].startswith("<!") else escape(unescape(found[0]))


def without_message(markup: str) -> str:
    r"""Return a document without its server's message before the markup.

    >>> without_message("<b>Warning</b>: x on line 3<br />\n<?xml version='1.0'?><a/>")
    "<?xml version='1.0'?><a/>"
    """
    begin = _DOCUMENT.search(markup, 0, MAX_LEAD) if _MESSAGE.match(markup) else None
    return markup[begin.start() :] if begin else markup


def is_feed(markup: str) -> bool:
    """Return whether a document is a feed by its root element.

    >>> is_feed("<?xml version='1.0'?><!-- made by hand --><rss version='2.0'>"), is_feed("<html>")
    (True, False)
    """
    return _FEED.match(without_message(markup)) is not None
