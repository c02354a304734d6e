"""A charset that a page declares counts only if text is written in it."""

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from connectors.readers.charsets import decode, decode_unless_utf_8
from connectors.readers.errors import Unreadable
from connectors.readers.prescan import html_charset, tags, xml_charset
from connectors.readers.reading import read_document

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


SIZE = "Größe 40 für Straße"


def html(head: str, text: str = SIZE, codec: str = "utf-8", header: str = "text/html") -> str:
    page = f"<!doctype html><html lang=de>{head}<body><p>{text}</p>"
    return read_document(page.encode(codec, "surrogateescape"), header, None).text


def feed(declared: str, codec: str, text: str = SIZE, header: str = "application/rss+xml") -> str:
    item = f"<item><title>{text}</title></item>"
    page = f"<?xml version='1.0'{declared}?><rss><channel>{item}</channel></rss>"
    return read_document(page.encode(codec), header, None).text


@pytest.mark.parametrize(
    "head",
    [
        '<!-- <meta charset="koi8-r"> --><meta charset="utf-8">',
        '<!-- > <meta charset="koi8-r"> -->',
        '<!--><meta charset="utf-8"><meta charset="koi8-r">',
        '<meta name="description" content="charset=gbk">',
        '<meta name="description" content="x" data-charset="gbk">',
        "<meta property='og:title' content='<meta charset=\"gbk\">'>",
        '<a title="<meta charset=gbk>">',
        "<?pi <meta charset=gbk>",
        "<!ELEMENT charset=gbk>",
        '</meta charset="gbk">',
        '<metadata charset="gbk">',
        "<meta http-equiv=refresh content='5; charset=gbk'>",
        "<meta content='text/html; charset=gbk'>",
        '<meta charset="utf-16">',
        '<meta charset="UTF-16LE">',
        '<meta charset="unicode">',
        "<meta http-equiv=Content-Type content='text/html; charset=unicode'>",
        '<meta charset="none"><meta charset="utf-8"><meta charset="gbk">',
        '<meta charset="utf-8" charset="gbk">',
        "<meta/charset='utf-8'/><meta charset=gbk>",
        '<META HTTP-EQUIV = "Content-Type" CONTENT = "text/html;CHARSET = utf-8">',
        "<meta charset=\nutf-8\n>",
        "<script>var charset='gbk'</script>",
        "",
    ],
)
def test_the_charset_of_a_page_is_the_one_that_browsers_find(head: str) -> None:
    assert html(head) == SIZE


@pytest.mark.parametrize(
    "head",
    [
        "<meta charset=windows-1252>",
        "<meta charset = ' latin1 '>",
        "<meta http-equiv=content-type content='text/html; charset=\"iso-8859-1\"'>",
        "<meta content='text/html; charset=iso-8859-1;x' http-equiv=content-type>",
        "<meta http-equiv='content-type' content='charset; charset=latin1'>",
        "<meta charset=x-user-defined>",
        "<meta x='>' charset=latin1>",
        "<!-- " + "long " * 400 + "--><meta charset=latin1>",
    ],
)
def test_a_charset_is_found_however_it_is_written(head: str) -> None:
    assert html(head, SIZE, "cp1252") == SIZE


def test_a_header_goes_before_a_page_and_a_mark_before_both() -> None:
    meta = '<meta charset="koi8-r">'
    assert html(meta, SIZE, "cp1252", "text/html; charset=ISO-8859-1") == SIZE
    assert html(meta, SIZE, "utf-8-sig", "text/html; charset=ISO-8859-1") == SIZE
    assert html(meta, SIZE, "utf-16", "text/html; charset=ISO-8859-1") == SIZE


def test_xml_at_the_beginning_of_html_names_its_charset() -> None:
    page = "<?xml version='1.0' encoding='cp1251'?><html><p>Новости</p>".encode("cp1251")
    assert read_document(page, "text/html", None).text == "Новости"


@pytest.mark.parametrize("codec", ["utf-16-le", "utf-16-be"])
@pytest.mark.parametrize("header", ["text/html", "text/html; charset=utf-8"])
def test_utf_16_without_a_mark_is_known_by_its_zeros(codec: str, header: str) -> None:
    assert html("", SIZE, codec, header) == SIZE
    assert feed("", codec) == SIZE


@pytest.mark.parametrize(
    ("declared", "codec"),
    [
        ("iso-8859-1", "utf-8"),
        ("windows-1252", "utf-8"),
        ("utf-16", "utf-8"),
        ("gb2312", "utf-8"),
        ("none", "utf-8"),
        ("utf-8", "cp1252"),
        ("utf-16", "cp1252"),
        ("windows-1252", "cp1252"),
        ("UTF-8", "utf-16"),
        ("iso-8859-15", "iso-8859-15"),
    ],
)
def test_a_feed_is_read_as_it_is_written_whatever_it_declares(declared: str, codec: str) -> None:
    assert feed(f" encoding='{declared}'", codec) == SIZE
    assert feed("", codec, header=f"text/xml; charset={declared}") == SIZE


