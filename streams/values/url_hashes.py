"""Hashes of URLs, by which all of a partition are taken in turns."""

from collections.abc import Sequence
from zlib import crc32

from streams.values.steps import Steps

LAST_HASH = 2**31 - 1
"""The largest hash."""
STEP = 5_000
"""URLs hashed in a step."""


def url_hash(url: str) -> int:
    """Hash a URL to a number from 0 to LAST_HASH; the same in all processes."""
    return crc32(url.encode()) >> 1


def hashed_between(urls: Sequence[str], first: int, last: int) -> Steps[list[tuple[int, str]]]:
    """Return the URLs with a hash from ``first`` to ``last``, each after its hash."""
    found: list[tuple[int, str]] = []
    for start in range(0, len(urls), STEP):
        hashed = ((url_hash(url), url) for url in urls[start : start + STEP])
        found += [each for each in hashed if first <= each[0] <= last]
        yield
    return found
