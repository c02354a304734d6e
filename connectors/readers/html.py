"""The visible text of HTML."""

import re
from collections.abc import Collection, Iterable, Sequence

from selectolax.lexbor import LexborDocumentOptions, LexborHTMLParser, LexborNode

from connectors.readers.charsets import decode, decode_unless_utf_8, is_mostly_utf_8
from connectors.readers.inline import HEADINGS as HEADING_NAMES
from connectors.readers.inline import INLINE, are_apart
from connectors.readers.layout import laid_out
from connectors.readers.marks import BREAK, CARD, HEADING_END, HEADINGS, SCOPE_END
from connectors.readers.page_text import PageText
from connectors.readers.prescan import PRESCAN, html_charset
from connectors.readers.visible import HIDDEN, MARKS, PAGE, UNSEEN, UNSEEN_HERE

_CARD, _SCOPE_END = CARD.encode(), SCOPE_END.encode()
_MAX_HEAD = 65_536
_MARKS = {tag: (before.encode(), after.encode()) for tag, (before, after) in MARKS.items()}
# Many pages have mostly links and spans, which have no marks: an object for each costs the most.
_MARKED_OR_UNSEEN = ":not(a:not([hidden], [style]), span:not([hidden], [style]))"
_MAY_HIDE = re.compile("hidden|style|<(?:svg|dialog)", re.IGNORECASE)
_INLINE_NAMES = rf"(?:{'|'.join(INLINE)})\b"
_INLINE_START = re.compile(f"><{_INLINE_NAMES}", re.IGNORECASE)
_INLINE_END = re.compile(f"</{_INLINE_NAMES}|<!", re.IGNORECASE)
_SHORT = 4_000
_SOMETIMES = frozenset(["svg", "dialog"])
"""Names of hidden elements, or with hidden elements inside, by UNSEEN_HERE."""
_HEADINGS = HEADING_NAMES - {"h1"}
_INLINE = ", ".join(INLINE)
_UNMARKED = f"[role='heading' i]:not(a, h1, h2, h3, h4, h5, h6), :is({_INLINE}) + :is({_INLINE})"
"""CSS selector of headings without the element, and of texts set apart by a style sheet."""
_LEVELS = frozenset("123456")
_LEVEL = 2
"""The level of a heading that names none, as in WAI-ARIA."""
# The methods for bytes: those for all types take twice as long, for they choose at each call.
_insert_before = LexborNode.insert_before["bytes"]  # type: ignore[index]
_insert_after = LexborNode.insert_after["bytes"]  # type: ignore[index]


def read_html(body: bytes, charset: str | None) -> PageText:
    """Read the visible text, a line per block; ``charset`` is the header's.

    The title is included. Blocks separate words, and inline elements that are no parts of one.
    """
    # The parser reads UTF-8, in which most pages are.
    return html_text(decode_unless_utf_8(body, charset, named=_named_charset, late=_late_charset))


def decoded_html(body: bytes, charset: str | None) -> str:
    """Decode HTML, which may name its charset; ``charset`` is the header's.

    Raises Unreadable.

    A charset named too late counts, as in browsers, unless the page is valid UTF-8.
    """
    return decode(body, charset, named=_named_charset, late=_late_charset)


def _named_charset(body: bytes) -> str | None:
    return html_charset(body[:PRESCAN])


def _late_charset(body: bytes) -> str | None:
    return html_charset(body[:_MAX_HEAD]) or ("utf-8" if is_mostly_utf_8(body) else None)


def html_text(markup: str | bytes) -> PageText:
    """Read the visible text of HTML (bytes: UTF-8) with its title, or else its first heading.

    Example:
        >>> page = html_text("<h1>Zeus</h1><p hidden>Hera</p><p>Father of <b>gods</b></p>")
        >>> page.title, page.text.splitlines()
        ('Zeus', ['Zeus', 'Father of gods'])
    """
    root = parsed_html(markup)
    if root is None:
        return PageText("")
    title, language = title_of(root), language_of(root)  # before it is marked
    return laid_out(marked_text(root)).with_title(title, language)


def marked_html(markup: str) -> str:
    """Read the visible text of a piece of HTML, with marks where its elements begin and end."""
    if "<" not in markup and "&" not in markup:
        return BREAK + markup
    root = parsed_html(markup)
    if root is None:
        return ""
    # To use a first CSS selector costs more than to parse a short piece.
    if len(markup) <= _SHORT and not (_MAY_HIDE.search(markup) or _has_neighbours(markup)):
        nodes = list(root.traverse())
        return _marked(root, nodes, [node.tag for node in nodes], frozenset())
    return marked_text(root)


def _has_neighbours(markup: str) -> bool:
    """Return whether inline elements have nothing between, or perhaps a comment."""
    starts = (markup.rfind("<", 0, each.start()) for each in _INLINE_START.finditer(markup))
    return any(_INLINE_END.match(markup, start) for start in starts)


def parsed_html(markup: str | bytes) -> LexborNode | None:
    """Parse HTML (bytes: UTF-8) as browsers do; None for an empty text."""
    return LexborHTMLParser(markup, options=LexborDocumentOptions.WO_EVENTS).root


