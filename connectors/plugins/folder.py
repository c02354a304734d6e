"""Plug-ins as files in a folder."""

import os
from collections.abc import Hashable, Mapping
from pathlib import Path
from types import ModuleType


class Folder:
    """The ``.py`` files of a folder, which need not exist.

    A file whose name begins with a dot or an underscore is ignored.
    """

    def __init__(self, path: Path) -> None:
        """Watch a folder."""
        self._path = path

    def versions(self) -> Mapping[str, Hashable]:
        """Return the path of each file, with its time, size and inode."""
        try:
            with os.scandir(self._path) as entries:
                return dict(filter(None, map(_version, entries)))
        except OSError:  # the folder does not exist
            return {}

    def load(self, origin: str) -> ModuleType:
        """Run a file as a module."""
        path = Path(origin)
        module = ModuleType(f"vokter_plugins.{path.stem}")
        module.__file__ = origin
        # Not imported: for a file that changed within a second Python would use its cache.
        code = compile(path.read_bytes(), origin, "exec")
        exec(code, module.__dict__)  # noqa: S102  # this is what a plug-in folder is for
        return module


def _version(entry: os.DirEntry[str]) -> tuple[str, Hashable] | None:
    if not entry.name.endswith(".py") or entry.name.startswith((".", "_")):
        return None
    try:
        found = entry.stat()
    except OSError:  # deleted since the folder was listed
        return None
    return entry.path, (found.st_mtime_ns, found.st_size, found.st_ino)
