"""Pages that were read and say nothing: empty ones, and those that only lead to another."""

import re

_MAX_TEXT, _MAX_BODY = 200, 2_000
"""Characters of the text, and bytes, of a page that only leads to another one."""
_REDIRECT = re.compile(
    rb"<meta\b[^>]*http-equiv\s*=\s*[\"']?refresh\b[^>]*content\s*=\s*[\"']?\s*[0-2]?\d\s*[;,]\s*url"
    rb"|<script\b[^>]*>[^<]*\blocation(?:\.href)?\s*(?:=\s*[\"'`]|\.\s*(?:replace|assign)\s*\()",
    re.IGNORECASE,
)


def bare_reason(body: bytes, text: str) -> str | None:
    """Return why a page that was read has no text to watch, None if it has.

    >>> bare_reason(b"<script>location = '/new'</script>Please wait", "Please wait")
    'the page only leads to another one: watch that one'
    """
    if not (text.strip() or body.strip()):
        return "the page is empty"
    if len(body) <= _MAX_BODY and len(text) <= _MAX_TEXT and _REDIRECT.search(body):
        return "the page only leads to another one: watch that one"
    return None if text.strip() else "the page shows no text"
