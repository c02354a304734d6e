"""Prices that pages state for programs."""

from collections.abc import Iterator
from typing import Any

import pytest

from connectors.readers import microdata, offers, products
from connectors.readers.errors import NothingSelected, Unreadable
from connectors.readers.reading import read_views
from schemas.records.answers import Reading
from schemas.records.numbers import PRODUCT_NUMBER, NumberOptions, NumberReading
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
            '<p itemtype="https://schema.org/Product"><data itemprop=price value=1299>1.299</data>',
            "1299",
        ),
        (
            LD.format(
                '{"@type": "Product", "offers": {"@type": "AggregateOffer", "priceCurrency": "EUR",'
                ' "offers": [{"price": "7"}]}}'
            ),
            "7 EUR",
        ),
        (
            (
                '<meta property="product:price:amount" content="12.90">'
                '<meta property="product:price:currency" content="GBP">'
            ),
            "12.90 GBP",
        ),
        (
            (
                '<meta name="product:price:amount" content="12.90">'
                '<meta name="product:price:currency" content="GBP">'
            ),
            "12.90 GBP",
        ),
        (
            (
                '<div vocab="https://schema.org/" typeof="Product"><p property="offers" typeof='
                '"Offer"><b property="price" content="1299">1 299</b>'
                '<meta property="priceCurrency" content="EUR"></p></div>'
            ),
            "1299 EUR",
        ),
        (LD.format(f'{{"@type": "Car", "offers": {OFFER}}}'), "1.299 EUR"),
        (LD.format(f'{{"@type": "SoftwareApplication", "offers": {OFFER}}}'), "1.299 EUR"),
        (LD.format(f'{{"@type": "product", "offers": {OFFER}}}'), "1.299 EUR"),
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

    def counted(*_: Any) -> Iterator[offers.Offer]:
        nonlocal looked_at
        looked_at += 1
        return iter(())

    monkeypatch.setattr(offers, "_offer", counted)
    nested = '{"@type": "Product", "in": ' * 500 + f"[{{}}{', {}' * 5000}]" + "}" * 500
    with pytest.raises(NothingSelected):
        price(LD.format(nested))
    assert looked_at <= products.MAX_VALUES


def test_prices_in_prices_are_looked_at_up_to_a_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    looked_at: list[Any] = []

    def counted(node: Any) -> str:
        looked_at.append(node)
        return ""

    monkeypatch.setattr(microdata, "_value", counted)
    with pytest.raises(NothingSelected):
        price("<div itemprop=price>" * 300 + "<p>7 in stock</p>")
    assert len(looked_at) == microdata.MAX_PRICES


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


MIXER = f'{{"@type": "Product", "name": "Mixer", "offers": {OFFER.replace("1.299", "1299")}}}'
RED = '{"url": "/mixer?v=red", "sku": "r7", "price": 10, "priceCurrency": "EUR"}'
BLUE = '{"url": "/mixer?v=blue", "sku": "b7", "mpn": "4711b", "price": 20, "priceCurrency": "EUR"}'


def number(page: str, url: str = "https://shop.example/mixer") -> NumberReading:
    (reading,) = read_views(page.encode(), "text/html", [View(number=PRODUCT_NUMBER)], url=url)
    assert isinstance(reading, Reading)
    assert reading.number is not None
    return reading.number


@pytest.mark.parametrize(
    "script",
    [
        f"{MIXER};",
        f"// <![CDATA[\n{MIXER}\n// ]]>",
        f"/*<![CDATA[*/{MIXER}/*]]>*/",
        f"<![CDATA[{MIXER}]]>",
        f"<!--\n{MIXER}\n-->",
        MIXER[:-1] + ",}",
        f"\ufeff{MIXER}",
        MIXER.replace('"offers"', r'"brand": "Anna\'s \"best\"",, "sku": , "offers"'),
        MIXER.replace("1299", "001299"),
        MIXER.replace('"', "&quot;"),
        MIXER.replace("Mixer", r'Anna\'s 5" mixer, the "best"').replace('"', "'"),
        "{'@type': 'Product', 'name': 'Anna's 5\" mixer', " + MIXER.partition('"Mixer", ')[2],
        MIXER.replace('"offers"', '/* of today */ "offers"').replace("}", ", }"),
        MIXER.replace('"offers"', '// "price": 3,\n"offers"'),
        f'{{"@type": "WebSite"}}{MIXER}',
        f'{{"name": "a, }} // b"}}, {MIXER}',
    ],
)
def test_faults_of_json_ld_that_search_engines_forgive_cost_no_price(script: str) -> None:
    page = f'<script type="application/LD+JSON; charset=utf-8">{script}</script>'
    assert str(number(page)) == "1299 EUR"


@pytest.mark.parametrize(
    "script", ['{"a":' + '"\\"' * 200_000, "{/*" * 200_000, "{}" * 200_000, "{'" + "' " * 400_000]
)
def test_faults_of_json_ld_take_no_longer_for_each_other(script: str) -> None:
    with pytest.raises(NothingSelected):
        price(LD.format(script))


@pytest.mark.parametrize(
    "graph",
    [
        '{"@type": "Product", "offers": {"@id": "#o"}}, {"@id": "#o", "a": 1, "price": 7}',
        '{"@type": "Product", "@id": "#p"}, {"itemOffered": {"@id": "#p"}, "price": 7}',
        '{"@type": "Offer", "price": 7, "itemOffered": {"@type": "Product", "name": "Mixer"}}',
    ],
)
def test_an_offer_is_that_of_the_product_to_which_an_id_leads(graph: str) -> None:
    assert str(number(LD.format(f'{{"@graph": [{graph}]}}'))) == "7"


