# ruff: noqa: RUF001 - letters of many scripts
"""Whether a product is in stock is read from what a shop states, else from its words."""

import json

import pytest

from connectors.readers.errors import NothingSelected, Unreadable
from connectors.readers.reading import read_views
from connectors.readers.stock import stock_in
from schemas.records.answers import Reading
from schemas.records.numbers import PRODUCT_NUMBER
from schemas.records.views import Quote, Selector, View

URL = "https://shop.example/lamps/aurora"


def product(availability: str | None, name: str = "Aurora desk lamp", **more: object) -> str:
    offer: dict[str, object] = {"@type": "Offer", "price": "89.00", "priceCurrency": "EUR"}
    offer |= {} if availability is None else {"availability": availability}
    value = {"@context": "https://schema.org", "@type": "Product", "name": name, "offers": offer}
    return f'<script type="application/ld+json">{json.dumps(value | more)}</script>'


PAGE = """<html lang=en><head><title>Aurora desk lamp | Lamps</title>{0}</head><body>
<nav><a>Sold out sale</a></nav><main><h1>Aurora desk lamp</h1><p>89 EUR</p>{1}</main>
<section><h2>You may also like</h2><div><h3>Boreal</h3><p>12 EUR</p><p>{2}</p></div></section>"""
RELATED = """<aside itemscope itemtype="https://schema.org/Product">
<span itemprop=name>Boreal</span><div itemprop=offers itemscope itemtype="https://schema.org/Offer">
<link itemprop=availability href="https://schema.org/InStock"></div></aside>"""
MICRODATA = """<div itemscope itemtype="http://schema.org/Product"><h1 itemprop=name>Aurora</h1>
<div itemprop=offers itemscope itemtype="http://schema.org/Offer"><meta itemprop=price content=89>
<link itemprop="availability" href="http://schema.org/OutOfStock"></div></div>"""
RDFA = """<div vocab="https://schema.org/" typeof="Product"><h1 property=name>Aurora</h1>
<div property=offers typeof=Offer><span property=price>89</span>
<link property=availability href="https://schema.org/PreOrder"></div></div>"""
OPEN_GRAPH = '<meta property="product:availability" content="oos"><h1>Aurora</h1><p>89 EUR'


def read(markup: str, view: View | None = None) -> Reading | Unreadable:
    [found] = read_views(markup.encode(), "text/html", [view or View(stock=True)], url=URL)
    return found


def stock(markup: str, view: View | None = None) -> str:
    found = read(markup, view)
    assert not isinstance(found, Unreadable), found
    return found.text


@pytest.mark.parametrize(
    ("term", "text"),
    [
        ("https://schema.org/InStock", "In stock"),
        ("http://schema.org/OutOfStock", "Out of stock"),
        ("schema:PreOrder", "Pre-order"),
        ("SoldOut", "Out of stock"),
        ("LimitedAvailability", "In stock"),
        ("https://schema.org/InStoreOnly", "In store only"),
        ("https://schema.org/BackOrder", "On back order"),
        ("https://schema.org/Discontinued", "Discontinued"),
    ],
)
def test_what_is_stated_for_programs_comes_before_words(term: str, text: str) -> None:
    page = read(PAGE.format(product(term), "<p>Ships tomorrow, in stock</p>", "In stock"))
    assert isinstance(page, Reading)
    assert (page.text, page.title) == (text, "Aurora desk lamp | Lamps")


@pytest.mark.parametrize(
    ("markup", "text"),
    [
        (MICRODATA + RELATED, "Out of stock"),
        (RDFA + RELATED, "Pre-order"),
        (OPEN_GRAPH, "Out of stock"),
    ],
)
def test_it_is_stated_in_several_ways(markup: str, text: str) -> None:
    assert stock(markup) == text


def test_related_products_say_nothing_of_the_product() -> None:
    related = {"@type": "Product", "name": "Boreal", "offers": {"availability": "InStock"}}
    own = product("OutOfStock", isRelatedTo=[related])
    assert stock(PAGE.format(own, "", "In stock")) == "Out of stock"
    assert stock(PAGE.format(product(None, isRelatedTo=[related]), "<p>Sold out", "In stock")) == (
        "Out of stock"
    )
    assert stock(PAGE.format("", f"<p>Sold out</p>{RELATED}", "In stock")) == "Out of stock"
    several = product("InStock", "Boreal") + product("OutOfStock", "Celeste")
    assert stock(PAGE.format(several, "<p>Sold out", "In stock")) == "Out of stock"
    assert isinstance(read(PAGE.format("", "", "In stock")), NothingSelected)


def test_of_variants_the_one_of_the_address_counts_else_the_easiest_to_get() -> None:
    offers = [
        {"sku": "red", "availability": "OutOfStock"},
        {"sku": "blue", "availability": "InStock"},
    ]
    page = PAGE.format(product(None, offers=offers), "", "")
    assert stock(page) == "In stock"
    for variant, text in (("red", "Out of stock"), ("blue", "In stock")):
        [found] = read_views(
            page.encode(), "text/html", [View(stock=True)], url=f"{URL}?sku={variant}"
        )
        assert isinstance(found, Reading)
        assert found.text == text