def title_of(root: LexborNode) -> str:
    """Return the title of a page without marks, empty if there is none."""
    title = root.css_first("head > title")
    if title is not None and (text := title.text().strip()):
        return text
    meta = root.css_first("meta[property='og:title']")
    return (meta.attributes.get("content") if meta is not None else "") or ""


def language_of(root: LexborNode) -> str:
    """Return the declared language tag of a page, empty if there is none."""
    html = root if root.tag == "html" else root.css_first("html")
    return ((html.attributes.get("lang") if html is not None else "") or "").strip()


def marked_text(root: LexborNode) -> str:
    """Return the visible text of a page with marks; changes the page."""
    nodes = root.css(_MARKED_OR_UNSEEN)
    tags = [node.tag for node in nodes]
    for node in root.css(_UNMARKED):
        _set_apart(node)
    return _marked(root, nodes, tags, hidden_elements(root, set(tags)))


def _set_apart(node: LexborNode) -> None:
    """Mark a heading, or put a blank before an element set apart by a style sheet."""
    if node.tag != "a" and (node.attributes.get("role") or "").lower() == "heading":
        level = node.attributes.get("aria-level") or ""
        at = int(level) if level in _LEVELS else _LEVEL
        _insert_before(node, HEADINGS[at - 1].encode())
        _insert_after(node, HEADING_END.encode())
        return
    before = node.prev
    if before is not None and before.is_text_node:  # as most: a name costs more to ask for
        return
    while before is not None and before.tag == "-comment":
        before = before.prev
    if before is not None and before.is_element_node and _are_apart(before, node):
        _insert_before(node, b" ")


def _are_apart(one: LexborNode, other: LexborNode) -> bool:
    """Return whether two elements with nothing between are parts of different words."""
    if one.tag == other.tag == "a":
        return True
    texts = one.text(), other.text()
    return are_apart((one.tag, other.tag), texts, lambda: _have_style(one, other))


def _have_style(one: LexborNode, other: LexborNode) -> bool:
    return _differ_in_class(one, other) or _is_in_heading(other)


def _differ_in_class(one: LexborNode, other: LexborNode) -> bool:
    kinds = [each.attributes.get("class") for each in (one, other)]
    return all(kinds) and kinds[0] != kinds[1]


def _is_in_heading(node: LexborNode) -> bool:
    around = node.parent
    while around is not None and around.tag not in HEADING_NAMES:
        around = around.parent
    return around is not None


def _marked(
    root: LexborNode,
    nodes: Sequence[LexborNode],
    tags: Sequence[str | None],
    hidden: Collection[int],
) -> str:
    """Set marks at some elements, which have these names; ``hidden`` are identities.

    Returns the text.
    """
    unseen = []
    for node in _cards(node for node, tag in zip(nodes, tags, strict=True) if tag in _HEADINGS):
        _insert_before(node, _CARD)
        _insert_after(node, _SCOPE_END)
    for node, tag in zip(nodes, tags, strict=True):
        if tag in UNSEEN or (hidden and node.mem_id in hidden):
            unseen.append(node)
        elif tag in _MARKS:
            before, after = _MARKS[tag]
            _insert_before(node, before)
            if after:
                _insert_after(node, after)
    for node in reversed(unseen):  # an element inside another one before that one
        node.decompose()
    return root.text()


def _cards(headings: Iterable[LexborNode]) -> list[LexborNode]:
    """Return the elements with some headings next to another element of their kind.

    The main heading of a page belongs to everything after the heading.
    """
    found: dict[int, LexborNode] = {}
    seen: set[int] = set()
    for heading in headings:
        node = heading.parent
        while node is not None and node.mem_id not in seen:
            seen.add(node.mem_id)
            if node.tag == "div" and _has_like(node):
                found[node.mem_id] = node
            node = node.parent
    return list(found.values())


def _has_like(node: LexborNode) -> bool:
    """Whether a neighbour of the element has the same name and classes."""
    kind = node.attributes.get("class")
    for step in ("prev", "next"):
        other = getattr(node, step)
        while other is not None and not other.is_element_node:
            other = getattr(other, step)
        if other is not None and other.tag == node.tag and other.attributes.get("class") == kind:
            return True
    return False


def remove_hidden(root: LexborNode) -> None:
    """Remove the hidden elements of a page."""
    hidden = hidden_elements(root)
    nodes = root.css(_MARKED_OR_UNSEEN)
    unseen = [node for node in nodes if node.tag in UNSEEN or node.mem_id in hidden]
    for node in reversed(unseen):  # an element inside another one before that one
        node.decompose()


def hidden_elements(root: LexborNode, names: Collection[str | None] = _SOMETIMES) -> set[int]:
    """Return the identities of the hidden elements among shown elements of their name.

    ``names`` are those of all elements of the page.
    """
    styled = root.css("[style*='none' i], [style*='hidden' i]")
    found = [node for node in styled if HIDDEN.search(node.attributes.get("style") or "")]
    selector = "[hidden]" if _SOMETIMES.isdisjoint(names) else UNSEEN_HERE
    nodes = root.css(selector) + found
    return {node.mem_id for node in nodes if node.tag not in PAGE}
