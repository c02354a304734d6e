"""The pictures of a page that are kept, with the last text and the one before, and compared."""

from dataclasses import dataclass

from schemas.records.documents import Document


@dataclass(frozen=True, slots=True)
class KeptPictures:
    """The fields of a document that have pictures, as in ``Document``."""

    picture: bytes | None = None
    earlier_picture: bytes | None = None
    earlier_read_at: int = 0


def pictures_after(before: Document | None, text: str, picture: bytes | None) -> KeptPictures:
    """Return the pictures that are kept after a page was read as ``text``.

    A picture belongs to the text it was first taken with; one that is missing is made up for.

    >>> before = Document("", "", 1, text="Zeus", read_at=7, picture=b"zeus")
    >>> pictures_after(before, "Hera", b"hera")
    KeptPictures(picture=b'hera', earlier_picture=b'zeus', earlier_read_at=7)
    >>> pictures_after(before, "Zeus", b"another").picture
    b'zeus'
    """
    if before is None or before.text is None:
        return KeptPictures(picture)
    if before.text != text:
        return KeptPictures(picture, before.picture, before.read_at)
    kept = picture if before.picture is None else before.picture
    return KeptPictures(kept, before.earlier_picture, before.earlier_read_at)


def picture_change(before: Document | None, text: str, picture: bytes | None) -> int | None:
    """Return how many of 10,000 pixels are others than before; None if nothing is compared."""
    if before is None or before.text == text or before.picture is None or picture is None:
        return None
    # Only who looks at pictures needs the library.
    from streams.diff.picture_changes import changed_pixels  # noqa: PLC0415

    return changed_pixels(before.picture, picture)
