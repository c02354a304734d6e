"""What the plain pipeline does with a page: its lines, their diff, and keywords in it."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import unified_diff
from hashlib import sha256
from html import unescape

_TAG = re.compile(r"<[^>]+>")
_HEAD = 2
"""Lines before a unified diff's first part."""


@dataclass(frozen=True, slots=True)
class Known:
    """The last version of a page."""

    etag: str | None
    digest: bytes
    lines: list[str]


def compare(known: Known | None, etag: str | None, body: bytes) -> tuple[Known, list[str]]:
    """Return what is known of a page now, and the lines that were removed and added.

    >>> known, _ = compare(None, None, b"<p>old</p>")
    >>> compare(known, None, b"<p>new</p>")[1]
    ['-old', '+new']
    """
    digest = sha256(body).digest()
    if known is not None and known.digest == digest:
        return known, []
    now = Known(etag, digest, text_lines(body))
    return now, [] if known is None else changed_lines(known.lines, now.lines)


def text_lines(body: bytes) -> list[str]:
    """Return a page's lines without tags, found by an expression, and without empty lines."""
    text = unescape(_TAG.sub("", body.decode("utf-8", "replace")))
    return [line for each in text.splitlines() if (line := each.strip())]


def changed_lines(old: Sequence[str], new: Sequence[str]) -> list[str]:
    """Return removed and added lines, each after its sign."""
    diff = list(unified_diff(old, new, lineterm="", n=0))[_HEAD:]
    return [line for line in diff if line[0] in "-+"]


def any_of(keywords: Sequence[str]) -> re.Pattern[str]:
    """Return a pattern that finds keywords as whole words, in any case."""
    return re.compile(rf"\b(?:{'|'.join(map(re.escape, keywords))})\b", re.IGNORECASE)


def matching(lines: Sequence[str], keywords: re.Pattern[str]) -> list[str]:
    """Return the changed lines that contain a keyword."""
    return [line for line in lines if keywords.search(line, 1)]
