"""RSS and Atom: the titles and summaries that a person reads."""

from collections.abc import Iterator

from bs4 import Tag

from connectors.readers.html import text_of
from connectors.readers.xhtml import xhtml_text

# Dates, ids and links would turn every fetch into a change.
_READ = ("title", "subtitle", "description", "summary", "content", "encoded")
_ATOM = "http://www.w3.org/2005/Atom"
_FEEDS = (
    None,  # RSS 0.9x and 2.0
    _ATOM,
    "http://purl.org/rss/1.0/",
    "http://purl.org/rss/1.0/modules/content/",
)


def feed_text(root: Tag) -> str:
    """Read titles, summaries and contents in document order, as the text of their HTML.

    Atom's text is HTML only if it says so (RFC 4287, 3.1.1); RSS's always is.
    """
    return "\n".join(filter(None, map(_text, _elements(root))))


def _elements(root: Tag) -> Iterator[Tag]:
    for tag in root.find_all(True):
        if tag.name.rpartition(":")[2] in _READ and tag.namespace in _FEEDS:
            yield tag


def _text(tag: Tag) -> str:
    kind = tag.get("type", "text") if tag.namespace == _ATOM else "html"
    if kind == "xhtml":
        return xhtml_text(tag)
    return text_of(tag.get_text()) if kind in ("html", "text/html") else tag.get_text().strip()
