"""The links of a document: of an HTML page, a sitemap (sitemaps.org 0.9) or a feed."""

from collections.abc import Iterator
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import urljoin

from connectors.readers.errors import Unreadable
from connectors.readers.reading import html_of
from connectors.readers.sniffing import sniffed_type
from schemas.records.urls import as_in_browsers

if TYPE_CHECKING:
    from lxml import etree
    from selectolax.lexbor import LexborNode

_FEEDS = "application/rss+xml", "application/atom+xml"
_ASIDE = "script, style, nav, header, footer, aside, form, template, noscript"
"""Elements which differ between a page and its print version."""
MAX_LOOKED_AT = 20_000
"""The most links of a document to read: ten times as many as are followed."""


class FoundLinks(NamedTuple):
    """The links of a document, its sitemaps and feeds, and its text."""

    links: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()
    text: str = ""


def find_links(body: bytes, content_type: str | None, url: str) -> FoundLinks:
    """Find the absolute URLs in a document; there are none in broken XML.

    >>> find_links(b"<p><a href='b#c'>Argus</a>", "text/html", "https://example.org/a").links
    ('https://example.org/b',)
    """
    try:
        markup = html_of(body, content_type)
    except Unreadable:
        return FoundLinks()
    if markup is not None:
        return _in_html(markup, url)
    return _in_xml(body, url) if sniffed_type(body) == "application/xml" else FoundLinks()


def _in_html(markup: str, url: str) -> FoundLinks:
    from connectors.readers.html import parsed_html  # noqa: PLC0415 - workers load no parser

    root = parsed_html(markup)
    if root is None:
        return FoundLinks()
    robots = (each.attributes.get("content") or "" for each in root.css('meta[name="robots" i]'))
    if any("nofollow" in each.lower() for each in robots):
        return FoundLinks()
    base = root.css_first("base[href]")
    base_url = _joined(url, (base.attributes.get("href") or "") if base is not None else "") or url
    links = tuple(_links(root, base_url))
    sources = tuple(_feeds(root, base_url))
    for node in root.css(_ASIDE):
        node.decompose()
    return FoundLinks(links, sources, root.text(separator=" "))


def _links(root: "LexborNode", base: str) -> Iterator[str]:
    for node in root.css("a[href], area[href]")[:MAX_LOOKED_AT]:
        if "nofollow" not in (node.attributes.get("rel") or "").lower().split():
            yield from _whole(base, node.attributes.get("href"))


def _feeds(root: "LexborNode", base: str) -> Iterator[str]:
    for node in root.css("link[rel~=alternate i][href]")[:MAX_LOOKED_AT]:
        if (node.attributes.get("type") or "").lower() in _FEEDS:
            yield from _whole(base, node.attributes.get("href"))


def _in_xml(body: bytes, url: str) -> FoundLinks:
    from lxml import etree  # noqa: PLC0415 - as above

    parser = etree.XMLParser(resolve_entities=False, no_network=True, huge_tree=False)
    try:
        root = etree.fromstring(body, parser)
    except (etree.XMLSyntaxError, ValueError):
        return FoundLinks()
    if _name(root) == "sitemapindex":
        return FoundLinks(sources=tuple(_texts(root, "loc", url)))
    if _name(root) == "urlset":
        return FoundLinks(links=tuple(_texts(root, "loc", url)))
    return FoundLinks(links=(*_texts(root, "link", url), *_atom_links(root, url)))


def _texts(root: "etree._Element", name: str, url: str) -> Iterator[str]:
    for node in islice(root.iter("{*}" + name), MAX_LOOKED_AT):
        yield from _whole(url, (node.text or "").strip())


def _atom_links(root: "etree._Element", url: str) -> Iterator[str]:
    for node in islice(root.iter("{http://www.w3.org/2005/Atom}link"), MAX_LOOKED_AT):
        if node.get("rel", "alternate") == "alternate":
            yield from _whole(url, node.get("href"))


def _name(node: "etree._Element") -> str:
    return node.tag.rpartition("}")[2] if isinstance(node.tag, str) else ""


def _whole(base: str, link: str | None) -> Iterator[str]:
    if link and (found := _joined(base, link)):
        yield found


def _joined(base: str, link: str) -> str:
    """Return an http or https URL without its fragment, empty if there is none."""
    try:
        found = urljoin(base, as_in_browsers(link)).partition("#")[0]
    except ValueError:
        return ""
    return found if found.startswith(("http://", "https://")) else ""
