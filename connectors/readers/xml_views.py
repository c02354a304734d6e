"""The text of XML in many views, from a single parse."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Any

import soupsieve
from bs4 import Tag

from connectors.readers.each_view import page_in_each
from connectors.readers.errors import (
    Unreadable,
    no_element,
    nothing_selected,
    nothing_shown,
    unfit_view,
    wrong_language,
)
from connectors.readers.feed import marked_feed
from connectors.readers.layout import laid_out
from connectors.readers.lxml_copy import mirrored_xml
from connectors.readers.marks import BREAK
from connectors.readers.page_text import PageText, RawPage
from connectors.readers.parts import repeats
from connectors.readers.visible import TEXTLESS
from connectors.readers.xhtml import hidden_xhtml, marked_xhtml, xhtml_title
from connectors.readers.xml import CODE, kind_of, marked_elements, parsed_xml, texts_of
from connectors.readers.xpath import found_by_xpath
from schemas.records.views import Selector, View

Found = Sequence[tuple[Tag, str | None]]
"""Elements, each with a text if the text was found, not the element."""
Counted = tuple[Tag, str | None, int]
"""The same, with the number of earlier matches of the selector."""
_TEXTLESS = {"html": TEXTLESS, "elements": frozenset(CODE)}


def read_xml_views(page: RawPage, views: Sequence[View]) -> list[PageText | Unreadable]:
    """Read the text in each view, like ``read_xml``, or say why a view fails.

    Raises Unreadable if the document cannot be.
    """
    document = _XmlDocument(parsed_xml(page.body, page.charset))
    return page_in_each(views, document.page)


class _XmlDocument:
    """A parsed document, with the matches of each selector."""

    def __init__(self, root: Tag) -> None:
        self._root = root
        self._kind = kind_of(root)
        self._title = xhtml_title(root) if self._kind == "html" else ""
        self._hidden = hidden_xhtml(root) if self._kind == "html" else set[int]()
        self._texts = texts_of(root)
        self._order = {id(tag): at for at, tag in enumerate((root, *root.find_all(True)))}
        self._found: dict[Selector, Found | Unreadable] = {}
        self._mirror: tuple[Any, dict[Any, Tag], dict[str, str]] | None = None

    def page(self, view: View) -> PageText:
        """Read the document in a view; raises Unreadable, as NothingSelected."""
        if (unfit := unfit_view(view, "XML")) is not None:
            raise unfit
        selected: list[Counted] = [(self._root, None, 0)]
        if view.select:
            selected = list(self._all_found(view.select))
            if not selected:
                raise nothing_selected()
            selected = list(filter(self._may_be_shown, selected))
            if not selected:
                raise nothing_shown()
        excluded = set(self._excluded(view.exclude))
        parts = (
            self._marked(tag, literal, excluded) for tag, literal, _ in self._outermost(selected)
        )
        return laid_out(BREAK.join(parts)).with_title(self._title)

    def _excluded(self, selectors: Iterable[Selector]) -> Iterator[int]:
        for selector in selectors:
            for tag, literal, _ in self._all_found([selector]):
                if literal is not None:
                    raise no_element(selector)
                yield id(tag)

    def _may_be_shown(self, found: Counted) -> bool:
        tag, literal, _ = found
        if literal is not None:
            return True
        if not self._hidden.isdisjoint(map(id, (tag, *tag.parents))):
            return False
        return tag.name.rpartition(":")[2] not in _TEXTLESS.get(self._kind, ())

    def _outermost(self, found: Sequence[Counted]) -> Sequence[Counted]:
        """Return the outermost matches in document order."""
        whole = {id(tag) for tag, literal, _ in found if literal is None}
        once = {
            (id(tag), literal, repeat): (tag, literal, repeat)
            for tag, literal, repeat in found
            if literal is not None or whole.isdisjoint(map(id, tag.parents))
        }
        return sorted(
            once.values(), key=lambda each: (self._order[id(each[0])], each[1] is not None)
        )

    def _marked(self, part: Tag, literal: str | None, excluded: Collection[int]) -> str:
        if literal is not None:
            return literal
        match self._kind:
            case "html":
                return marked_xhtml(part, self._hidden.union(excluded))
            case "feed":
                return _marked_part_of_feed(part, excluded)
        return marked_elements(part, self._texts, excluded)

    def _all_found(self, selectors: Iterable[Selector]) -> Iterator[Counted]:
        for selector in selectors:
            if selector not in self._found:
                self._found[selector] = self._find(selector)
            found = self._found[selector]
            if isinstance(found, Unreadable):
                raise found
            counted = repeats((id(tag), literal) for tag, literal in found)
            yield from ((*each, repeat) for each, repeat in zip(found, counted, strict=True))

    def _find(self, selector: Selector) -> Found | Unreadable:
        try:
            if selector.css is not None:
                return self._by_css(selector.css)
            if selector.xpath is not None:
                return self._by_xpath(selector.xpath)
            return wrong_language(selector, "XML")
        except Unreadable as error:
            return error

    def _by_css(self, css: str) -> Found:
        try:
            found = soupsieve.select(css, self._root)
        except (soupsieve.SelectorSyntaxError, NotImplementedError):
            raise Unreadable(f"the CSS selector {css!r} cannot be used") from None
        # It looks below an element only.
        root = [self._root] if soupsieve.match(css, self._root) else []
        return [(tag, None) for tag in (*root, *found)]

    def _by_xpath(self, xpath: str) -> Found:
        if self._mirror is None:
            self._mirror = mirrored_xml(self._root)
        root, tags, prefixes = self._mirror
        found = found_by_xpath(root, xpath, prefixes)
        return [(tags[element], literal) for element, literal in found]


def _marked_part_of_feed(part: Tag, excluded: Collection[int]) -> str:
    """Read a part of a feed; an element alone even if feeds are read without the element."""
    if id(part) in excluded:
        return ""
    every = (part, *part.find_all(True))
    tags = [tag for tag in every if not any(id(each) in excluded for each in (tag, *tag.parents))]
    return "".join(marked_feed(tags)) or (part.get_text() if len(every) == 1 else "")
