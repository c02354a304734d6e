"""Finds pages with nearly the same text: mirrors, print versions, one page by two addresses.

Only for that. A change may be one word of a page that stays 99.5 % the same, so no comparison
of snapshots is ever left out for it.
"""

import re
from base64 import b64decode, b64encode
from typing import Any

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
# Pages that are 95 % the same have a band of 16 in common in 99 of 100 cases.
_BANDS, _ROWS = 8, 16
_WORDS = re.compile(r"\w+")


def signature_of(text: str) -> str:
    """Return the MinHash of a text's shingles as base64, empty for a short text."""
    words = [found[0] for found in _WORDS.finditer(text.lower())][:MAX_WORDS]
    if len(words) < LEAST_WORDS:
        return ""
    shingles = {
        " ".join(words[at : at + SHINGLE]).encode() for at in range(len(words) - SHINGLE + 1)
    }
    hashed = _min_hash()
    hashed.update_batch(sorted(shingles))
    return b64encode(hashed.hashvalues.astype("<u4").tobytes()).decode()


class Mirrors:
    """The pages of a crawl that stand for themselves, by their signatures."""

    def __init__(self) -> None:
        """Start without any."""
        self._index: Any = None
        self._signatures: dict[str, str] = {}

    def put(self, url: str, signature: str) -> None:
        """Add a page, or replace its signature; without one it is found no more."""
        if self._signatures.pop(url, ""):
            self._index.remove(url)
        if signature:
            self._signatures[url] = signature
            self._index = self._index or _new_index()
            self._index.insert(url, _hashed(signature))

    def of(self, url: str, signature: str) -> str:
        """Return the URL of another page with nearly the same text, empty if there is none."""
        if not signature or self._index is None:
            return ""
        own = _hashed(signature)
        found = [
            other
            for other in self._index.query(own)
            if other != url and own.jaccard(_hashed(self._signatures[other])) >= ALIKE
        ]
        return min(found, key=lambda other: (len(other), other), default="")


def _hashed(signature: str) -> Any:
    import numpy as np  # noqa: PLC0415 - as below

    return _min_hash(hashvalues=np.frombuffer(b64decode(signature), "<u4"))


def _min_hash(**known: Any) -> Any:
    from datasketch import MinHash  # noqa: PLC0415 - 70 MB that only crawls need

    return MinHash(_PERMUTATIONS, hashfunc=xxh32_intdigest, scheme=_SCHEME, **known)


def _new_index() -> Any:
    from datasketch import MinHashLSH  # noqa: PLC0415 - as above

    return MinHashLSH(num_perm=_PERMUTATIONS, params=(_BANDS, _ROWS))
