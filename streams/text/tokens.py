"""Words, and units of comparison.

A word is a run of letters, digits and marks, with inner apostrophes. In scripts that
are written without spaces, each character with its marks is a word, and so is an emoji, also
one of several code points, such as a flag or a family. A unit is a word or any other single
character except white space. Text is expected in NFKC::

    split_words("Don't pay 3.14 €!")         # ["Don't", "pay", "3", "14"]
    UNIT.findall("Don't pay 3.14 €!")        # ["Don't", "pay", "3", ".", "14", "€", "!"]
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator
from itertools import groupby

from schemas.records.scripts import DENSE_SCRIPTS, INVISIBLE

_HIGHEST_MARK = 0xE01EF


def _marks() -> Iterator[int]:
    yield from map(ord, INVISIBLE)
    planes = (range(0x300, 0x1F000), range(0xE0100, _HIGHEST_MARK + 1))
    yield from (c for plane in planes for c in plane if unicodedata.category(chr(c))[0] == "M")


def _ranges(codes: Iterable[int]) -> str:
    """Write code points as the inside of a character class."""
    runs = groupby(enumerate(sorted(codes)), key=lambda each: each[1] - each[0])
    members = ([code for _, code in run] for _, run in runs)
    return "".join(f"{chr(run[0])}-{chr(run[-1])}" for run in members)


_MARK = f"[{_ranges(_marks())}]"
# The look-ahead is for speed: after ASCII, Han and Hangul no mark is searched for.
_MARKS = f"(?=[^\\x00-\\x7f\u3100-\ua66e\uac00-\ud7ff]){_MARK}+"
LETTER = f"[^\\W_{DENSE_SCRIPTS}]"
"""Letters and digits of scripts with spaces, for regular expressions."""
_SPACED_WORD = f"{LETTER}+(?:(?:['\u2019](?={LETTER})|{_MARKS}){LETTER}*)*"
_DENSE_WORD = f"(?!\\W)[{DENSE_SCRIPTS}](?:{_MARKS})?"
# A flag, or a character with its marks, an emoji also with its skin tone and joined emoji.
_FLAG = "[\U0001f1e6-\U0001f1ff]{2}"
_JOINED = "(?<=\u200d)[\u2190-\u2bff\U0001f000-\U0001faff]"
_WITH_MARKS = f"(?:{_MARKS}|[\U0001f3fb-\U0001f3ff]|{_JOINED})*"
_PICTURES = "\u231a\u231b\u23e9-\u23fa\u2600-\u27bf\u2b50\u2b55\U0001f000-\U0001faff"
_EMOJI = f"{_FLAG}|[{_PICTURES}]{_WITH_MARKS}"
_WORD = f"{_SPACED_WORD}|{_DENSE_WORD}|{_EMOJI}"
_OTHER = f"\\S{_WITH_MARKS}"

WORD = re.compile(_WORD)
"""Finds the words of a text."""

_ASCII_WORD = re.compile("[A-Za-z0-9]+(?:'[A-Za-z0-9]+)*")

UNIT = re.compile(f"{_WORD}|{_OTHER}")
"""Finds the units of a text: all of it except white space."""

SPACED_UNIT = re.compile(f"(?:{_WORD}|{_OTHER})\\s*")
"""Finds units together with the white space after them."""

PART = 16_384
"""Characters of a text that are searched for words in one go."""

JOINT = re.compile(
    f"[,.:/@&_+\u2010\u2013-](?={LETTER})(?<=(?:{LETTER}|{_MARK}).)(?:(?<!,)|(?<=\\d,)(?=\\d))"
)
"""Finds what joins two words into one expression: 3.14, node.js, 1,000, a@b.org."""

DENSE = re.compile(f"[{DENSE_SCRIPTS}]")
"""Matches at the start of a word of a script that is written without spaces."""

PARTIAL_WORD = re.compile(f"(?:['\u2019]|{LETTER}|{_MARKS})*")
"""Matches what may be the rest of a word that began before the text (reversed: after it)."""


def split_words(text: str) -> list[str]:
    """Return the words of a text, in order."""
    return (_ASCII_WORD if text.isascii() else WORD).findall(text)


def located_words(text: str) -> Iterator[list[tuple[str, int]]]:
    """Yield the words of a text, each with where it begins, for a part of the text at a time.

    A word of more than PART characters counts as several::

        list(located_words("a giant"))  # [[("a", 0), ("giant", 2)]]
    """
    pattern, at = (_ASCII_WORD if text.isascii() else WORD), 0
    while at < len(text):
        end = min(at + PART, len(text))
        found = [(word[0], word.start()) for word in pattern.finditer(text, at, end)]
        if end < len(text) and found and found[-1][1] > at:
            # It may go on in the next part.
            end = found.pop()[1]
        yield found
        at = end
