"""With which text a picture is kept."""

from dataclasses import replace

from schemas.records.documents import Document
from streams.agents.fetch.state.snapshots import KeptPictures, pictures_after

ZEUS = Document("", "", 1, text="Zeus", read_at=7, picture=b"zeus")


def test_the_first_text_has_one_picture() -> None:
    unread = replace(ZEUS, text=None, picture=None, read_at=0)
    assert pictures_after(None, "Zeus", b"zeus") == KeptPictures(b"zeus")
    assert pictures_after(unread, "Zeus", b"zeus") == KeptPictures(b"zeus")


def test_the_same_text_keeps_the_pictures_that_it_has() -> None:
    hera = replace(ZEUS, picture=b"hera", earlier_picture=b"zeus", earlier_read_at=3)
    kept = KeptPictures(b"hera", b"zeus", 3)
    assert pictures_after(hera, "Zeus", b"another") == kept
    assert pictures_after(hera, "Zeus", None) == kept


def test_a_text_without_a_picture_gets_the_next_one() -> None:
    assert pictures_after(replace(ZEUS, picture=None), "Zeus", b"late") == KeptPictures(b"late")


def test_another_text_never_has_the_picture_of_the_one_before() -> None:
    assert pictures_after(ZEUS, "Hera", b"hera") == KeptPictures(b"hera", b"zeus", 7)
    assert pictures_after(ZEUS, "Hera", None) == KeptPictures(None, b"zeus", 7)
    unpictured = replace(ZEUS, picture=None, earlier_picture=b"old", earlier_read_at=3)
    assert pictures_after(unpictured, "Hera", b"hera") == KeptPictures(b"hera", None, 7)
