"""HTML, as a person sees it."""

import re
from collections.abc import Iterator

from selectolax.lexbor import LexborDocumentOptions, LexborHTMLParser, LexborNode

from connectors.readers.charsets import decode
from connectors.readers.plain import normalized

_UNSEEN = (
    "script, style, template, noscript, iframe, noembed, noframes, object, audio, video, canvas,"
    "datalist, rp, svg title, svg desc, [hidden], dialog:not([open])"
)
_HIDDEN = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.IGNORECASE)
_BLOCKS = re.compile(
    "address|article|aside|blockquote|body|br|button|caption|center|d[dlt]|details|dialog|dir|div|"
    "fieldset|figcaption|figure|footer|form|h[1-6r]|header|hgroup|img|input|legend|li|main|menu|"
    "nav|[ou]l|optgroup|option|p|pre|search|section|select|summary|svg|table|tbody|t[dhr]|"
    "textarea|tfoot|thead|title"
)
# White space to str.split(), and to nothing else that is looked for here.
_BREAK = "\x1e"
_META = re.compile(rb"<meta[^>]+?charset\s*=\s*[\"']?\s*([\w:.-]+)", re.IGNORECASE)
_PRESCAN = 1024


def read_html(body: bytes, charset: str | None) -> str:
    """Give the visible text in NFKC, one line a block; ``charset`` is the header's.

    The title counts. Blocks separate words, inline elements do not.
    """
    meta = _META.search(body, 0, _PRESCAN)
    text = decode(body, charset, meta[1].decode("ascii", "replace") if meta else None)
    root = LexborHTMLParser(text, options=LexborDocumentOptions.WO_EVENTS).root
    return normalized("\n".join(_lines(root))) if root else ""


def _lines(root: LexborNode) -> Iterator[str]:
    for node in _unseen(root):
        node.decompose()
    for node in list(root.traverse()):
        if _BLOCKS.fullmatch(node.tag or ""):
            node.insert_before(_BREAK)
            node.insert_after(_BREAK)
    lines = (" ".join(line.split()) for line in root.text().split(_BREAK))
    return filter(None, lines)


def _unseen(root: LexborNode) -> list[LexborNode]:
    styled = root.css("[style]")
    hidden = [node for node in styled if _HIDDEN.search(node.attributes.get("style") or "")]
    # A page that hides itself as a whole shows itself by script a moment later.
    return [node for node in root.css(_UNSEEN) + hidden if node.tag not in ("html", "body")]
