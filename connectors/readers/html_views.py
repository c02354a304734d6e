"""The text of HTML in many views, from one parse."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from selectolax.lexbor import LexborNode, SelectolaxError

from connectors.readers.errors import Unreadable, nothing_selected
from connectors.readers.html import decoded_html, marked_text, parsed_html, title_of
from connectors.readers.layout import laid_out
from connectors.readers.page_text import PageText
from connectors.readers.parts import Span, labels, text_of_parts, unlabelled
from schemas.views import Selector, View

Found = Sequence[int] | Unreadable
"""The numbers of the elements that a selector finds, or why it cannot be used."""


@dataclass(frozen=True, slots=True)
class _Labelled:
    """The marked text of a page, with what each selector found in it."""

    text: str
    title: str
    spans: dict[int, Span]
    found: Mapping[Selector, Found]

    def page(self, view: View) -> PageText:
        """Read the page in a view; raises Unreadable, as NothingSelected."""
        selected = [(0, len(self.text))]
        if view.select:
            selected = self._spans(view.select)
            if not selected:
                raise nothing_selected()
        text = self.text
        if view.select or view.exclude:
            text = text_of_parts(text, selected, self._spans(view.exclude))
        return laid_out(text).with_title(self.title)

    def _spans(self, selectors: Iterable[Selector]) -> list[Span]:
        spans: list[Span] = []
        for selector in selectors:
            found = self.found[selector]
            if isinstance(found, Unreadable):
                raise found
            # What is inside an element that is not shown is in no text.
            spans += (self.spans.get(number, (0, 0)) for number in found)
        return spans


def read_html_views(
    body: bytes, charset: str | None, views: Sequence[View]
) -> list[PageText | Unreadable]:
    """Read the visible text in each view, as ``read_html`` does, or say why it cannot be read."""
    root = parsed_html(decoded_html(body, charset))
    if root is None:
        return [nothing_selected() if view.select else PageText("") for view in views]
    labelled = _labelled(root, {each for view in views for each in (*view.select, *view.exclude)})
    return [_page(labelled, view) for view in views]


def _page(labelled: _Labelled, view: View) -> PageText | Unreadable:
    try:
        return labelled.page(view)
    except Unreadable as error:
        return error


def _labelled(root: LexborNode, selectors: Iterable[Selector]) -> _Labelled:
    title = title_of(root)
    nodes: dict[int, LexborNode] = {}
    found = {selector: _found(root, selector, nodes) for selector in selectors}
    numbers = {identity: number for number, identity in enumerate(nodes)}
    for identity, node in nodes.items():
        if identity != root.mem_id:
            before, after = labels(numbers[identity])
            node.insert_before(before)
            node.insert_after(after)
    text, spans = unlabelled(marked_text(root))
    if root.mem_id in nodes:
        spans[numbers[root.mem_id]] = 0, len(text)
    by_number = {
        selector: each if isinstance(each, Unreadable) else [numbers[one] for one in each]
        for selector, each in found.items()
    }
    return _Labelled(text, title, spans, by_number)


def _found(root: LexborNode, selector: Selector, nodes: dict[int, LexborNode]) -> Found:
    """Return the identities of the elements that a selector finds, and add them to ``nodes``."""
    try:
        found = {node.mem_id: node for node in root.css(selector.css or "")}
    except SelectolaxError:
        return Unreadable(f"the CSS selector {selector.css!r} cannot be used on HTML")
    for identity, node in found.items():
        nodes.setdefault(identity, node)
    return list(found)
