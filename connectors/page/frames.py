"""The document in which a copy of a page is shown: it loads one style sheet of ours."""

from html import escape

POLICY = "default-src 'none'; style-src 'self'"
"""The frame has the policy of the page around it, and this one, too."""


def framed(copy: str, *, language: str, style: str) -> str:
    """Return the document of a frame with a page's copy, which is safe HTML.

    >>> framed("<p>Zeus</p>", language="en", style="/copy.css").count("<p>")
    1
    """
    return (
        f'<!doctype html><html lang="{escape(language)}"><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">'
        '<meta name="color-scheme" content="light dark"><title>Copy</title>'
        f'<link rel="stylesheet" href="{escape(style)}"><body>{copy}</body></html>'
    )
