"""Signs of keywords, as in C++, .NET or 50%: the text must have them, too.

Signs touch a word of the keyword. Quotation marks, brackets, sentence punctuation at the end and
signs between blanks are typed by habit, and are none::

    C++   .NET   A+   $100   #news   @anna   3.11   R&D   Wi-Fi        have signs
    Sale!   (beta)   "giant"   news,   R & D                           have none
"""

import re
from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise

from streams.text import word_ends
from streams.text.tokens import LETTER, WORD
from streams.text.word_parts import ANY_LETTERS

Signs = tuple[str, ...]
"""The signs before, between and after the words of a phrase; without any, it is empty.

A blank among them stands for whatever else is there.
"""
Bounds = tuple[int, int]

_CURRENCIES = "$\u00a2-\u00a5\u058f\u060b\u09f2\u09f3\u0e3f\u20a0-\u20cf"
_UNITS = f"%\u2030\u00b0\u00a7{_CURRENCIES}"
_UNIT = re.compile(f"[{_UNITS}]+")
_CURRENCY = re.compile(f"[{_CURRENCIES}]")
_BLANK_BEFORE_UNIT = re.compile(f"(?<=\\d)\\s+(?=[{_UNITS}](?!\\S))")
_BLANK_AFTER_CURRENCY = re.compile(f"(?<!\\S)([\u00a7{_CURRENCIES}])\\s+(?=\\d)")

_OPENING = "\"'*([{<\u2018-\u201f\u00ab\u00bb\u2039\u203a\u300c-\u3011\u00a1\u00bf"
_CLOSING = f"{_OPENING})\\]}}>.,:;!?\u2026\u3001\u3002\u060c\u061b\u061f\u0964\u00ae\u00a9"
_BEFORE = re.compile(f"[{_OPENING}]*(\\S*)\\Z")
_AFTER = re.compile(f"(\\S*?)[{_CLOSING}]*(?:\\s|\\Z)")

_BLANK = r"\s?"
# Of Japanese, words are runs of katakana at least: none is within another run.
_END = "\0"
# With ICU, words of all such scripts are words.
_WHOLE = "\1"
_KATAKANA_LETTERS = "[\u30a1-\u30fa\u30fc-\u30ff]"
_KATAKANA = re.compile(_KATAKANA_LETTERS)
_KATAKANA_END = re.compile(f"{_KATAKANA_LETTERS}\\Z")
_DASHES = "-\u2010-\u2015\u2212"
_DASH = re.compile(f"[{_DASHES}]")
_IN_WORDS = f"{LETTER}|[{_DASHES}.#@+]"
"""Characters after which a sign such as a dot is a part of something else: behance.net."""

_NUMBER_BEFORE = re.compile(r"\d[.,]\Z")
_THOUSANDS_AFTER = re.compile(r",\d{3}(?!\d)")
_AMOUNT_AFTER = re.compile(r"[.,](?!0{1,2}(?!\d))\d")


def without_blanks_of_units(keyword: str) -> str:
    """Return a keyword with ``50 %`` as ``50%``, and ``$ 100`` as ``$100``."""
    if not _UNIT.search(keyword):
        return keyword
    return _BLANK_AFTER_CURRENCY.sub(r"\1", _BLANK_BEFORE_UNIT.sub("", keyword))


def phrase_signs(phrase: str) -> Signs:
    """Return the signs that a keyword has at the ends and within; empty if it has none.

    >>> phrase_signs("C++"), phrase_signs("the .NET"), phrase_signs("3.11"), phrase_signs("(Sale!)")
    ((' ', '++ '), (' ', ' .', ' '), (' ', '.', ' '), ())
    """
    first, *inner, last = WORD.split(phrase)
    before, after = _gap(f" {first}"), _gap(f"{last} ")
    if before == " " and _KATAKANA.match(phrase, len(first)) and not first.endswith(ANY_LETTERS):
        before += _END
    if after == " " and _KATAKANA_END.search(phrase, 0, len(phrase) - len(last)):
        after = after if last.startswith(ANY_LETTERS) else _END + after
    if _is_of_words(phrase, len(first), len(phrase) - len(last)):
        before += "" if first.endswith(ANY_LETTERS) or last.startswith(ANY_LETTERS) else _WHOLE
    gaps = before, *[_gap(each or " ") for each in inner], after
    return gaps if any(gap != " " for gap in gaps) else ()


