"""A charset that a page declares counts only if text is written in it."""

import pytest

from connectors.readers.charsets import decode
from connectors.readers.errors import Unreadable

TEXT = "zeus und Göttervater"
NO_CHARSETS = (
    *("idna", "punycode", "unicode_escape", "raw_unicode_escape", "utf-7", "undefined", "mbcs"),
    *("rot13", "hex", "base64", "bz2", "zlib", "uu", "quopri", "nothing-like-it", "../utf-8"),
    *("", " ", "\0", "utf-8\0", "ütf-8", "x" * 100_000, "utf-8" + " " * 100_000),
)


@pytest.mark.parametrize("label", NO_CHARSETS, ids=lambda label: repr(label[:12]))
def test_a_label_that_is_no_charset_of_texts_is_ignored(label: str) -> None:
    assert decode(TEXT.encode(), label) == TEXT


@pytest.mark.parametrize(
    ("label", "body"),
    [("latin1", "Göttervater".encode("cp1252")), ("SHIFT_JIS", "神々".encode("cp932"))],
)
def test_a_charset_is_known_by_any_of_its_names(label: str, body: bytes) -> None:
    assert decode(body, label) in {"Göttervater", "神々"}


def test_binary_content_is_no_text_whatever_it_says_it_is() -> None:
    with pytest.raises(Unreadable, match="binary"):
        decode(b"PK\0\1", "utf-8")


@pytest.mark.parametrize(
    ("label", "body"),
    [
        ("x-sjis", "神々".encode("cp932")),
        ("windows-31j", "神々".encode("cp932")),
        ("gb_2312-80", "神们".encode("gb18030")),
        ("windows-949", "신들".encode("cp949")),
        ("windows-874", "เทพ".encode("cp874")),
        ("iso-8859-8-i", "אלים".encode("iso8859-8")),
        ("\tUTF-8\n", "θεοί".encode()),
    ],
)
def test_a_label_means_what_browsers_take_it_for(label: str, body: bytes) -> None:
    assert decode(body, label) in {"神々", "神们", "신들", "เทพ", "אלים", "θεοί"}


@pytest.mark.parametrize("label", ["hz-gb-2312", "iso-2022-kr", "x-user-defined"])
def test_an_encoding_in_which_no_text_is_written_is_ignored(label: str) -> None:
    assert decode(TEXT.encode(), label) == TEXT