@pytest.mark.parametrize(
    ("words", "text"),
    [
        ("In stock", "In stock"),
        ("Only 3 left", "In stock"),
        ("Currently not in stock", "Out of stock"),
        ("Notify me when it is available", "Out of stock"),
        ("Availability: available", "In stock"),
        ("Derzeit nicht auf Lager", "Out of stock"),
        ("Sofort lieferbar", "In stock"),
        ("Jetzt vorbestellen", "Pre-order"),
        ("Rupture de stock", "Out of stock"),
        ("En stock", "In stock"),
        ("Agotado", "Out of stock"),
        ("Hay existencias", "In stock"),
        ("Esaurito", "Out of stock"),
        ("Disponibilità immediata", "In stock"),
        ("Fora de estoque", "Out of stock"),
        ("Em estoque", "In stock"),
        ("Niet op voorraad", "Out of stock"),
        ("Op voorraad", "In stock"),
        ("Brak w magazynie", "Out of stock"),
        ("Dostępny od ręki", "In stock"),
        ("Tillfälligt slut", "Out of stock"),
        ("Finns i lager", "In stock"),
        ("Udsolgt", "Out of stock"),
        ("Ikke på lager", "Out of stock"),
        ("Loppuunmyyty", "Out of stock"),
        ("Varastossa", "In stock"),
        ("Není skladem", "Out of stock"),
        ("Skladem", "In stock"),
        ("Stokta yok", "Out of stock"),
        ("Нет в наличии", "Out of stock"),
        ("В наличии", "In stock"),
        ("Немає в наявності", "Out of stock"),
        ("在庫切れです", "Out of stock"),
        ("在庫ありません", "Out of stock"),
        ("在庫あり", "In stock"),
        ("ただいま予約受付中", "Pre-order"),
        ("暂无现货", "Out of stock"),
        ("有货", "In stock"),
        ("補貨中", "Out of stock"),
        ("일시 품절", "Out of stock"),
        ("재고 있음", "In stock"),
        ("غير متوفر", "Out of stock"),
        ("متوفر في المخزون", "In stock"),
        ("אזל מהמלאי", "Out of stock"),
        ("Nincs raktáron", "Out of stock"),
        ("Εξαντλήθηκε", "Out of stock"),
    ],
)
def test_words_of_many_languages_say_it(words: str, text: str) -> None:
    assert stock_in(words) == text
    assert stock(PAGE.format("", f"<p>{words}</p>", "In stock / Sold out")) == text


@pytest.mark.parametrize(
    "words", ["available in 3 colours", "livestock", "All rights reserved", "Stock: see below", ""]
)
def test_other_words_say_nothing(words: str) -> None:
    assert stock_in(words) is None
    found = read(PAGE.format("", f"<p>{words}</p>", "In stock"))
    assert isinstance(found, NothingSelected)
    assert "view.stock" in str(found)


def test_the_line_that_is_nearest_to_the_price_counts() -> None:
    far = "<p>Spare bulbs are sold out.</p>" + "<p>Of brass, with a warm light.</p>" * 5
    page = f"<html lang=en><h1>Aurora</h1>{far}<p>89 EUR</p><p>In stock</p><h2>More</h2><p>Sold out"
    assert stock(page) == "In stock"
    later = "<h1>Aurora</h1><p>By Lumen</p><h2>Buy</h2><p>89 EUR</p><p>Sold out</p><h2>Boreal</h2>"
    assert stock(f"{later}<p>12 EUR<p>In stock") == "Out of stock"


def test_a_selected_part_says_it_in_its_words() -> None:
    page = PAGE.format(product("InStock"), "<p id=s>Back soon: sold out</p>", "In stock")
    for selector in (Selector(css="#s"), Selector(quote=Quote("Back soon: sold out"))):
        assert stock(page, View(stock=True, select=(selector,))) == "Out of stock"
    nothing = read(page, View(stock=True, select=(Selector(css="h1"),)))
    assert isinstance(nothing, NothingSelected)
    offer = b'{"name": "Aurora", "availability": "https://schema.org/OutOfStock"}'
    view = View(stock=True, select=(Selector(jsonpath="$.availability"),))
    [found] = read_views(offer, "application/json", [view])
    assert isinstance(found, Reading)
    assert found.text == "Out of stock"


def test_other_views_of_the_page_are_read_as_ever() -> None:
    page = PAGE.format(product("InStock"), "", "").encode()
    views = [View(), View(stock=True), View(select=(Selector(css="h1"),))]
    whole, word, heading = read_views(page, "text/html", views, url=URL)
    alone, _ = read_views(page, "text/html", [View(), views[2]], url=URL)
    assert (whole, isinstance(word, Reading)) == (alone, True)
    assert isinstance(heading, Reading)
    assert heading.text == "Aurora desk lamp"


def test_a_price_is_read_where_the_stock_stands_in_another_offer() -> None:
    offers = [{"availability": "InStock"}, {"price": "89", "priceCurrency": "EUR"}]
    page = PAGE.format(product(None, offers=offers), "", "").encode()
    price, word = read_views(
        page, "text/html", [View(number=PRODUCT_NUMBER), View(stock=True)], url=URL
    )
    assert isinstance(price, Reading)
    assert isinstance(word, Reading)
    assert (price.text, word.text) == ("89 EUR", "In stock")
