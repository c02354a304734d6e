"""PDF, from files made here."""

import zlib
from io import BytesIO

import pytest
from pypdf import PdfReader, PdfWriter

from connectors.readers import Unreadable
from connectors.readers.reading import read_document


def pdf(*pages: str) -> bytes:
    """A PDF file (ISO 32000-1, 7.5) with a line of text on each page."""
    kids = " ".join(f"{4 + 2 * n} 0 R" for n in range(len(pages)))
    objects = [
        "<</Type/Catalog/Pages 2 0 R>>",
        f"<</Type/Pages/Kids[{kids}]/Count {len(pages)}>>",
        "<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>",
    ]
    for n, text in enumerate(pages):
        objects.append(
            "<</Type/Page/Parent 2 0 R/MediaBox[0 0 200 200]/Resources<</Font<</F 3 0 R>>>>"
            f"/Contents {5 + 2 * n} 0 R>>"
        )
        drawn = f"BT /F 12 Tf 9 99 Td ({text}) Tj ET"
        objects.append(f"<</Length {len(drawn)}>>stream\n{drawn}\nendstream")
    body, places = "%PDF-1.4\n", []
    for number, each in enumerate(objects, 1):
        places.append(len(body))
        body += f"{number} 0 obj{each}endobj\n"
    table = "".join(f"{place:010} 00000 n \n" for place in places)
    trailer = f"trailer<</Size {len(places) + 1}/Root 1 0 R>>\nstartxref\n{len(body)}\n%%EOF\n"
    body += f"xref\n0 {len(places) + 1}\n0000000000 65535 f \n{table}{trailer}"
    return body.encode("latin-1")


def encrypted(user: str, algorithm: str = "RC4-128") -> bytes:
    written = BytesIO()
    writer = PdfWriter(clone_from=PdfReader(BytesIO(pdf("Argus"))))
    writer.encrypt(user, "owner's", algorithm=algorithm)
    writer.write(written)
    return written.getvalue()


def text(body: bytes, kind: str | None = "application/pdf") -> str:
    return read_document(body, kind, None).text


@pytest.mark.parametrize("kind", ["application/pdf", "application/x-pdf", None])
def test_a_pdf_is_read_page_by_page(kind: str | None) -> None:
    assert text(pdf("Argus Panoptes", "caf\xe9 \xbd"), kind) == "Argus Panoptes\ncafé 1\u20442"


def test_a_pdf_that_only_restricts_printing_is_read() -> None:
    assert text(encrypted("")) == "Argus"
    assert text(encrypted("", "AES-256")) == "Argus"


def test_a_pdf_that_needs_a_password_is_unreadable() -> None:
    with pytest.raises(Unreadable, match="encrypted"):
        text(encrypted("secret"))


BROKEN = r"PDF is broken|reader of application/pdf failed"
CUT_OFF = pdf("a")[:200]
DEEP = b"%PDF-1.4\n" + b"[" * 100_000


@pytest.mark.parametrize("body", [b"", b"%PDF-1.7", b"<html>sorry</html>", CUT_OFF, DEEP])
def test_a_broken_pdf_is_unreadable(body: bytes) -> None:
    with pytest.raises(Unreadable, match=BROKEN):
        text(body)


def test_a_pdf_with_pages_that_contain_each_other_is_unreadable() -> None:
    loop = pdf("a").replace(b"/Kids[4 0 R]", b"/Kids[2 0 R]")
    with pytest.raises(Unreadable, match=BROKEN):
        text(loop)


def test_a_pdf_that_unpacks_to_more_than_any_page_has_is_unreadable() -> None:
    bomb = zlib.compress(b" " * 80_000_000, 1).decode("latin-1")
    packed = f"<</Filter/FlateDecode/Length {len(bomb)}>>stream\n{bomb}\nendstream"
    drawn = pdf("a").decode("latin-1")
    start, end = drawn.index("<</Length"), drawn.index("endstream") + len("endstream")
    with pytest.raises(Unreadable, match="PDF is broken: Limit"):
        text((drawn[:start] + packed + drawn[end:]).encode("latin-1"))
