"""How frequent sequences of letters are in each language: langdetect's profiles, packed.

It keeps a list of all languages for each of 90,000 sequences, 65 MB, of which most say 0.
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
    """Looked up as langdetect's own map: the share of a sequence in each language, in order."""

    languages: tuple[str, ...]
    _rows: dict[str, bytes] = field(repr=False)

    def __contains__(self, letters: str) -> bool:
        return letters in self._rows

    def __getitem__(self, letters: str) -> list[float]:
        shares = [0.0] * len(self.languages)
        for place, share in _ENTRY.iter_unpack(self._rows[letters]):
            shares[place] = share
        return shares

    def __len__(self) -> int:
        return len(self._rows)


def packed_profiles(profiles: Iterable[Mapping[str, Any]]) -> LetterProfiles:
    """Take profiles as langdetect keeps them: ``name``, ``freq`` and, by length, ``n_words``."""
    languages: list[str] = []
    rows: dict[str, bytes] = {}
    for place, profile in enumerate(profiles):
        languages.append(profile["name"])
        for letters, count in profile["freq"].items():
            if len(letters) <= LONGEST:
                share = count / profile["n_words"][len(letters) - 1]
                rows[letters] = rows.get(letters, b"") + _ENTRY.pack(place, share)
    return LetterProfiles(tuple(languages), rows)
