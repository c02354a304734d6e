"""The text of HTML in many views, from a single parse."""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

from selectolax.lexbor import LexborNode, SelectolaxError

from connectors.readers.attributes import show_attributes
from connectors.readers.cents import mark_cents
from connectors.readers.each_view import page_in_each
from connectors.readers.errors import (
    Unreadable,
    no_element,
    no_price,
    nothing_selected,
    nothing_shown,
    wrong_language,
)
from connectors.readers.html import (
    decoded_html,
    hidden_elements,
    html_text,
    language_of,
    marked_text,
    parsed_html,
    title_of,
)
from connectors.readers.html_tables import spread_headers
from connectors.readers.layout import laid_out
from connectors.readers.lxml_copy import mirrored_html
from connectors.readers.numbers.locales import EXACT
from connectors.readers.page_text import PageText, RawPage
from connectors.readers.parts import Part, Span, labels, repeats, text_of_parts, unlabelled
from connectors.readers.products import StatedPrices, prices_of, stock_of
from connectors.readers.stock import around_price
from connectors.readers.visible import TEXTLESS
from connectors.readers.xpath import as_in_html, found_by_xpath
from schemas.records.views import Selector, View, is_of_product

_STRUCK = Selector(css="del, s, strike, [style*='line-through' i]")
"""Prices of before."""
_DIGIT = re.compile(r"\d")
Found = Sequence[tuple[int, str | None]] | Unreadable
"""The elements found by a selector, or the fault of the selector.

Each is an id, with a text if the match is a text in the element."""


@dataclass(frozen=True, slots=True)
class _Labelled:
    """The marked text of a page, with the matches of each selector."""

    text: str
    title: str
    language: str
    prices: StatedPrices
    """The prices stated for programs."""
    stock: str
    """The stock stated for programs."""
    spans: Mapping[int, Span]
    """The places of the elements; hidden elements have none."""
    places: Mapping[int, int]
    """The order of the elements in the document; empty if XPath seeks no text."""
    found: Mapping[Selector, Found]

    def page(self, view: View) -> PageText:
        """Read the page in a view; raises Unreadable, as NothingSelected."""
        if is_of_product(view):
            return self._price()
        if view.stock and self.stock:
            return PageText(self.stock, self.title, language=self.language)
        text = self.text
        if view.select or view.exclude or view.number:
            selected = self._parts(view.select) if view.select else [Part(0, len(text))]
            if not selected:
                is_found = any(self.found[each] for each in view.select)
                raise nothing_shown() if is_found else nothing_selected()
            excluded = list(self._excluded(view.exclude))
            text = text_of_parts(text, selected, excluded)
            if view.number is not None:
                struck = [(part.start, part.end) for part in self._parts([_STRUCK])]
                current = text_of_parts(self.text, selected, [*excluded, *struck])
                text = current if _DIGIT.search(current) else text
        page = laid_out(text).with_title(self.title, self.language)
        return around_price(page) if view.stock else page

    def _price(self) -> PageText:
        if not self.prices.lines:
            raise no_price()
        text, doubts = "\n".join(self.prices.lines), self.prices.doubts
        return PageText(text, self.title, language=EXACT, doubts=doubts)

    def _excluded(self, selectors: Iterable[Selector]) -> Iterator[Span]:
        for selector in selectors:
            for part in self._parts([selector]):
                if part.literal is not None:
                    raise no_element(selector)
                yield part.start, part.end

    def _parts(self, selectors: Iterable[Selector]) -> list[Part]:
        parts: list[Part] = []
        for selector in selectors:
            found = self.found[selector]
            if isinstance(found, Unreadable):
                raise found
            for (element, literal), repeat in zip(found, repeats(found), strict=True):
                if element in self.spans or literal:
                    span = self.spans.get(element, (0, 0))
                    place = self.places.get(element, span[0])
                    parts.append(Part(*span, literal, place, repeat))
        return parts


def read_html_views(page: RawPage, views: Sequence[View]) -> list[PageText | Unreadable]:
    """Read the visible text in each view, like ``read_html``, or say why a view fails.

    A single parse serves all views with the same additions to its text.
    """
    markup = decoded_html(page.body, page.charset)
    alike: defaultdict[tuple[Any, ...], list[View]] = defaultdict(list)
    for view in views:
        alike[view.attributes, view.rows, _is_of_number(view)].append(view)
    found = [zip(each, _read_alike(markup, page.url, each), strict=True) for each in alike.values()]
    by_view = dict(chain.from_iterable(found))
    return [by_view[view] for view in views]


