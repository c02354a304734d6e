"""The language that a document declares."""

import pytest

from connectors.language_tags import language_code
from connectors.readers.declared_language import MAX_HEAD
from connectors.readers.reading import read_document, read_views
from schemas.records.views import Selector, View

RSS = (
    '<rss version="2.0"><channel>{}<title>Notes</title>'
    "<item><title>a</title>{}</item></channel></rss>"
)


@pytest.mark.parametrize(
    ("kind", "document", "language"),
    [
        ("text/html", "<!doctype html><html lang=en><p>Storm lantern", "en"),
        ("text/html", "<!-- <html lang=da> --><html class=x lang='pt-BR'><p>a", "pt"),
        ("text/html", "<html xml:lang='nb'><p>a", "no"),
        ("text/html", "<html xml:lang=nb><p><html lang=da>", "da"),
        ("text/html", "<html class='a>b' lang=fi><p>a", "fi"),
        ("text/html", "<title><html lang=da></title><HTML LANG=sv><p>a", "sv"),
        ("text/html", "<html><meta http-equiv=Content-Language content=de><p>a", "de"),
        ("text/html", "<html lang=''><meta http-equiv=Content-Language content='de, en'><p>a", ""),
        ("text/html", "<html><p lang=fr>a", ""),
        ("application/rss+xml", RSS.format("<language>en-us</language>", ""), "en"),
        ("application/rss+xml", RSS.format("<dc:language>fr</dc:language>", ""), "fr"),
        ("application/rss+xml", RSS.format("", "<dc:language>fr</dc:language>"), ""),
        ("application/atom+xml", "<feed xml:lang='sv'><title>a</title></feed>", "sv"),
        ("application/xml", "<?xml version='1.0'?><a xml:lang='it-IT'><b>c</b></a>", "it"),
        ("application/xhtml+xml", "<html xml:lang='nl'><body><p>a</p></body></html>", "nl"),
        ("application/json", '{"language": "en"}', ""),
        ("text/plain", "<html lang=en>", ""),
    ],
)
def test_a_documents_language_is_that_which_it_declares(
    kind: str, document: str, language: str
) -> None:
    assert read_document(document.encode(), kind, None).language == language


def test_a_part_has_the_language_of_its_page() -> None:
    page = b"<html lang=en><p id=name>Storm lantern</p><p>and more"
    (part,) = read_views(page, "text/html", [View(select=(Selector(css="#name"),))])
    assert not isinstance(part, Exception)
    assert (part.text, part.language) == ("Storm lantern", "en")


def test_only_the_beginning_of_a_document_is_searched() -> None:
    late = b"<rss><channel>" + b" " * MAX_HEAD + b"<language>en</language></channel></rss>"
    assert read_document(late, "application/rss+xml", None).language == ""


@pytest.mark.parametrize("tag", ["", "x", "gsw", "en, de", "e\u0301n", "*", "english"])
def test_what_is_no_single_language_of_two_letters_is_none(tag: str) -> None:
    assert language_code(tag) == ""
