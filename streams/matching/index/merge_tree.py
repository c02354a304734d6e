"""Rows of numbers by hash, in sorted runs that are merged as they grow.

A log-structured merge tree in memory: what is added becomes a small run, and a run is
merged with the one before it unless that one is at least eight times larger. So there
are only a few runs to search, and each row is copied only a few times.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Hashes = NDArray[np.uint32]
Column = NDArray[Any]
_FEW = 2_048
_RATIO = 8
_MAX_ROWS = 1 << 21
"""Rows of a run at most. It bounds how long one merge holds up the worker."""


@dataclass(frozen=True, slots=True)
class SortedRun:
    """Rows in the order of their keys, column by column; several rows may share a key."""

    keys: Hashes
    columns: tuple[Column, ...]

    @classmethod
    def of(cls, keys: Hashes, *columns: Column) -> "SortedRun":
        """Sort rows by their keys."""
        order = np.argsort(keys, kind="stable")
        return cls(keys[order], tuple(column[order] for column in columns))

    def __len__(self) -> int:
        return len(self.keys)

    def merged(self, other: "SortedRun") -> "SortedRun":
        """Return the rows of both."""
        # Where each row of the other one comes to stand among those of this one.
        places = np.searchsorted(self.keys, other.keys) + np.arange(len(other))
        is_own = np.ones(len(self) + len(other), bool)
        is_own[places] = False
        both = zip((self.keys, *self.columns), (other.keys, *other.columns), strict=True)
        keys, *columns = (_interleaved(places, is_own, own, new) for own, new in both)
        return SortedRun(keys, tuple(columns))

    def only(self, is_kept: NDArray[np.bool_]) -> "SortedRun":
        """Return the rows for which ``is_kept`` is true."""
        return SortedRun(self.keys[is_kept], tuple(column[is_kept] for column in self.columns))

    def find(self, wanted: Hashes) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Find all rows with a wanted key.

        Returns two arrays of the same length: which of the wanted keys, and which row
        has it. For the keys 3, 5, 5, 9 and the wanted ones 5, 9 they are 0, 0, 1 and
        1, 2, 3.
        """
        low = np.searchsorted(self.keys, wanted, "left")
        counts = np.searchsorted(self.keys, wanted, "right") - low
        ends = np.cumsum(counts)
        which = np.repeat(np.arange(len(wanted)), counts)
        # Counting on from ``low`` for each wanted key, in one go for all of them.
        return which, np.arange(len(which)) + (low - (ends - counts))[which]


class MergeTree:
    """Runs of rows: the oldest and largest first."""

    def __init__(self) -> None:
        self._runs: list[SortedRun] = []

    def __len__(self) -> int:
        return sum(map(len, self._runs))

    def __iter__(self) -> Iterator[SortedRun]:
        return iter(self._runs)

    def add(self, run: SortedRun) -> None:
        """Add the rows of a run, and merge runs that have become alike in size."""
        self._runs.append(run)
        while len(self._runs) > 1 and _are_to_merge(*map(len, self._runs[-2:])):
            last = self._runs.pop()
            self._runs[-1] = self._runs[-1].merged(last)

    def keep(self, is_kept: list[NDArray[np.bool_]]) -> None:
        """Drop rows: ``is_kept`` says for each run which of its rows stay."""
        self._runs = [run.only(each) for run, each in zip(self._runs, is_kept, strict=True)]


def _are_to_merge(before: int, last: int) -> bool:
    return before <= max(_FEW, _RATIO * last) and before + last <= _MAX_ROWS


def _interleaved(
    places: NDArray[np.int64], is_own: NDArray[np.bool_], own: Column, new: Column
) -> Column:
    both = np.empty(len(is_own), own.dtype)
    both[places], both[is_own] = new, own
    return both
