"""Prices that pages state for programs."""

from collections.abc import Iterator
from typing import Any

import pytest

from connectors.readers import products
from connectors.readers.errors import NothingSelected, Unreadable
from connectors.readers.reading import read_views
from schemas.records.answers import Reading
from schemas.records.numbers import PRODUCT_NUMBER, NumberOptions
from schemas.records.views import Selector, View

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


@pytest.mark.parametrize(
    ("stated", "expected"), [("1.25E7", "12500000 EUR"), ("1e3", "1000 EUR"), ("5e-1", "0.50 EUR")]
)
def test_a_price_with_an_exponent_is_read(stated: str, expected: str) -> None:
    offer = f'{{"price": {stated}, "priceCurrency": "EUR"}}'
    assert price(LD.format(f'{{"@type": "Product", "offers": {offer}}}')) == expected


@pytest.mark.parametrize("stated", ["1e999999", "1e99999999999999999999", "0e999999"])
def test_a_price_beyond_all_numbers_is_none(stated: str) -> None:
    with pytest.raises(NothingSelected):
        price(LD.format(f'{{"@type": "Product", "offers": {{"price": {stated}}}}}'))


def test_products_in_products_take_no_longer_than_others(monkeypatch: pytest.MonkeyPatch) -> None:
    looked_at = 0

    def counted(value: dict[str, Any]) -> Iterator[str]:
        nonlocal looked_at
        looked_at += 1
        return iter(())

    monkeypatch.setattr(products, "_price", counted)
    nested = '{"@type": "Product", "in": ' * 500 + f"[{{}}{', {}' * 5000}]" + "}" * 500
    with pytest.raises(NothingSelected):
        price(LD.format(nested))
    assert looked_at <= products.MAX_VALUES


def test_prices_in_prices_are_looked_at_up_to_a_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    looked_at: list[Any] = []

    def counted(node: Any) -> str:
        looked_at.append(node)
        return ""

    monkeypatch.setattr(products, "_value", counted)
    with pytest.raises(NothingSelected):
        price("<div itemprop=price>" * 300 + "<p>7 in stock</p>")
    assert len(looked_at) == products.MAX_PRICES


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
