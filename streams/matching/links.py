"""Links that lead a browser to a text within a page.

The W3C Community Group's "URL Fragment Text Directives": ``#:~:text=`` with the text
itself, or its first and last words, in percent-encoding.
"""

from urllib.parse import quote

MAX_WHOLE = 60
"""Characters of a text that stands in its link as a whole."""
_WORDS = 5
"""Words at the start and at the end by which a longer text is found."""


def text_link(url: str, text: str) -> str:
    """Return the link to a text in the page of a URL.

    >>> text_link("https://d.test/", "Fines: 2-4 %, at most")
    'https://d.test/#:~:text=Fines%3A%202%2D4%20%25%2C%20at%20most'
    """
    lines = [line for line in text.replace("\t", "\n").split("\n") if line.strip()]
    if not lines:
        return ""
    first = lines[0].split()
    if len(lines) > 1 or (len(text) > MAX_WHOLE and len(first) >= 2 * _WORDS):
        ends = first[:_WORDS], lines[-1].split()[-_WORDS:]
        directive = ",".join(map(_encoded, ends))
    else:
        directive = _encoded(first)
    return f"{url}{'' if '#' in url else '#'}:~:text={directive}"


def _encoded(words: list[str]) -> str:
    # These two have a meaning of their own in a text directive.
    return quote(" ".join(words), safe="").replace("-", "%2D")
