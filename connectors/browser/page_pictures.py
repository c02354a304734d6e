"""Pictures of pages: those kept with their texts, and those of failed steps for the operator."""

from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from playwright.async_api import Locator, Page

MAX_PICTURE = 1_000_000
"""Bytes of a picture."""
WIDTH, HEIGHT = 1280, 8_000
"""Pixels of a picture; the rest of a page is cut off."""
PICTURE_TIMEOUT_S = 10.0
_TRIES = ((75, HEIGHT), (40, HEIGHT), (40, 2_000))
"""Quality (0 to 100) and height: the first small enough is taken."""


async def page_picture(page: "Page", masked: "Sequence[Locator]") -> bytes | None:
    """Return a JPEG of a page from its top; None if impossible or too large.

    The content of ``masked`` elements is left out.
    """
    from playwright.async_api import Error  # noqa: PLC0415  # see process.py

    with suppress(Error):
        for quality, height in _TRIES:
            picture = await page.screenshot(
                type="jpeg",
                quality=quality,
                full_page=True,
                clip={"x": 0, "y": 0, "width": WIDTH, "height": height},
                timeout=PICTURE_TIMEOUT_S * 1000,
                animations="disabled",
                mask=masked,
            )
            if len(picture) <= MAX_PICTURE:
                return picture
    return None


MAX_KEPT = 50


def keep_picture(folder: Path, url: str, png: bytes) -> Path:
    """Write the picture of a page, in place of an older picture; the newest 50 are kept.

    Raises OSError.
    """
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    path = folder / f"{sha256(url.encode()).hexdigest()[:16]}.png"
    path.write_bytes(png)
    found = sorted(folder.glob("*.png"), key=lambda each: each.stat().st_mtime_ns)
    for older in found[:-MAX_KEPT]:
        older.unlink(missing_ok=True)
    return path
