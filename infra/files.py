"""Files which are whole at any time: after a crash, a power cut, and with a full disk."""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path


def replace_text(path: Path, text: str, mode: int = 0o666) -> None:
    """Put a text in place of a file's; an unchanged text is not written.

    The text is written to a file in the same folder first, so a full disk leaves the old text.
    ``mode`` is for a new file. Raises OSError.
    """
    if path.exists() and path.read_bytes() == text.encode():
        return
    draft = path.with_name(f"{path.name}.new")
    draft.touch(mode)
    draft.write_text(text, "utf-8")
    put_in_place(draft, path)


def put_in_place(draft: Path, path: Path) -> None:
    """Rename a complete draft; a power cut leaves the old or the new content at ``path``.

    Raises OSError.
    """
    sync(draft)  # else the name may be on the disk before the content
    draft.replace(path)
    with suppress(OSError):  # some file systems sync no folders
        sync(path.parent)


@contextmanager
def locked_folder(folder: Path) -> Iterator[None]:
    """Let one process at a time read and replace the files of a folder; the others wait."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)


def sync(path: Path) -> None:
    """Wait until the content of a file, or the names in a folder, are on the disk."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
