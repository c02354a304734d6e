"""How frequent letter sequences are in each language: langdetect's profiles, packed.

langdetect itself keeps, for each of 90,000 sequences, a list of the shares in all
languages: 65 MB, mostly zeros. Here they take 6 MB.
"""

from array import array
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any

LONGEST = 3
"""Letters of a sequence."""

_BITS = 21
"""Of the number of a letter."""
_LETTER = 2**_BITS - 1


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
    """Where the shares of each sequence end, after those of the one before."""
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


def packed_profiles(profiles: Iterable[Mapping[str, Any]]) -> LetterProfiles:
    """Pack profiles of langdetect's format: ``name``, ``freq`` and, by length, ``n_words``."""
    packed, codes, numbers, shares = LetterProfiles(), array("Q"), bytearray(), array("d")
    # Numbers in arrays, for the memory of many small objects would not be free afterwards.
    for number, profile in enumerate(profiles):
        packed.languages.append(profile["name"])
        for letters, count in profile["freq"].items():
            if len(letters) <= LONGEST:  # langdetect itself skips longer ones
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
        code = code << _BITS | ord(letter)
    return code


def _letters(code: int) -> str:
    """Return the sequence that has a number."""
    return _letters(code >> _BITS) + chr(code & _LETTER) if code else ""