def _read_alike(markup: str, url: str, views: Sequence[View]) -> list[PageText | Unreadable]:
    """Read a page in views with the same additions to its text."""
    root = parsed_html(markup)
    if root is None:
        return [nothing_selected() if view.select else PageText("") for view in views]
    labelled = _labelled(root, url, views)

    def page(view: View) -> PageText:
        return _article(markup, labelled) if view.main else labelled.page(view)

    return page_in_each(views, page)


def _is_of_number(view: View) -> bool:
    """Return whether a view reads a number of the text."""
    return view.number is not None and not is_of_product(view)


def _article(markup: str, page: _Labelled) -> PageText:
    from connectors.readers.article import article_of  # noqa: PLC0415 - 27 MB that few pages need

    try:
        return html_text(article_of(markup)).with_title(page.title, page.language)
    except Exception as error:  # other views of the page can be read
        raise Unreadable(f"the article could not be looked for: {error!r}") from error


def _labelled(root: LexborNode, url: str, views: Sequence[View]) -> _Labelled:
    """Find the selected and excluded parts in a text shared by all these views."""
    title, language = title_of(root), language_of(root)
    prices = prices_of(root, url) if any(map(is_of_product, views)) else StatedPrices()
    stock = stock_of(root, url) if any(view.stock for view in views) else ""
    finder = _Finder(root)
    selectors = {each for view in views for each in (*view.select, *view.exclude)}
    if _is_of_number(views[0]):
        selectors.add(_STRUCK)
    found = {selector: finder.found(selector) for selector in selectors}
    hidden = hidden_elements(root)
    ids = dict(enumerate(finder.nodes))
    shown = {
        number
        for number, identity in ids.items()
        if identity not in hidden and finder.nodes[identity].tag not in TEXTLESS
    }
    for number, identity in ids.items():
        if identity != root.mem_id:
            before, after = labels(number)
            finder.nodes[identity].insert_before(before)
            finder.nodes[identity].insert_after(after)
    places = finder.places()
    if _is_of_number(views[0]):
        mark_cents(root)
    if views[0].rows:
        spread_headers(root)
    if views[0].attributes:
        show_attributes(root, views[0].attributes, url)
    text, spans = unlabelled(marked_text(root))
    by_id = {ids[number]: span for number, span in spans.items() if number in shown}
    by_id[root.mem_id] = (0, len(text))
    return _Labelled(text, title, language, prices, stock, by_id, places, found)


class _Finder:
    """Finds elements of a page."""

    def __init__(self, root: LexborNode) -> None:
        self.nodes: dict[int, LexborNode] = {}
        """The found elements by their ids."""
        self._root = root
        self._mirror: tuple[Any, dict[Any, LexborNode], dict[str, str]] | None = None

    def found(self, selector: Selector) -> Found:
        try:
            found = self._by_css(selector) if selector.css else self._by_xpath(selector)
        except Unreadable as error:
            return error
        self.nodes |= {node.mem_id: node for node, _ in found}
        return [(node.mem_id, literal) for node, literal in found]

    def places(self) -> dict[int, int]:
        """Return the order of all elements if any was sought by XPath."""
        nodes = self._mirror[1].values() if self._mirror else ()
        return {node.mem_id: place for place, node in enumerate(nodes)}

    def _by_css(self, selector: Selector) -> list[tuple[LexborNode, str | None]]:
        try:
            return [(node, None) for node in self._root.css(selector.css or "")]
        except (SelectolaxError, UnicodeEncodeError):
            raise Unreadable(f"the CSS selector {selector.css!r} cannot be used") from None

    def _by_xpath(self, selector: Selector) -> list[tuple[LexborNode, str | None]]:
        if selector.xpath is None:
            raise wrong_language(selector, "HTML")
        if self._mirror is None:
            self._mirror = mirrored_html(self._root)
        root, nodes, prefixes = self._mirror
        found = found_by_xpath(root, as_in_html(selector.xpath), prefixes)
        return [(nodes[element], literal) for element, literal in found]
