"""Files that are whole at any time, whatever ends the process or fills the disk."""

from pathlib import Path


def replace_text(path: Path, text: str) -> None:
    """Put a text in place of a file's; one that is the same is not written.

    The text is written to a file next to it first, so that a full disk leaves the old one. Raises
    OSError.
    """
    if path.exists() and path.read_bytes() == text.encode():
        return
    draft = path.with_name(f"{path.name}.new")
    draft.write_text(text, "utf-8")
    draft.replace(path)