def specified(*specifications: str) -> str:
    several = ", ".join(specifications)
    return f'{{"@type": "Product", "offers": {{"priceSpecification": [{several}]}}}}'


@pytest.mark.parametrize(
    "other",
    [
        '{"priceType": "https://schema.org/StrikethroughPrice", "price": 1499}',
        '{"priceType": {"@id": "schema:ListPrice"}, "price": 1499}',
        '{"validForMemberTier": {"@type": "MemberProgramTier"}, "price": 999}',
        '{"referenceQuantity": {"value": "1", "unitCode": "KGM"}, "price": 4.98}',
        '{"eligibleQuantity": {"minValue": 10}, "price": 8}',
        '{"@type": "DeliveryChargeSpecification", "price": 4}',
    ],
)
def test_a_price_is_what_anyone_pays_for_one_now(other: str) -> None:
    current = '{"price": 1299, "referenceQuantity": {"unitCode": "C62"}}'
    reading = number(LD.format(specified(other, current)))
    assert (reading.value, reading.doubts) == ("1299", ())
    assert number(LD.format(specified(other))).value != "1299"


@pytest.mark.parametrize(
    ("url", "expected", "is_sure"),
    [
        ("https://shop.example/mixer?v=blue&utm_source=x", "20 EUR", True),
        ("https://shop.example/mixer?v=red", "10 EUR", True),
        ("https://shop.example/mixer?item=b7", "20 EUR", True),
        ("https://shop.example/mixer/b7", "20 EUR", True),
        ("https://shop.example/mixer-blue-4711b.html", "20 EUR", True),
        ("https://shop.example/mixer", "10 EUR", False),
        ("https://shop.example/mixer?v=green", "10 EUR", False),
    ],
)
def test_the_price_is_that_of_the_variant_in_the_url(
    url: str, expected: str, *, is_sure: bool
) -> None:
    variants = (f'{{"@type": "Product", "offers": {each}}}' for each in (RED, BLUE))
    group = f'{{"@type": "ProductGroup", "hasVariant": [{", ".join(variants)}]}}'
    product = f'{{"@type": "Product", "offers": [{RED}, {BLUE}]}}'
    for stated in (group, product):
        reading = number(LD.format(stated), url)
        assert (str(reading), not reading.doubts) == (expected, is_sure)


@pytest.mark.parametrize(
    "others",
    [
        f'{{"@type": "ItemList", "itemListElement": [{{"item": {MIXER.replace("1299", "9")}}}]}}',
        f'{{"@type": "WebPage", "mentions": {MIXER.replace("1299", "9")}}}',
        MIXER.replace("1299", "9").replace("Mixer", "Bowl"),
    ],
)
def test_the_price_of_another_product_is_not_that_of_the_page(others: str) -> None:
    reading = number(LD.format(f"[{others}, {MIXER}]") + "<h1>The Mixer 500</h1>")
    assert (reading.value, reading.doubts) == ("1299", ())
    inside = MIXER.replace('"offers"', f'"isRelatedTo": {MIXER.replace("1299", "9")}, "offers"')
    assert number(LD.format(inside)).value == "1299"


def test_of_several_products_the_first_is_read_with_a_doubt() -> None:
    several = f"[{MIXER}, {MIXER.replace('1299', '9').replace('Mixer', 'Bowl')}]"
    assert number(LD.format(several)).doubts == ("of several products Mixer is read (view.select)",)


def test_a_list_counts_if_the_page_states_no_other_price() -> None:
    listed = LD.format(f'{{"@type": "ItemList", "itemListElement": [{{"item": {MIXER}}}]}}')
    assert number(listed).value == "1299"
    graph = '<meta property="og:price:amount" content="7">'
    assert number(graph + listed).value == "7"


LIST_PRICE = "<link itemprop=priceType href='https://schema.org/ListPrice'>"
PRODUCT = '<div itemscope itemtype="https://schema.org/Product">'


@pytest.mark.parametrize(
    ("other", "own"),
    [
        (
            f"{PRODUCT}<div itemprop=isRelatedTo>{PRODUCT}<b itemprop=price>9</b></div></div>",
            "<h1>Mixer</h1><b itemprop=price>1299</b></div>",
        ),
        (
            f"<aside>{PRODUCT}<b itemprop=price>9</b></div></aside>",
            f"<main>{PRODUCT}<b itemprop=price>1299</b></div></main>",
        ),
        (
            f"{PRODUCT}<b itemprop=price>9</b></div>",
            f"{PRODUCT}<h1>Mixer</h1><b itemprop=price>1299</b>",
        ),
        (f"{PRODUCT}<del itemprop=price>1499</del>", "<b itemprop=price>1299</b></div>"),
        (
            f"{PRODUCT}<p itemscope>{LIST_PRICE}<b itemprop=price>1499</b></p>",
            "<p itemscope><b itemprop=price>1299</b></p></div>",
        ),
    ],
)
def test_microdata_says_which_price_is_that_of_the_page(other: str, own: str) -> None:
    reading = number(other + own)
    assert (reading.value, reading.doubts) == ("1299", ())
