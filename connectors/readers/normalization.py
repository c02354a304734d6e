"""The form in which every reader's text is stored."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import accumulate, pairwise
from unicodedata import normalize

from connectors.readers.page_text import PageText
from schemas.records.answers import Heading
from schemas.records.scripts import INVISIBLE

MAX_TITLE = 300
"""Characters of a title."""
MAX_HEADINGS = 5_000
"""Headings of a document; further ones are read as any other line."""
_NO_CHARACTER = re.compile("[\0\ud800-\udfff]")
# A joiner is seen by what it does: between letters that join, such as Arabic ones, and emoji.
_JOINING = "\u0600-\u109f\u1780-\u18af"
_EMOJI = "\u2190-\u2bff\ufe0f\U0001f000-\U0001faff"
_INVISIBLE = re.compile(
    f"[{INVISIBLE}](?!(?<=[{_JOINING}][\u200c\u200d])[{_JOINING}])"
    f"(?!(?<=[{_EMOJI}]\u200d)[{_EMOJI}])"
)


def normalized_page(page: PageText) -> PageText:
    r"""Normalize the text and title of a page; its headings keep their places in the text.

    Example:
        >>> page = normalized_page(PageText("\r\nﬁrst\r\nsecond", headings=(Heading(8, 1),)))
        >>> page.text, page.headings
        ('first\nsecond', (Heading(start=6, level=1, end=None),))
    """
    headings = page.headings[:MAX_HEADINGS]
    text = normalized(page.text)
    if headings and text != page.text:
        headings = tuple(_moved(headings, page.text, len(text)))
    title = " ".join(normalized(page.title).split())[:MAX_TITLE]
    return replace(page, text=text, title=title, headings=headings)


def _moved(headings: Sequence[Heading], text: str, end: int) -> Iterator[Heading]:
    """Find the headings in the normalized form of their text, which has ``end`` characters.

    Nothing composes across the start of a line, so the texts in between are normalized apart.
    """
    ends = {heading.end for heading in headings if heading.end is not None}
    offsets = sorted({0, len(text), *ends, *(heading.start for heading in headings)})
    pieces = [_composed(text[start:stop]) for start, stop in pairwise(offsets)]
    whole = "".join(pieces)
    blank = len(whole) - len(whole.lstrip())
    lengths = accumulate(map(len, pieces), initial=0)
    moved = {at: max(0, length - blank) for at, length in zip(offsets, lengths, strict=True)}
    for each in headings:
        if moved[each.start] < end:
            stop = None if each.end is None else min(end, moved[each.end])
            yield Heading(moved[each.start], each.level, stop)


def normalized(text: str) -> str:
    """Normalize a text to NFKC, with plain line ends and without invisible characters.

    A surrogate, which could be neither stored nor sent, becomes U+FFFD.
    """
    return _composed(text).strip()


def _composed(text: str) -> str:
    # To look for each is four times as fast as to look for any.
    if not text.isascii() and any(each in text for each in INVISIBLE):
        text = _INVISIBLE.sub("", text)
    if not _is_storable(text):
        text = _NO_CHARACTER.sub("\ufffd", text)
    composed = text if text.isascii() else normalize("NFKC", text)
    if "\r" in composed:
        composed = composed.replace("\r\n", "\n").replace("\r", "\n")
    return composed


def _is_storable(text: str) -> bool:
    """Check a text for _NO_CHARACTER, five times as fast."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return "\0" not in text
