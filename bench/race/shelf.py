"""Pages that are watched: deterministic, 66 KB of HTML each, 1,500 words, in any version."""

import random
from itertools import pairwise
from zlib import crc32

from bench.html import page

BASES = 20
"""Different pages; the others are like one of them but for what changes."""
LINKS = 0.45
SIZE, FILLED = 66_000, 10_000
"""Bytes of a page, and how many of them are scripts: 56,000 of articles make 1,500 words."""
PHRASES = 500
SLOTS = (0.2, 0.5, 0.8)
"""Where, in shares of its paragraphs, a page differs in each version."""
_PARAGRAPH = '<p class="text">'
_END = "</body>"


class Shelf:
    """All pages, of so many bytes; ``seed`` decides every word of them."""

    def __init__(self, seed: int, size: int = SIZE) -> None:
        self._bases = [_base(seed + number, size) for number in range(BASES)]
        chance = random.Random(seed)  # noqa: S311 - to be repeated, not to be secret
        words = [f"{chance.choice('bdfgklm')}{chance.choice('aeiou')}{n:03x}" for n in range(900)]
        self._phrases = [" ".join(chance.sample(words, 5)) for _ in range(PHRASES)]

    def body(self, number: int, version: int) -> bytes:
        """Return a page in a version: a dozen words differ from the one before, at three points."""
        parts = self._bases[number % BASES]
        news = f"{mark(number, version)} {'odd' if version % 2 else 'even'}"
        phrases = (f"{news} {self._phrase(number, version, 0)}",
                   self._phrase(number, version, 1), self._phrase(number, version, 2))  # fmt: skip
        pieces = [parts[0]]
        for phrase, part in zip(phrases, parts[1:], strict=True):
            pieces += [b'<p class="text">', phrase.encode(), b"</p>\n", part]
        return b"".join(pieces)

    def _phrase(self, number: int, version: int, slot: int) -> str:
        return self._phrases[crc32(f"{number} {version} {slot}".encode()) % PHRASES]


def mark(number: int, version: int) -> str:
    """Return the word that only this version of this page contains."""
    return f"mark{number}x{version}"


def _base(seed: int, size: int) -> list[bytes]:
    """Return the parts of a page between which something changes."""
    text = page(seed, LINKS, size - FILLED)
    filler = "".join(f"var w{n} = {n};\n" for n in range(1_000))
    room = max(0, size - len(text.encode()))
    text = text.replace(_END, f"<script>{filler[:room]}</script>{_END}")
    paragraphs = text.split(_PARAGRAPH)
    cuts = [0, *(int(len(paragraphs) * slot) for slot in SLOTS), len(paragraphs)]
    parts = [_PARAGRAPH.join(paragraphs[a:b]) for a, b in pairwise(cuts)]
    return [part.encode() if not n else f"{_PARAGRAPH}{part}".encode()
            for n, part in enumerate(parts)]  # fmt: skip
