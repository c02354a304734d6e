"""Recognises edits of a sentence in which only numbers, times, ids or its form changed.

Each kind has a mask, which puts one sign for all that is of this kind. Two sentences that are
equal under a mask differ in nothing else. An amount is never masked: a number with a currency,
a percent sign or a unit.
"""

import re
from itertools import chain
from unicodedata import category, name

from schemas.records.scripts import INVISIBLE
from streams.diff.common_ends import common_end, common_start
from streams.text.times import TIME_WORD, TIMES
from streams.text.tokens import UNIT

_IDS = re.compile(
    r"\b(?:[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b"
    r"|(?=[a-f]*\d)(?=\d*[a-f])[0-9a-f]{7,}\b"
    r"|(?=\w*\d)(?=\w*[a-z])[\w-]{16,}\b)"
    r"|(?<=[?&=/#])(?=[\w%.~-]*\d)[\w%.~-]{6,}"
    r"|(?<=#)\d+\b",
    re.IGNORECASE,
)
_AMOUNT = (
    r"(?:%|‰|\u00b0|[\u20a0-\u20cf$£¥]|(?:eur|usd|gbp|chf|jpy|cny|inr|euros?|dollars?|pounds?|percent|"
    r"prozent|pour|kg|g|mg|km|m|cm|mm|mi|ft|l|ml|kwh|mwh|gwh|kw|mw|gw|w|v|gb|mb|kb|tb|"
    r"million|billion|mio|mrd)\b)"
)
_NUMBERS = re.compile(
    rf"\d(?<![\w.,$£¥\u20a0-\u20cf-]\d)(?<![$£¥\u20a0-\u20cf] \d)\d*"
    rf"(?:[.,' \u202f]\d{{3}})*(?:[.,]\d+)?(?![\w])(?![.,]\d)(?! ?{_AMOUNT})",
    re.IGNORECASE,
)
# Not the sign or the separators of a number: -5, 1.5.
_DIGIT = re.compile(r"\d")
# Characters of what differs in two sentences, and what is looked at around it.
MAX_LENGTH = 2_000
_AROUND = 24
# Punctuation that is an amount's, an address' or a name's; symbols that are used as punctuation.
_MEANT, _LOOKS = "%‰#@&", "|^`\u00b4\u00a8"
# They stand for a time, an id and a number, which neither come nor go as form.
_MASKED = "\0\1\2"
# Before a number these are its sign.
_MINUS = "-~\u2010-\u2013\ufe63"


def _signs() -> str:
    """Return what is form alone: not what has a meaning, such as an arrow, a lock or a vowel."""
    signs = (chr(code) for code in chain(range(0x3100), range(0xFE00, 0xFE70)))
    return "".join(sign for sign in signs if sign not in _MEANT + _MASKED and _is_form(sign))


def _is_form(sign: str) -> bool:
    # What is asked is not said.
    is_mark = category(sign)[0] in "PZ" and "QUESTION" not in name(sign, "")
    return is_mark or category(sign) in ("Cc", "Cf") or sign in _LOOKS


_FORM = re.compile(
    rf"[{_MINUS}](?! ?[\d\2])|[.,](?!\d)"
    rf"|[{re.escape(_signs())}\ufe00-\ufe0f](?<![{_MINUS}.,])(?:(?<!\d.)|(?!\d))",
    re.DOTALL,
)
_INVISIBLE = re.compile(f"[{INVISIBLE}\ufe00-\ufe0f]")


def noise_of(old: str, new: str) -> str:
    """Return what alone differs between two sentences; empty if words or amounts do.

    >>> noise_of("Updated 3 hours ago", "Updated 5 hours ago")
    'times'
    >>> noise_of("212 comments", "214 comments"), noise_of("Price: €1,299", "Price: €1,199")
    ('numbers', '')
    """
    # Most edits are of words, for which nothing of this need be tried.
    has_other_letters = _have_other_letters(old, new)
    if has_other_letters and not _DIGIT.search(old) and not _DIGIT.search(new):
        return ""
    old, new = _differing(old, new)
    if max(len(old), len(new)) > MAX_LENGTH:
        return ""
    words = set(old.split()) ^ set(new.split())
    varies = any(map(_DIGIT.search, words)) and all(map(_varies, words))
    for kind, pattern, sign in _MASKS if varies else ():
        old, new = pattern.sub(sign, old), pattern.sub(sign, new)
        if old.casefold() == new.casefold():
            return kind
    if has_other_letters and not varies:
        return ""
    is_form = _FORM.sub("", old).casefold() == _FORM.sub("", new).casefold()
    return "form" if is_form and _words(old) == _words(new) else ""


def differ_in_age(old: str, new: str) -> bool:
    """Whether two sentences differ in nothing but how long ago something was.

    >>> differ_in_age("Zeus, 3 hours ago", "Zeus, yesterday")
    True
    """
    old, new = _differing(old, new)
    is_short = max(len(old), len(new)) <= MAX_LENGTH
    return is_short and _without_ages(old) == _without_ages(new)


def _without_ages(text: str) -> str:
    return TIMES.sub(lambda time: time[0] if time["absolute"] else "\0", text)


def _have_other_letters(old: str, new: str) -> bool:
    """Whether letters are the first in which two texts differ."""
    at = common_start(old, new)
    first, other = old[at : at + 1].lower(), new[at : at + 1].lower()
    return first != other and f"{first}{other}".isascii() and first.isalpha() and other.isalpha()


def _words(text: str) -> list[str]:
    """Return the words of a text, and the signs that have a meaning; a space divides words."""
    return UNIT.findall(_FORM.sub(" ", _INVISIBLE.sub("", text)).casefold())


def _varies(word: str) -> bool:
    return bool(_DIGIT.search(word) or TIME_WORD.fullmatch(word.strip(".,;:()")))


def _differing(old: str, new: str) -> tuple[str, str]:
    """Leave out what is equal at the start and the end, up to some words around the rest."""
    start = common_start(old, new)
    end = common_end(old, new, min(len(old), len(new)) - start)
    start = old.rfind(" ", 0, max(0, start - _AROUND)) + 1
    after = old.find(" ", len(old) - end + _AROUND)
    end = len(old) - after if after >= 0 else 0
    return old[start : len(old) - end], new[start : len(new) - end]


_MASKS = (
    ("times", TIMES, "\0"),
    ("ids", _IDS, "\1"),
    ("numbers", _NUMBERS, "\2"),
)
