"""Recognise a text that a page had before: a variant, a copy of a CDN, a state that recurs."""

from hashlib import blake2b
from struct import Struct

from schemas.records.changes import Returned

MAX_TEXTS = 64
"""Texts that are remembered of a document, 8 bytes each."""
FLAPPING_RETURNS = 3
"""Returns in a day from which on a page is flapping."""
DAY_MS = 24 * 3600 * 1000
_HASH_SIZE, _TIME_SIZE = 5, 3
_ENTRY = Struct(f">{_HASH_SIZE}sBH")
"""A hash, and a time in two parts."""
_MINUTE_MS = 60_000
_EPOCH = 28_401_120
"""Minutes from 1970 to 2024; the times of 3 bytes end in 2055."""
_LATEST = 2 ** (8 * _TIME_SIZE) - 1
# Nearly all texts have line feeds and blanks alone: to look for each of the others takes a moment.
_SPACES = [each for each in map(chr, range(0x3001)) if each.isspace() and each != " "]
_ASCII_SPACES = [each for each in _SPACES if each.isascii()]


def text_hash(text: str) -> bytes:
    r"""Hash the words of a text; white space alone is no change.

    Example:
        >>> text_hash("Zeus\tsky") == text_hash(" Zeus\n\nsky")
        True
    """
    words = _spaced(text).encode("utf-8", "surrogatepass")
    return blake2b(words, digest_size=_HASH_SIZE).digest()


def _spaced(text: str) -> str:
    """Return the words of a text with a blank between them; quicker than to split it."""
    for space in _ASCII_SPACES if text.isascii() else _SPACES:
        text = text.replace(space, " ")
    while "  " in text:
        text = text.replace("  ", " ")
    return text.strip()


def remembered(past: bytes, text_hash: bytes, at: int) -> tuple[bytes, Returned | None]:
    """Add the text that was read ``at`` a time (epoch ms), and say whether it was there before.

    ``past`` holds the last texts in order, each with its hash and the minute in which it was
    first read; a text that returns is there again. A hash has 40 bits, so a new text is taken
    for an earlier one once in 17 billion changes (63 earlier texts in 2**40).

    Example:
        >>> past = b""
        >>> for minute, text in enumerate(["a", "b", "a"]):
        ...     past, returned = remembered(past, text_hash(text), 1_800_000_000_000 + minute)
        >>> len(past), returned
        (24, Returned(since=1800000000000, times=1))
    """
    hashes = _hashes(past)
    if hashes and hashes[-1] == text_hash:
        return past, None
    minute = min(max(at // _MINUTE_MS - _EPOCH, 0), _LATEST)
    entry = text_hash + minute.to_bytes(_TIME_SIZE, "big")
    longer = (past + entry)[-MAX_TEXTS * _ENTRY.size :]
    if text_hash not in hashes:
        return longer, None
    times = times_of(past)
    earlier = [time for each, time in zip(hashes, times, strict=True) if each == text_hash]
    return longer, Returned(min(earlier), len(earlier))


def flapping_until(past: bytes) -> int:
    """Compute until when (epoch ms) a page is flapping: it returned three times in a day.

    0 if it never was, among the texts that are remembered.
    """
    hashes = _hashes(past)
    if len(hashes) - len(set(hashes)) < FLAPPING_RETURNS:
        return 0
    seen: set[bytes] = set()
    returns = []
    for each, time in zip(hashes, times_of(past), strict=True):
        if each in seen:
            returns.append(time)
        seen.add(each)
    return returns[-FLAPPING_RETURNS] + DAY_MS


def times_of(past: bytes) -> list[int]:
    """Return when (epoch ms) each of the last texts was first read, to the minute, oldest first."""
    return [((high << 16 | low) + _EPOCH) * _MINUTE_MS for _, high, low in _ENTRY.iter_unpack(past)]


def _hashes(past: bytes) -> list[bytes]:
    """Return the hashes of the last texts, oldest first."""
    return [past[at : at + _HASH_SIZE] for at in range(0, len(past), _ENTRY.size)]
