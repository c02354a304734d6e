"""The text of a PDF's pages."""

from io import BytesIO

from connectors.readers.errors import Unreadable
from connectors.readers.page_text import PageText


def read_pdf(body: bytes, _: str | None) -> PageText:
    """Read the text of all pages in their order.

    Raises Unreadable for a broken file and for a file with a password.
    """
    # 9 MB that few processes need.
    from pypdf import PdfReader  # noqa: PLC0415
    from pypdf.errors import PyPdfError  # noqa: PLC0415

    try:
        reader = PdfReader(BytesIO(body))
        if reader.is_encrypted and not reader.decrypt(""):
            raise Unreadable("the PDF is encrypted")
        return PageText("\n".join(page.extract_text() for page in reader.pages))
    except PyPdfError as error:
        raise Unreadable(f"the PDF is broken: {error}") from error
