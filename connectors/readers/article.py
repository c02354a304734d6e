"""The article of an HTML page, without navigation, by trafilatura."""

import logging

from lxml import etree
from trafilatura import bare_extraction
from trafilatura.htmlprocessing import build_html_output

logging.getLogger("trafilatura").setLevel(logging.CRITICAL)  # a page without an article is no fault


def article_of(markup: str) -> str:
    """Return the article of a page as HTML, or the page without an article."""
    found = bare_extraction(markup, output_format="html", include_comments=False, favor_recall=True)
    if found is None or isinstance(found, dict) or not len(found.body):
        return markup
    for paragraph in list(found.body.iter("p")):
        # A break of a line for each newline that trafilatura leaves in odd pages.
        first, *rest = (paragraph.text or "").split("\n")
        breaks = [etree.Element("lb") for _ in rest]
        for each, text in zip(breaks, rest, strict=True):
            each.tail = text
        paragraph.text = first
        paragraph[:0] = breaks
    return build_html_output(found)