def _is_of_words(phrase: str, start: int, end: int) -> bool:
    """Whether a phrase begins or ends without spaces around, and where its words end is known."""
    return word_ends.IS_INSTALLED and (
        word_ends.is_dense(phrase, start) or word_ends.is_dense(phrase, end - 1)
    )


def _gap(text: str) -> str:
    """Return the signs between two words: those of each, or all if no blank is among them."""
    if text.split() == [text]:
        return text.replace(ANY_LETTERS, "") or " "
    after = _AFTER.match(text)
    before = _BEFORE.search(text, max(text.rfind(blank) for blank in text if blank.isspace()) + 1)
    return f"{after[1] if after else ''} {before[1] if before else ''}"


def bounds_with_signs(text: str, words: Sequence[Bounds], signs: Signs) -> Bounds | None:
    """Return start and end of a phrase with its signs, None if the text lacks one of them.

    ``words`` are the words of the phrase in the text.

    >>> bounds_with_signs("C, C++", [(3, 4)], phrase_signs("C++"))
    (3, 6)
    """
    before, *between, after = _patterns(signs)
    start, end = words[0][0], words[-1][1]
    front = before.search(text, max(0, start - len(signs[0]) - 1), start)
    back = after.match(text, end)
    if front is None or back is None:
        return None
    gaps = zip(between, pairwise(words), strict=True)
    if not all(gap.fullmatch(text, one[1], other[0]) for gap, (one, other) in gaps):
        return None
    bounds = front.start(), back.end()
    if _WHOLE in signs[0] and word_ends.is_within_words(text, start, end):
        return None
    return None if _is_of_longer_number(text, bounds, signs) else bounds


def _is_of_longer_number(text: str, bounds: Bounds, signs: Signs) -> bool:
    start, end = bounds
    if text[start].isdecimal() and _NUMBER_BEFORE.search(text, max(0, start - 2), start):
        return True
    rest = _AMOUNT_AFTER if _CURRENCY.search(signs[0]) else _THOUSANDS_AFTER
    return text[end - 1].isdecimal() and rest.match(text, end) is not None


@lru_cache(maxsize=10_000)
def _patterns(signs: Signs) -> tuple[re.Pattern[str], ...]:
    """Compile signs once an occurrence is to be compared with them."""
    first, *inner, last = (each.replace(_END, "").replace(_WHOLE, "") for each in signs)
    start = f"(?<!{_KATAKANA_LETTERS})" if _END in signs[0] else ""
    end = f"(?!{_KATAKANA_LETTERS})" if _END in signs[-1] else ""
    before = _written(first[1:]).removeprefix(_BLANK)
    after = _written(last[:-1]).removesuffix(_BLANK)
    is_guarded = re.match(f"[{_DASHES}.#@+]", first[1:])
    return (
        re.compile(f"{start}{f'(?<!{_IN_WORDS})' if is_guarded else ''}{before}\\Z"),
        *[re.compile(".*".join(map(_written, each.split(" "))), re.DOTALL) for each in inner],
        re.compile(f"{after}(?!{re.escape(last[-2])})" if after else end),
    )


def _written(signs: str) -> str:
    """Return a pattern for signs: dashes are one sign, and a blank may part a unit's."""
    pattern = "".join(f"[{_DASHES}]" if _DASH.match(c) else re.escape(c) for c in signs)
    return f"{_BLANK}{pattern}{_BLANK}" if _UNIT.fullmatch(signs) else pattern
