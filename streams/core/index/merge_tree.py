"""Numbers by hash in sorted runs, of which the small are merged: a log-structured merge tree."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Hashes = NDArray[np.uint32]
Column = NDArray[Any]
_FEW = 2_048
_RATIO = 8
_MANY = 1 << 21
"""Rows of a run at most: it bounds how long a merge takes."""


@dataclass(frozen=True, slots=True)
class SortedRun:
    """Rows in order of their keys, by columns."""

    keys: Hashes
    columns: tuple[Column, ...]

    @classmethod
    def of(cls, keys: Hashes, *columns: Column) -> "SortedRun":
        """Sort rows."""
        order = np.argsort(keys, kind="stable")
        return cls(keys[order], tuple(column[order] for column in columns))

    def __len__(self) -> int:
        return len(self.keys)

    def merged(self, other: "SortedRun") -> "SortedRun":
        """Give the rows of both."""
        places = np.searchsorted(self.keys, other.keys) + np.arange(len(other))
        mine = np.ones(len(self) + len(other), bool)
        mine[places] = False
        both = zip((self.keys, *self.columns), (other.keys, *other.columns), strict=True)
        keys, *columns = (_woven(places, mine, a, b) for a, b in both)
        return SortedRun(keys, tuple(columns))

    def only(self, kept: NDArray[np.bool_]) -> "SortedRun":
        """Give the rows that are kept."""
        return SortedRun(self.keys[kept], tuple(column[kept] for column in self.columns))

    def find(self, wanted: Hashes) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Give each place in ``wanted`` with each place of a row of that key."""
        low = np.searchsorted(self.keys, wanted, "left")
        counts = np.searchsorted(self.keys, wanted, "right") - low
        ends = np.cumsum(counts)
        which = np.repeat(np.arange(len(wanted)), counts)
        return which, np.arange(len(which)) + (low - (ends - counts))[which]


class MergeTree:
    """Rows that are added to at little cost: each is merged a few times only."""

    def __init__(self) -> None:
        """Start empty."""
        self._runs: list[SortedRun] = []

    def __len__(self) -> int:
        return sum(map(len, self._runs))

    def __iter__(self) -> Iterator[SortedRun]:
        return iter(self._runs)

    def add(self, run: SortedRun) -> None:
        """Take in more rows."""
        self._runs.append(run)
        while len(self._runs) > 1 and _joins(*map(len, self._runs[-2:])):
            last = self._runs.pop()
            self._runs[-1] = self._runs[-1].merged(last)

    def keep(self, kept: list[NDArray[np.bool_]]) -> None:
        """Leave out the rows of each run that are not kept."""
        self._runs = [run.only(each) for run, each in zip(self._runs, kept, strict=True)]


def _joins(before: int, last: int) -> bool:
    return before <= max(_FEW, _RATIO * last) and before + last <= _MANY


def _woven(places: NDArray[np.int64], mine: NDArray[np.bool_], a: Column, b: Column) -> Column:
    both = np.empty(len(mine), a.dtype)
    both[places], both[mine] = b, a
    return both
