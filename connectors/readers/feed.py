"""RSS and Atom: their titles and summaries."""

import re
from collections.abc import Iterable, Iterator

from bs4 import Tag

from connectors.readers.html import marked_html
from connectors.readers.layout import laid_out
from connectors.readers.marks import BREAK, GAP, HEADING_END, HEADINGS, SCOPE, SCOPE_END
from connectors.readers.page_text import PageText
from connectors.readers.xhtml import marked_xhtml

# Dates, ids and links would turn every fetch into a change.
_READ = ("title", "subtitle", "description", "summary", "content", "encoded")
_ENTRIES = ("item", "entry")
_TITLED = ("channel", "feed", *_ENTRIES)
_PARENTS = ("rss", *_TITLED)
# A logo and a search form.
_UNSEEN = ("image", "textInput", "textinput")
# Some authors escape a text twice, the second time with the marks of the first.
_CDATA = re.compile(r"<!\[CDATA\[(.*?)(?:\]\]>|\Z)", re.DOTALL)
_ATOM = "http://www.w3.org/2005/Atom"
_FEEDS = (
    None,  # RSS 0.9x and 2.0
    _ATOM,
    "http://purl.org/rss/1.0/",
    "http://purl.org/rss/1.0/modules/content/",
)


def feed_text(root: Tag) -> PageText:
    """Read titles, summaries and contents in document order, as the text of their HTML.

    Atom's text is HTML only if declared (RFC 4287, 3.1.1); RSS's always is. An empty line is
    between entries; their titles are headings of level 2, the feed's title of level 1.
    """
    marked = "".join(marked_feed(root.find_all(True)))
    return laid_out(marked + SCOPE_END).with_title("")


def marked_feed(tags: Iterable[Tag]) -> Iterator[str]:
    """Read some elements of a feed, in document order, with marks."""
    for tag in tags:
        name, parent = _local(tag), _local(tag.parent)
        if not (tag.namespace in _FEEDS or (parent in _PARENTS and _is_of_parent(tag))):
            continue
        if name in _ENTRIES:
            yield SCOPE_END + GAP + SCOPE
        elif name not in _READ or parent in _UNSEEN:
            continue
        elif name == "title" and parent in _TITLED:
            yield HEADINGS[parent in _ENTRIES] + _below(_text(tag)) + HEADING_END
        else:
            yield BREAK + _below(_text(tag)) + BREAK


def _is_of_parent(tag: Tag) -> bool:
    """Return whether an element is in the namespace of its feed, such as Atom 0.3."""
    return tag.parent is not None and tag.namespace == tag.parent.namespace


def _local(tag: Tag | None) -> str:
    return "" if tag is None else tag.name.rpartition(":")[2]


def _below(marked: str) -> str:
    """Set the headings of a text below the title of the entry."""
    return marked.replace(HEADINGS[0], HEADINGS[2]).replace(HEADINGS[1], HEADINGS[2])


def _text(tag: Tag) -> str:
    kind = tag.get("type", "text") if tag.namespace == _ATOM else "html"
    if kind == "xhtml":
        return marked_xhtml(tag)
    text = _CDATA.sub(r"\1", tag.get_text())
    return marked_html(text) if kind in ("html", "text/html") else text
