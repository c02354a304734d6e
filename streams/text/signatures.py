"""Finds pages with nearly the same text: mirrors, print versions, one page by two addresses.

Only for that. A change may be one word of a page that stays 99.5 % the same, so no comparison
of snapshots is ever left out for it.
"""

import re
from base64 import b64decode, b64encode
from collections.abc import Iterator
from itertools import chain, islice
from operator import eq

from xxhash import xxh32_intdigest

SHINGLE = 4
"""Words that are hashed together."""
LEAST_WORDS = 50
"""Words of a text that can be compared: short pages are alike without being one."""
MAX_WORDS = 20_000
"""Words of a text that are looked at."""
ALIKE = 0.95
"""Similarity from which on a page is a mirror."""
_PERMUTATIONS = 128
# Signatures are in tables: another scheme would make them mean something else.
_SCHEME = "affine32"
COMPARED = 20
"""Pages with a band in common that are compared, of each band."""
# Pages that are 95 % the same have a band of 16 in common in 99 of 100 cases.
_BAND = 16 * 4
"""Bytes."""
_WORDS = re.compile(r"\w+")


def signature_of(text: str) -> str:
    """Return the MinHash of a text's shingles as base64, empty for a short text."""
    from datasketch import MinHash  # noqa: PLC0415 - 70 MB that only processes for pages need

    words = [found[0] for found in _WORDS.finditer(text.lower())][:MAX_WORDS]
    if len(words) < LEAST_WORDS:
        return ""
    shingles = {
        " ".join(words[at : at + SHINGLE]).encode() for at in range(len(words) - SHINGLE + 1)
    }
    hashed = MinHash(_PERMUTATIONS, hashfunc=xxh32_intdigest, scheme=_SCHEME)
    hashed.update_batch(sorted(shingles))
    return b64encode(hashed.hashvalues.astype("<u4").tobytes()).decode()


class Mirrors:
    """The pages of a crawl that stand for themselves, by the bands of their signatures.

    Of the pages that share a band, COMPARED are compared: many pages of a site may be nearly
    mirrors, and then each would be compared with all. One that is the same is always found.
    """

    def __init__(self) -> None:
        """Start without any."""
        self._signatures: dict[str, bytes] = {}
        self._bands: dict[tuple[int, bytes], dict[str, None]] = {}

    def put(self, url: str, signature: str) -> None:
        """Add a page, or replace its signature; without one it is found no more."""
        for band in _bands(self._signatures.pop(url, b"")):
            self._bands[band].pop(url)
            if not self._bands[band]:
                del self._bands[band]
        if signature:
            values = self._signatures[url] = b64decode(signature)
            for band in _bands(values):
                self._bands.setdefault(band, {})[url] = None

    def of(self, url: str, signature: str) -> str:
        """Return the URL of another page with nearly the same text, empty if there is none."""
        own = b64decode(signature)
        sharing = [islice(self._bands.get(band, ()), COMPARED) for band in _bands(own)]
        alike = (other for other in {*chain(*sharing)} - {url} if self._is_alike(own, other))
        return min(alike, key=lambda other: (len(other), other), default="")

    def _is_alike(self, own: bytes, other: str) -> bool:
        theirs = memoryview(self._signatures[other]).cast("I")
        same: int = sum(map(eq, memoryview(own).cast("I"), theirs))
        return same >= ALIKE * _PERMUTATIONS


def _bands(values: bytes) -> Iterator[tuple[int, bytes]]:
    """Yield the bands of a signature, and all of it; none of an empty one."""
    if values:
        yield -1, values
    for at in range(0, len(values), _BAND):
        yield at, values[at : at + _BAND]
