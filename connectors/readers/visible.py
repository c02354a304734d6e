"""What a person sees of (X)HTML: which elements, and where words end."""

import re

_NEVER = (
    "script style template noscript iframe noembed noframes object audio video canvas datalist rp"
)
UNSEEN = frozenset(_NEVER.split())
"""Names of the elements that are not shown."""
UNSEEN_HERE = "svg title, svg desc, [hidden], dialog:not([open])"
"""CSS selector of others that are not shown."""
HIDDEN = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.IGNORECASE)
"""Found in the style of an element that is not shown."""
PAGE = ("html", "body")
"""A page that hides itself as a whole is shown by a script a moment later."""
_NAMES = (
    "address article aside blockquote body br button caption center dd details dialog dir div dl "
    "dt fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 header hgroup hr img input "
    "legend li main menu nav ol optgroup option p pre search section select summary svg table "
    "tbody td textarea tfoot th thead title tr ul"
)
BLOCKS = frozenset(_NAMES.split())
"""Names of the elements that separate words."""

BREAK = "\x1e"
"""Marks where a block begins or ends."""
_SPACES = [c for c in map(chr, range(0x3001)) if c.isspace() and c not in (" ", BREAK)]


def lines(text: str) -> str:
    """Put each block on a line, with white space as a browser shows it."""
    for space in _SPACES:
        text = text.replace(space, " ")
    text = "\n".join(filter(None, map(str.strip, text.split(BREAK))))
    while "  " in text:
        text = text.replace("  ", " ")
    return text
