"""Plug-ins as entry points of installed packages."""

from collections.abc import Hashable, Mapping
from functools import cache
from importlib.metadata import EntryPoints, entry_points
from types import ModuleType


@cache
def installed(group: str) -> EntryPoints:
    """Return the entry points of a group; the scan of all packages takes a tenth of a second."""
    return entry_points(group=group)


class Packages:
    """The entry points of a group, each of which names a module.

    They are read once: a package installed, upgraded or removed later counts from the next start of
    the process.
    """

    def __init__(self, group: str) -> None:
        """Read the entry points of a group such as ``vokter.readers``."""
        self._points = {point.value: point for point in installed(group)}

    def versions(self) -> Mapping[str, Hashable]:
        """Return the entry points; their versions never change."""
        return dict.fromkeys(self._points)

    def load(self, origin: str) -> ModuleType:
        """Import the module of an entry point; raises whatever the import raises."""
        module = self._points[origin].load()
        if not isinstance(module, ModuleType):
            raise TypeError(f"the entry point {origin} must name a module")
        return module
