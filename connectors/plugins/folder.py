"""Plug-ins as files in a folder."""

import os
from collections.abc import Hashable, Mapping
from contextlib import suppress
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
                files = [each for each in entries if each.name.endswith(".py")]
        except OSError:  # the folder does not exist
            return {}
        versions: dict[str, Hashable] = {}
        for file in files:
            if not file.name.startswith((".", "_")):
                with suppress(OSError):  # deleted since the folder was listed
                    found = file.stat()
                    versions[file.path] = found.st_mtime_ns, found.st_size, found.st_ino
        return versions

    def load(self, origin: str) -> ModuleType:
        """Run a file as a module."""
        path = Path(origin)
        module = ModuleType(f"vokter_plugins.{path.stem}")
        module.__file__ = origin
        # Not imported: for a file that changed within a second Python would use its cache.
        code = compile(path.read_bytes(), origin, "exec")
        exec(code, module.__dict__)  # noqa: S102  # this is what a plug-in folder is for
        return module
