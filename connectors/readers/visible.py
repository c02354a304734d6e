"""The visible elements of (X)HTML, and their division of the text."""

import re

from connectors.readers.marks import (
    ARTICLE,
    ARTICLE_END,
    ASIDE,
    BREAK,
    CELL,
    GAP,
    HEADING_END,
    HEADINGS,
    ITEM,
    ITEM_END,
    LINE,
    LIST_END,
    PRE,
    PRE_END,
    ROW,
    ROW_END,
    SCOPE,
    SCOPE_END,
    SECTION,
    TERM,
    TERMS_END,
)

_NEVER = (
    "script style template noscript iframe noembed noframes object audio video canvas datalist "
    "rp rt rtc"  # how the characters between them are read, which would part their words
)
UNSEEN = frozenset(_NEVER.split())
"""Names of hidden elements."""
TEXTLESS = UNSEEN.union(["base", "link", "meta", "param", "source", "track"])
"""Names of the elements without visible text."""
UNSEEN_HERE = "svg title, svg desc, [hidden], dialog:not([open])"
"""CSS selector of other hidden elements."""
HIDDEN = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.IGNORECASE)
"""Found in the style of a hidden element."""
PAGE = ("html", "body")
"""A page hidden as a whole is shown by a script a moment later."""
_BLOCKS = (
    "address blockquote button caption center details dialog div fieldset figcaption figure "
    "footer form header legend p search select summary svg textarea"
)
# What is in one of these, or follows, has marks as well.
_STARTS = "body hgroup img input optgroup option"
_LISTS = "dir menu ol table ul"
_SECTIONS, _ASIDES = "main section", "aside nav"

MARKS: dict[str, tuple[str, str]] = {
    **dict.fromkeys(_BLOCKS.split(), (BREAK, BREAK)),
    **dict.fromkeys(_STARTS.split(), (BREAK, "")),
    **dict.fromkeys(_LISTS.split(), (BREAK, LIST_END)),
    **dict.fromkeys(_SECTIONS.split(), (SECTION + SCOPE, SCOPE_END + SECTION)),
    **dict.fromkeys(_ASIDES.split(), (SECTION + ASIDE, SCOPE_END + SECTION)),
    **{f"h{level}": (mark, HEADING_END) for level, mark in enumerate(HEADINGS, 1)},
    "article": (ARTICLE, ARTICLE_END),
    "title": (BREAK, GAP),
    "hr": (GAP, ""),
    "br": (LINE, ""),
    "dl": (BREAK, TERMS_END + LIST_END),
    "dt": (TERM + CELL, ""),
    "dd": (CELL, ""),
    "li": (ITEM, ITEM_END),
    "tr": (ROW, ROW_END),
    "td": (CELL, ""),
    "th": (CELL, ""),
    "pre": (PRE, PRE_END),
}
"""The marks before and after elements between words, by their names."""
