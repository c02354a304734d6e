"""The profiles of langdetect: how often each sequence of letters is in texts of a language."""

import json
from array import array
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from importlib.resources import files
from itertools import groupby
from typing import Any

LONGEST_SEQUENCE = 3
"""Letters of a sequence."""

_LETTER_BITS = 21
"""Of the number of a letter."""
_LETTER = 2**_LETTER_BITS - 1


@dataclass(slots=True)
class LetterProfiles:
    """The share of each letter sequence in each language, looked up like langdetect's own map.

    Sequences are numbered in the order of those without their last letter, and then of that
    letter: so a text of last letters takes the place of an object for each sequence.
    """

    languages: list[str] = field(default_factory=list)
    _last: dict[str, str] = field(default_factory=dict, repr=False)
    """The last letters of the sequences that are the same without them."""
    _first: dict[str, int] = field(default_factory=dict, repr=False)
    """The number of the first of these sequences."""
    _ends: "array[int]" = field(default_factory=lambda: array("I", [0]), repr=False)
    """The end of the shares of each sequence, after those of the one before."""
    _numbers: bytearray = field(default_factory=bytearray, repr=False)
    """The language of each share, by its number."""
    _shares: "array[float]" = field(default_factory=lambda: array("d"), repr=False)

    def __contains__(self, letters: str) -> bool:
        return letters[-1] in self._last.get(letters[:-1], "")

    def __getitem__(self, letters: str) -> list[float]:
        others = letters[:-1]
        at = self._first[others] + self._last[others].index(letters[-1])
        shares = [0.0] * len(self.languages)
        for each in range(self._ends[at], self._ends[at + 1]):
            shares[self._numbers[each]] = self._shares[each]
        return shares

    def __len__(self) -> int:
        return len(self._ends) - 1

    def add(self, letters: str, shares: Iterable[tuple[int, float]]) -> None:
        """Add a sequence with its shares by language, after all that come before it."""
        others = letters[:-1]
        self._first.setdefault(others, len(self))
        self._last[others] = self._last.get(others, "") + letters[-1]
        for number, share in shares:
            self._numbers.append(number)
            self._shares.append(share)
        self._ends.append(len(self._shares))


def load_profiles() -> LetterProfiles:
    """Load the profiles of all languages, in the order of their names, which decides ties."""
    found = sorted(files("langdetect.profiles").iterdir(), key=lambda each: each.name)
    return packed_profiles(json.loads(each.read_text("utf-8")) for each in found)


def packed_profiles(profiles: Iterable[Mapping[str, Any]]) -> LetterProfiles:
    """Pack profiles of langdetect's format: ``name``, ``freq`` and, by length, ``n_words``."""
    packed, codes, numbers, shares = LetterProfiles(), array("Q"), bytearray(), array("d")
    # Numbers in arrays, for the memory of many small objects would not be free afterwards.
    for number, profile in enumerate(profiles):
        packed.languages.append(profile["name"])
        for letters, count in profile["freq"].items():
            if len(letters) <= LONGEST_SEQUENCE:  # langdetect itself skips longer ones
                codes.append(_code(letters))
                numbers.append(number)
                shares.append(count / profile["n_words"][len(letters) - 1])
    order = sorted(range(len(codes)), key=codes.__getitem__)
    for code, several in groupby(order, codes.__getitem__):
        packed.add(_letters(code), [(numbers[each], shares[each]) for each in several])
    return packed


def _code(letters: str) -> int:
    """Return a number for a sequence; the last letter counts least."""
    code = 0
    for letter in letters:
        code = code << _LETTER_BITS | ord(letter)
    return code


def _letters(code: int) -> str:
    """Return the sequence that has a number."""
    return _letters(code >> _LETTER_BITS) + chr(code & _LETTER) if code else ""
