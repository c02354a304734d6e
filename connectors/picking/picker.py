"""A copy of a page for people to pick a part from, and selectors for the picked part."""

import re
from collections.abc import Iterable
from hashlib import sha256

from selectolax.lexbor import SelectolaxError

from connectors.picking.css import selector_of
from connectors.picking.page_tree import PageTree, named_tree, page_tree
from connectors.picking.safe_html import safe_copy
from connectors.picking.siblings import has_own_name, siblings_of
from connectors.readers.errors import Unreadable
from connectors.readers.html import marked_text, parsed_html
from connectors.readers.layout import laid_out
from connectors.readers.normalization import normalized_page
from connectors.readers.reading import html_of
from schemas.records.previews import NO_COPY, CopiedPage, PickedItem, PickedPart
from schemas.records.views import Quote, Selector

MAX_FOUND = 200
"""The most elements listed as matches of a selector."""

MAX_QUOTE = 300
"""Characters of a quoted passage; of a longer passage more changes than remains."""
_CONTEXT = 60
_BEGIN, _END = "\ufdd0", "\ufdd1"
"""No characters: Unicode leaves them to programs, and a page has none of meaning."""
_FEEDS = ", ".join(
    f"link[rel~='alternate' i][type='application/{kind}+xml' i][href]" for kind in ("atom", "rss")
)
_SPACES = re.compile(r"\s+")


def copied_page(
    body: bytes, header: str | None, known: str, selectors: Iterable[Selector]
) -> CopiedPage:
    """Return a copy of a page, unless ``known``, with the matches of CSS selectors inside.

    ``header`` is the response's Content-Type. A document other than HTML has no copy.
    """
    parsed = _parsed(body, header)
    if parsed is None:
        return NO_COPY
    copy_id = sha256(body).hexdigest()[:16]
    copy = None if copy_id == known else safe_copy(parsed[1])
    feed = parsed[1].nodes[0].css_first(_FEEDS)
    address = "" if feed is None else feed.attributes.get("href") or ""
    return CopiedPage(copy_id, copy, _found(parsed[1], selectors), feed=address.strip())


def picked_part(body: bytes, header: str | None, number: int) -> PickedPart | None:
    """Return selectors for an element by its number in the copy, None for an unknown number.

    For an item among equal siblings without a name of its own the selector finds them all.
    """
    parsed = _parsed(body, header)
    if parsed is None or not 0 <= number < len(parsed[1].nodes):
        return None
    (markup, tree), page = parsed, named_tree(parsed[1])
    css, quote = selector_of(page, number), quote_of(markup, number)
    siblings = siblings_of(page, number)
    if siblings and css is not None and has_own_name(page, number, siblings.item, css):
        siblings = None
    alone = None if css is None else Selector(css=css)
    chosen = alone if siblings is None else Selector(css=siblings.selector)
    held = number if siblings is None else tree.parents[siblings.item]
    text = tree.nodes[held].text().strip()
    around = (each for each in tree.ancestors(held) if tree.nodes[each].tag != "html")
    return PickedPart(
        css=chosen,
        quote=None if quote is None else Selector(quote=quote),
        item=None if siblings is None else PickedItem(siblings.nth, siblings.count, alone),
        found=() if chosen is None else _found(tree, [chosen]),
        wider=next((each for each in around if tree.nodes[each].text().strip() != text), None),
        narrower=next((each for each in tree.children(number) if tree.nodes[each].text()), None),
    )


def _found(tree: PageTree, selectors: Iterable[Selector]) -> tuple[int, ...]:
    numbers = {node.mem_id: number for number, node in enumerate(tree.nodes)}
    found: set[int] = set()
    for selector in selectors:
        try:
            found.update(numbers[node.mem_id] for node in tree.nodes[0].css(selector.css or ""))
        except (SelectolaxError, UnicodeEncodeError):  # the reader says why
            continue
    return tuple(sorted(found)[:MAX_FOUND])


def _parsed(body: bytes, header: str | None) -> tuple[str, PageTree] | None:
    try:
        markup = html_of(body, header)
    except Unreadable:  # the reader says why
        return None
    root = parsed_html(markup) if markup else None
    return None if markup is None or root is None else (markup, page_tree(root))


def quote_of(markup: str, number: int) -> Quote | None:
    """Return a quote of an element's text; None if empty, or too long.

    >>> quote_of("<p>Price: <b>12 €</b> a month", 4)
    Quote(exact='12 €', prefix='Price: ', suffix=' a month')
    """
    root = parsed_html(markup.replace(_BEGIN, "").replace(_END, ""))
    if root is None:
        return None
    node = page_tree(root).nodes[number]
    node.insert_before(_BEGIN)
    node.insert_after(_END)
    text = normalized_page(laid_out(marked_text(root))).text
    before, _, rest = text.partition(_BEGIN)
    inside, _, after = rest.partition(_END)
    blank = inside[: len(inside) - len(inside.lstrip())]
    exact = _SPACES.sub(" ", inside.strip())
    if not 0 < len(exact) <= MAX_QUOTE:
        return None
    prefix = _SPACES.sub(" ", before + blank)[-_CONTEXT:]
    trailing = inside[len(inside.rstrip()) :]
    suffix = _SPACES.sub(" ", trailing + after)[:_CONTEXT]
    return Quote(exact, _whole_words(prefix[::-1])[::-1], _whole_words(suffix))


def _whole_words(context: str) -> str:
    """Return a context without the word cut off at its end."""
    if len(context) < _CONTEXT:
        return context
    return context[: context.rstrip().rfind(" ") + 1].rstrip() or context
