"""How much of a picture has changed."""

from io import BytesIO

import pytest
from PIL import Image

from streams.diff.picture_changes import MAX_PIXELS, changed_pixels


def jpeg(
    width: int = 100, height: int = 100, quality: int = 90, **boxes: tuple[int, int, int, int]
) -> bytes:
    """A white picture with boxes in the colours that name them."""
    picture = Image.new("RGB", (width, height), "white")
    for colour, box in boxes.items():
        picture.paste(colour, box)
    written = BytesIO()
    picture.save(written, "JPEG", quality=quality)
    return written.getvalue()


@pytest.mark.parametrize(
    ("before", "after", "share"),
    [
        (jpeg(), jpeg(), 0),
        (jpeg(), jpeg(quality=40), 0),
        (jpeg(), jpeg(black=(0, 0, 100, 100)), 1),
        (jpeg(), jpeg(blue=(0, 0, 48, 48)), 0.23),
        (jpeg(height=100), jpeg(height=200), 0.5),
        (jpeg(width=200), jpeg(width=100, height=200), 0.75),
    ],
)
def test_the_share_is_that_of_the_pixels_that_differ(
    before: bytes, after: bytes, share: float
) -> None:
    found = changed_pixels(before, after)
    assert found == changed_pixels(after, before) == pytest.approx(10_000 * share, abs=200)


@pytest.mark.parametrize(
    "broken",
    [b"", b"\x89PNG", jpeg()[:300], jpeg(width=1, height=MAX_PIXELS // 200)[:40], jpeg(4000, 4000)],
)
def test_what_cannot_be_compared_has_no_share(broken: bytes) -> None:
    assert changed_pixels(jpeg(), broken) is None
