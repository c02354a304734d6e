"""Plug-ins as entry points of installed packages."""

import importlib
import sys
from collections.abc import Callable, Hashable, Mapping
from importlib.metadata import EntryPoint, entry_points
from math import inf
from pathlib import Path
from time import monotonic, time_ns
from types import ModuleType

_SETTLED = 10 * 10**9
"""Nanoseconds for which an installation may still be at work in a folder that changed."""
PAUSE = 1.0
"""Seconds between two looks at the folders: they take a tenth of matching a change."""


class Packages:
    """The entry points of a group; each names a module."""

    def __init__(self, group: str, clock: Callable[[], float] = monotonic) -> None:
        """``group`` is the entry points' group, such as ``vokter.readers``; ``clock`` in s."""
        self._group = group
        self._clock = clock
        self._looked = -inf
        self._seen: dict[str, int] | None = None
        self._points: dict[str, EntryPoint] = {}
        self._versions: dict[str, Hashable] = {}

    def versions(self) -> Mapping[str, Hashable]:
        """Give the entry points, each with what changes when its package is installed anew.

        They are listed again only when a folder that Python imports from has changed.
        """
        now = self._clock()
        if now - self._looked >= PAUSE:
            self._look()
            self._looked = now
        return self._versions

    def _look(self) -> None:
        changed = _changed()
        if changed != self._seen:
            self._points = {str(point.value): point for point in entry_points(group=self._group)}
            self._versions = {each: _version(point) for each, point in self._points.items()}
            is_settled = time_ns() - max(changed.values(), default=0) > _SETTLED
            self._seen = changed if is_settled else None

    def load(self, origin: str) -> ModuleType:
        """Import the module of an entry point afresh."""
        point = self._points[origin]
        _forget(point.module)
        importlib.invalidate_caches()
        module = point.load()
        if not isinstance(module, ModuleType):
            raise TypeError("the entry point must name a module")
        return module


def _changed() -> dict[str, int]:
    times: dict[str, int] = {}
    for folder in sys.path:
        try:
            times[folder] = Path(folder).stat().st_mtime_ns
        except OSError:  # listed but not there
            continue
    return times


def _version(point: EntryPoint) -> Hashable:
    # RECORD has the hash of every file of the package.
    return point.dist and (point.dist.version, point.dist.read_text("RECORD"))


def _forget(module: str) -> None:
    """Have a module and those below it imported again."""
    for name in list(sys.modules):
        if name == module or name.startswith(f"{module}."):
            del sys.modules[name]
