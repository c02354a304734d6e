"""The profiles of langdetect: how often each sequence of letters is in texts of a language."""

import json
from array import array
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from importlib.resources import files
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

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

    languages: list[str]
    _last: dict[str, str]
    """The last letters of the sequences that are the same without them."""
    _first: dict[str, int]
    """The number of the first of these sequences."""
    _ends: "array[int]"
    """The end of the shares of each sequence, after those of the one before."""
    _numbers: bytes
    """The language of each share, by its number."""
    _shares: "array[float]"

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


def load_profiles() -> LetterProfiles:
    """Load the profiles of all languages, in the order of their names, which decides ties."""
    found = sorted(files("langdetect.profiles").iterdir(), key=lambda each: each.name)
    return packed_profiles(json.loads(each.read_text("utf-8")) for each in found)


def packed_profiles(profiles: Iterable[Mapping[str, Any]]) -> LetterProfiles:
    """Pack profiles of langdetect's format: ``name``, ``freq`` and, by length, ``n_words``."""
    loaded = [(profile["name"], *_codes_and_shares(profile)) for profile in profiles]
    codes = np.concatenate([codes for _, codes, _ in loaded])
    shares = np.concatenate([shares for _, _, shares in loaded])
    numbers = np.repeat(np.arange(len(loaded), dtype=np.uint8), [len(c) for _, c, _ in loaded])
    order = codes.argsort(kind="stable")  # the shares of a sequence stay in the order of languages
    sequences, starts = np.unique(codes[order], return_index=True)
    others, firsts = np.unique(sequences >> _LETTER_BITS, return_index=True)
    names = [_letters(code) for code in others.tolist()]
    lasts = (sequences & _LETTER).astype("<u4").tobytes().decode("utf-32-le")
    bounds = pairwise([*firsts.tolist(), len(sequences)])
    return LetterProfiles(
        languages=[name for name, _, _ in loaded],
        _last={name: lasts[start:end] for name, (start, end) in zip(names, bounds, strict=True)},
        _first=dict(zip(names, firsts.tolist(), strict=True)),
        _ends=array("I", [*starts.tolist(), len(codes)]),
        _numbers=numbers[order].tobytes(),
        _shares=array("d", shares[order].tobytes()),
    )


def _codes_and_shares(profile: Mapping[str, Any]) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return a number for each sequence, in which the last letter counts least, and its share."""
    counts = np.array(list(profile["freq"].values()))
    texts = np.array(list(profile["freq"]), dtype=f"U{LONGEST_SEQUENCE + 1}")
    letters = texts.view(np.uint32).reshape(len(texts), -1).astype(np.uint64)
    lengths = (letters != 0).sum(axis=1)
    codes = np.zeros(len(texts), dtype=np.uint64)
    for column in letters.T[:LONGEST_SEQUENCE]:
        codes = np.where(column, codes << _LETTER_BITS | column, codes)
    fits = lengths <= LONGEST_SEQUENCE  # langdetect itself skips longer ones
    totals = np.array(profile["n_words"])[lengths[fits] - 1]
    return codes[fits], counts[fits] / totals


def _letters(code: int) -> str:
    """Return the sequence that has a number."""
    return _letters(code >> _LETTER_BITS) + chr(code & _LETTER) if code else ""
