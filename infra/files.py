"""Files which are whole at any time, even if the process ends or the disk is full."""

from pathlib import Path


def replace_text(path: Path, text: str) -> None:
    """Put a text in place of a file's; an unchanged text is not written.

    The text is written to a file in the same folder first, so a full disk leaves the old text.
    Raises OSError.
    """
    if path.exists() and path.read_bytes() == text.encode():
        return
    draft = path.with_name(f"{path.name}.new")
    draft.write_text(text, "utf-8")
    draft.replace(path)
