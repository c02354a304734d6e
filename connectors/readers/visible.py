"""What a person sees of a document in (X)HTML: which elements, and where words end."""

import re

UNSEEN = (
    "script, style, template, noscript, iframe, noembed, noframes, object, audio, video, canvas,"
    "datalist, rp, svg title, svg desc, [hidden], dialog:not([open])"
)
"""CSS selector of what is not shown."""
HIDDEN = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.IGNORECASE)
"""Found in the style of an element that is not shown."""
PAGE = ("html", "body")
"""A page that hides itself as a whole shows itself by script a moment later."""
BLOCKS = re.compile(
    "address|article|aside|blockquote|body|br|button|caption|center|d[dlt]|details|dialog|dir|div|"
    "fieldset|figcaption|figure|footer|form|h[1-6r]|header|hgroup|img|input|legend|li|main|menu|"
    "nav|[ou]l|optgroup|option|p|pre|search|section|select|summary|svg|table|tbody|t[dhr]|"
    "textarea|tfoot|thead|title"
)
"""Matches the whole name of an element that separates words."""

# White space to str.split(), and to nothing else that is looked for here.
BREAK = "\x1e"
"""Stands where a block begins or ends."""


def lines(text: str) -> str:
    """Give one line a block, its white space as a browser shows it."""
    blocks = (" ".join(block.split()) for block in text.split(BREAK))
    return "\n".join(filter(None, blocks))
