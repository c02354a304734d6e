"""Prices that pages state for programs."""

import pytest

from connectors.readers.errors import NothingSelected, Unreadable
from connectors.readers.reading import read_views
from schemas.answers import Reading
from schemas.numbers import PRODUCT_NUMBER, NumberOptions
from schemas.views import Selector, View

LD = '<script type="application/ld+json">{}</script><p>7 in stock</p>'
OFFER = '{"@type": "Offer", "price": 1.299, "priceCurrency": "EUR"}'


def price(page: str, media: str = "text/html") -> str:
    (reading,) = read_views(page.encode(), media, [View(number=PRODUCT_NUMBER)])
    if isinstance(reading, Unreadable):
        raise reading
    assert isinstance(reading, Reading)
    return reading.text


@pytest.mark.parametrize(
    ("page", "expected"),
    [
        (LD.format(f'{{"@type": "Product", "offers": {OFFER}}}'), "1.299 EUR"),
        (LD.format(f'{{"@graph": [{{"@type": ["Product"], "offers": [{OFFER}]}}]}}'), "1.299 EUR"),
        (
            LD.format('{"@type": "Product", "offers": {"lowPrice": "5", "highPrice": "9"}}'),
            "5",
        ),
        (
            (
                '<div itemtype="https://schema.org/Product"><b itemprop="price">1.299,00</b>'
                '<meta itemprop="priceCurrency" content="eur"></div>'
            ),
            "1299 EUR",
        ),
        (
            (
                '<meta property="product:price:amount" content="12.90">'
                '<meta property="product:price:currency" content="GBP">'
            ),
            "12.90 GBP",
        ),
    ],
)
def test_a_price_for_programs_is_read_wherever_it_is(page: str, expected: str) -> None:
    assert price(page) == expected


@pytest.mark.parametrize(
    "page",
    [
        "<p>7 in stock</p>",
        LD.format("{broken"),
        LD.format('{"@type": "Product", "offers": {"price": {"a": 1}}}'),
        LD.format('{"@type": "Article", "price": "3"}'),
        LD.format("[" * 100_000),
    ],
)
def test_a_page_without_a_price_for_programs_says_what_to_do(page: str) -> None:
    with pytest.raises(NothingSelected, match=r"set view\.select to where it shows the price"):
        price(page)


def test_what_is_no_html_states_no_price_for_programs() -> None:
    with pytest.raises(Unreadable, match=r"set view\.number\.from to text"):
        price('{"price": 7}', "application/json")


def test_each_view_of_a_page_reads_its_own_number() -> None:
    page = LD.format(f'{{"@type": "Product", "offers": {OFFER}}}')
    text = NumberOptions(source="text")
    views = [
        View(number=PRODUCT_NUMBER),
        View(select=(Selector(css="p"),), number=text),
        View(select=(Selector(css="p"),)),
        View(select=(Selector(quote=None, css="p"),), ignore=("[0-9]",), number=text),
    ]
    read = read_views(page.encode(), "text/html", views)
    assert [getattr(each, "text", type(each)) for each in read] == [
        "1.299 EUR", "7", "7 in stock", NothingSelected,
    ]  # fmt: skip