def test_of_two_declarations_the_true_one_counts() -> None:
    kind = "text/xml; charset=utf-8"
    assert feed(" encoding='koi8-r'", "koi8-r", "Новости", kind) == "Новости"
    assert feed(" encoding='iso-2022-jp'", "iso2022_jp", "今日のニュース") == "今日のニュース"
    assert feed(" encoding='shift_jis'", "cp932", "今日のニュース", kind) == "今日のニュース"


def test_a_feed_with_a_character_that_was_cut_stays_utf_8() -> None:
    page = f"<rss><channel><title>{SIZE}".encode() + b"\xc3</title></channel></rss>"
    assert read_document(page, "application/rss+xml", None).text == f"{SIZE}\ufffd"


def test_a_page_with_a_wrong_byte_stays_utf_8() -> None:
    assert html("", f"{SIZE}\udcff", "utf-8") == f"{SIZE}\ufffd"


def test_json_is_utf_8_whatever_its_header_says() -> None:
    kind = "application/json; charset=iso-8859-1"
    assert read_document(f'{{"a": "{SIZE}"}}'.encode(), kind, None).text == f"a: {SIZE}"
    assert read_document(f'{{"a": "{SIZE}"}}'.encode("cp1252"), kind, None).text == f"a: {SIZE}"


@pytest.mark.parametrize("text", ["L\u2019été à la forêt — déjà", "Ação e coração não são irmãos"])
def test_an_undeclared_text_is_in_the_usual_charset_if_it_may_be(text: str) -> None:
    assert decode(f"<p>{text}</p>".encode("cp1252")) == f"<p>{text}</p>"


@pytest.mark.parametrize(
    ("kind", "body", "text"),
    [
        ("text/html", b"<p>Argus\0 is back</p><p title='a\0b'>and\0</p>", "Argus is back\nand"),
        ("text/html", b"\0<!doctype html>\0<p>Argus" + bytes(900), "Argus"),
        ("text/html", b"<d\0iv>Argus</div>", "Argus"),
        ("text/plain", b"Argus\0\nsleeps", "Argus\nsleeps"),
        ("application/json", b'{"name": "Arg\0us"}\0', "name: Argus"),
        ("application/xml", b"<a>Arg\0us</a>\0", "Argus"),
        ("text/csv", b"a,b\0\n1,2", "a\tb\n1\t2"),
        ("text/markdown", b"# Argus\0", "Argus"),
        ("text/html; charset=windows-1251", "<p>Новости\0".encode("cp1251"), "Новости"),
    ],
)
def test_a_nul_is_dropped(kind: str, body: bytes, text: str) -> None:
    assert read_document(body, kind, None).text == text


@pytest.mark.parametrize(
    "body",
    [
        b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\1\0\0\0\1\0\x08\6\0\0\0",
        b"\x7fELF\2\1\1" + bytes(9) + b"\3\0\x3e\0\1\0\0\0",
        bytes(range(256)) * 9,
        b"\xff\xd8\xff\xe0\0\x10JFIF\0\1\1\0\0\1\0\1\0\0",
    ],
)
@pytest.mark.parametrize("kind", ["text/html", "text/plain", "text/html; charset=latin1"])
def test_an_image_or_a_program_is_no_text(body: bytes, kind: str) -> None:
    with pytest.raises(Unreadable, match="binary"):
        read_document(body, kind, None)


@given(st.binary(max_size=99) | st.text("<>!-=\"'/ ametchrs", max_size=60).map(str.encode))
def test_any_beginning_is_scanned_to_its_end(beginning: bytes) -> None:
    assert all(name.islower() or not name.isascii() for name, _ in tags(beginning))
    html_charset(beginning)
    xml_charset(beginning)


_PIECES = (
    b"Zeus",
    "Göttervater".encode(),
    "Götter".encode("cp1252"),
    b"\xef\xbb\xbf",
    b"\0",
    b"\xff\xfe",
)


@given(
    st.lists(st.sampled_from(_PIECES) | st.binary(max_size=4), max_size=5).map(b"".join),
    st.sampled_from([None, "utf-8", "UTF8", "latin1", "utf-16", "nothing-like-it"]),
    st.sampled_from([None, "utf-8", "cp1252"]),
)
def test_what_is_left_as_utf_8_is_the_text_and_all_else_is_decoded(
    body: bytes, declared: str | None, named: str | None
) -> None:
    def read(how: Callable[..., str | bytes]) -> str | bytes | None:
        try:
            return how(body, declared, named=lambda _: named)
        except Unreadable:
            return None

    found, text = read(decode_unless_utf_8), read(decode)
    assert found in {text, body}
    assert (found.decode() if isinstance(found, bytes) else found) == text
