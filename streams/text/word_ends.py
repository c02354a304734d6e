"""The ends of words in scripts that are written without spaces: by ICU, if it is installed."""

import re
from collections.abc import Callable
from functools import lru_cache
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from schemas.records.scripts import DENSE_SCRIPTS

IS_INSTALLED = find_spec("icu4py") is not None
"""Set with the extra ``words``."""
AROUND = 24
"""Characters before and after a keyword that are cut into words with it."""
_THAI = re.compile("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff]")
_HAN = re.compile(f"[{DENSE_SCRIPTS}]")

WordEnds = Callable[[str], frozenset[int]]
"""Returns where the words of a text begin and end."""


@lru_cache(maxsize=10_000)
def word_ends(text: str) -> frozenset[int]:
    """Return where the words of a text begin and end, by the dictionaries of ICU."""
    breaker: Any = import_module("icu4py.breakers").WordBreaker(text, "und")
    return frozenset(end for bounds in breaker.segments() for end in bounds)


def is_within_words(text: str, start: int, end: int, find: WordEnds | None = None) -> bool:
    """Whether characters are a part of another word, or of two: 京都 in 東京都.

    In Chinese and Japanese they may begin or end a longer word, as 上海 does in 上海市, for ICU
    takes compounds for words. ``find`` is used instead of ICU.

    >>> is_within_words("東京都の", 1, 3, find=lambda text: frozenset([0, 2, 3, 4]))
    True
    """
    low = max(0, start - AROUND)
    ends = (find or word_ends)(text[low : end + AROUND])
    at, to = start - low, end - low
    whole = (at in ends) + (to in ends)
    if whole == 2 or _THAI.match(text, start):
        return whole < 2
    return whole == 0 or any(at < each < to for each in ends)


def is_dense(text: str, at: int) -> bool:
    """Whether a character is of a script that is written without spaces."""
    return _HAN.match(text, at) is not None
