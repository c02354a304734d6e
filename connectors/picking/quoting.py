"""A quote for one element of a page: its words, with those before and after it."""

import re

from connectors.picking.page_tree import page_tree
from connectors.readers.html import marked_text, parsed_html
from connectors.readers.layout import laid_out
from connectors.readers.normalization import normalized_page
from schemas.records.views import Quote

MAX_QUOTE = 300
"""Characters of a passage that is quoted; of a longer one more changes than remains."""
_CONTEXT = 60
_BEGIN, _END = "\ufdd0", "\ufdd1"
"""No characters: Unicode leaves them to programs, and a page has none that counts."""
_SPACES = re.compile(r"\s+")


def quote_of(markup: str, number: int) -> Quote | None:
    """Return a quote of what an element shows; None if that is nothing, or too long.

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
    """Return a context without the word that it is cut off in."""
    if len(context) < _CONTEXT:
        return context
    return context[: context.rstrip().rfind(" ") + 1].rstrip() or context
