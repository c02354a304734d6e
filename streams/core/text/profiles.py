"""How frequent letter sequences are in each language: langdetect's profiles, packed.

langdetect itself keeps, for each of 90,000 sequences, a list of the shares in all
languages: 65 MB, mostly zeros.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from struct import Struct
from typing import Any

LONGEST = 3
"""Letters of a sequence."""
_ENTRY = Struct("=Bd")


@dataclass(frozen=True)
class LetterProfiles:
    """The share of each letter sequence in each language, looked up like langdetect's own map."""

    languages: tuple[str, ...]
    _rows: dict[str, bytes] = field(repr=False)

    def __contains__(self, letters: str) -> bool:
        return letters in self._rows

    def __getitem__(self, letters: str) -> list[float]:
        shares = [0.0] * len(self.languages)
        for number, share in _ENTRY.iter_unpack(self._rows[letters]):
            shares[number] = share
        return shares

    def __len__(self) -> int:
        return len(self._rows)


def packed_profiles(profiles: Iterable[Mapping[str, Any]]) -> LetterProfiles:
    """Pack profiles of langdetect's format: ``name``, ``freq`` and, by length, ``n_words``."""
    languages: list[str] = []
    rows: dict[str, bytes] = {}
    for number, profile in enumerate(profiles):
        languages.append(profile["name"])
        for letters, count in profile["freq"].items():
            if len(letters) <= LONGEST:  # langdetect itself skips longer ones
                share = count / profile["n_words"][len(letters) - 1]
                rows[letters] = rows.get(letters, b"") + _ENTRY.pack(number, share)
    return LetterProfiles(tuple(languages), rows)
