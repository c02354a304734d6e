"""Pictures of pages with which a step failed, for the operator to look at."""

from hashlib import sha256
from pathlib import Path

MAX_KEPT = 50


def keep_picture(folder: Path, url: str, png: bytes) -> Path:
    """Write the picture of a page, in place of an older one; the newest 50 are kept.

    Raises OSError.
    """
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    path = folder / f"{sha256(url.encode()).hexdigest()[:16]}.png"
    path.write_bytes(png)
    found = sorted(folder.glob("*.png"), key=lambda each: each.stat().st_mtime_ns)
    for older in found[:-MAX_KEPT]:
        older.unlink(missing_ok=True)
    return path
