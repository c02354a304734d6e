"""Plug-ins as files of a folder."""

from collections.abc import Hashable, Mapping
from pathlib import Path
from types import ModuleType


class Folder:
    """The ``.py`` files of a folder, which need not be there.

    A name that begins with a dot or an underscore is passed over.
    """

    def __init__(self, path: Path) -> None:
        """Take the folder."""
        self._path = path

    def versions(self) -> Mapping[str, Hashable]:
        """Give the path of each file, with its time, size and place on the disk."""
        return dict(filter(None, map(_version, self._path.glob("[!._]*.py"))))

    def load(self, origin: str) -> ModuleType:
        """Run a file as a module of its own."""
        path = Path(origin)
        module = ModuleType(f"vokter_plugins.{path.stem}")
        module.__file__ = origin
        # Not imported: Python would take a file changed within a second for its cached form.
        code = compile(path.read_bytes(), origin, "exec")
        exec(code, module.__dict__)  # noqa: S102  # what a plug-in folder is for
        return module


def _version(path: Path) -> tuple[str, Hashable] | None:
    try:
        found = path.stat()
    except OSError:  # gone since it was listed
        return None
    return str(path), (found.st_mtime_ns, found.st_size, found.st_ino)
