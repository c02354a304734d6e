"""The page that ``vokter demo`` watches."""

import pytest

from connectors.readers.reading import read_document
from streams.cli.demo.town import GIANTS, PAGES


@pytest.mark.parametrize("text", GIANTS)
def test_each_text_of_the_first_page_is_two_proper_sentences(text: str) -> None:
    sentences = text.removesuffix(".").split(". ")
    assert len(sentences) == 2
    assert all(each[0].isupper() and len(each.split()) > 5 for each in sentences)
    page = PAGES[0].html(GIANTS.index(text)).encode()
    reading = read_document(page, "text/html", None)
    assert (reading.title, reading.text.splitlines()[-1]) == ("Giants", text)


def test_a_keyword_comes_one_goes_and_one_stays() -> None:
    old, new = (text.casefold() for text in GIANTS)
    held = [(keyword in old, keyword in new) for keyword in PAGES[0].keywords]
    assert held == [(False, True), (True, False), (True, True)]
