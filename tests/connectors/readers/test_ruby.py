"""Readings above characters, which are no part of their words."""

import pytest

from connectors.readers.reading import read_document


@pytest.mark.parametrize("kind", ["text/html", "application/xhtml+xml"])
@pytest.mark.parametrize(
    "ruby",
    [
        "<ruby>東京<rt>とうきょう</rt></ruby>",
        "<ruby>東<rt>とう</rt>京<rt>きょう</rt></ruby>",
        "<ruby>東京<rp>(</rp><rt>とうきょう</rt><rp>)</rp></ruby>",
        "<ruby><rb>東</rb><rb>京</rb><rtc><rt>とう</rt><rt>きょう</rt></rtc></ruby>",
    ],
)
def test_a_word_is_read_without_the_reading_above_it(ruby: str, kind: str) -> None:
    page = f"<html xmlns='http://www.w3.org/1999/xhtml'><body><p>{ruby}タワー</p></body></html>"
    assert read_document(page.encode(), f"{kind}; charset=utf-8", None).text == "東京タワー"
