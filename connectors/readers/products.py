"""The statements of a page for programs: schema.org as JSON-LD or microdata, Open Graph.

The prices are read, and the stock.
"""

from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, NamedTuple

from selectolax.lexbor import LexborNode

from connectors.readers.json_ld import json_ld_of
from connectors.readers.microdata import MAX_PRICES, microdata_prices, microdata_stock
from connectors.readers.offers import (
    OTHERS,
    PRODUCTS,
    Offer,
    identities,
    kinds_of,
    likeness,
    offers_at,
    offers_in,
    shares_word,
)
from connectors.readers.stock import best_stock

MAX_PRODUCTS = 100
MAX_VALUES = 20_000
"""The most objects and lists of a page to examine: for products, and for prices."""
_OPEN_STOCK = ("product:availability", "og:availability")
_OPEN_GRAPH = ("product:sale_price", "product:price", "og:price")


class StatedPrices(NamedTuple):
    """The prices of a product, a line each, with their doubts."""

    lines: tuple[str, ...] = ()
    doubts: tuple[str, ...] = ()


class _Product(NamedTuple):
    """A product with offers; ``rank`` is higher for the main product."""

    rank: int
    name: str
    offers: Sequence[Offer]


def prices_of(root: LexborNode, url: str) -> StatedPrices:
    """Return the prices of the main product of a page, each with its currency.

    JSON-LD comes first, then microdata, then Open Graph: the first with a price counts. Of several
    products the one in ``url`` or a heading counts, else the first; products of a list, and related
    products, only without others.
    """
    nodes = list(json_ld_of(root))
    stated = _of_json_ld(root, nodes, url, OTHERS, _prices)
    if not stated.lines:
        stated = StatedPrices(_lines(microdata_prices(root)))
    if not stated.lines:
        stated = StatedPrices(_lines(_from_open_graph(root)))
    return stated if stated.lines else _of_json_ld(root, nodes, url, (), _prices)


def stock_of(root: LexborNode, url: str) -> str:
    """Return the stock of the main product of a page, as a text; empty if not stated.

    JSON-LD is looked at first, then microdata and RDFa, then Open Graph. Of several variants the
    one in ``url`` counts, else the easiest to get. Related products, and several of which none is
    the page's, say nothing.
    """
    heading = _heading(root)

    def stock(product: _Product, url: str) -> tuple[str, ...]:
        if not shares_word(product.name, heading):
            return ()
        offers = offers_at([each for each in product.offers if each.availability], url)
        found = best_stock(each.availability for each in offers)
        return (found,) if found else ()

    stated = _of_json_ld(root, list(json_ld_of(root)), url, OTHERS, stock)
    if stated.lines:
        return "" if stated.doubts else stated.lines[0]
    terms = microdata_stock(root, heading) or filter(
        None, (_meta(root, each) for each in _OPEN_STOCK)
    )
    return best_stock(terms)


def _of_json_ld(
    root: LexborNode,
    values: Sequence[Any],
    url: str,
    skipped: Sequence[str],
    stated: Callable[[_Product, str], tuple[str, ...]],
) -> StatedPrices:
    every = list(_objects(values, skipped))
    by_id = {str(each["@id"]): each for each in every if "@id" in each and len(each) > 2}
    heading, steps = _heading(root), iter(range(MAX_VALUES))  # of all: each may be in another
    products = [
        _product(each, [*islice(offers_in(each, by_id, steps), MAX_PRICES)], url, heading)
        for each in islice(filter(_is_product, every), MAX_PRODUCTS)
    ]
    products = [each for each in products if stated(each, url)]
    best = max(products, key=lambda each: each.rank, default=None)
    if best is None:
        return StatedPrices()
    lines = stated(best, url)
    others = (each for each in products if each.rank == best.rank)
    is_sure = all(set(stated(each, url)) == set(lines) for each in others)
    doubt = f"of several products {best.name or 'the first'} is read (view.select)"
    return StatedPrices(lines, () if is_sure else (doubt,))


def _objects(values: Sequence[Any], skipped: Sequence[str]) -> Iterator[dict[str, Any]]:
    """Yield the objects in some values of JSON, the outermost first, but none in products."""
    waiting = deque(values)
    for _ in range(MAX_VALUES):
        if not waiting:
            return
        value = waiting.popleft()
        if isinstance(value, dict):
            yield value
            if not _is_product(value):
                inside = (each for name, each in value.items() if name not in skipped)
                waiting.extend(each for each in inside if isinstance(each, dict | list))
        elif isinstance(value, list):
            waiting.extend(each for each in value if isinstance(each, dict | list))


def _is_product(value: Mapping[str, Any]) -> bool:
    return not (
        value.keys().isdisjoint(("itemOffered", "offers")) and kinds_of(value).isdisjoint(PRODUCTS)
    )


def _product(value: Mapping[str, Any], offers: Sequence[Offer], url: str, heading: str) -> _Product:
    name = value.get("name")
    name = " ".join(name.split()) if isinstance(name, str) else ""
    ids = identities(value).union(*(each.ids for each in offers))
    is_named = bool(name) and name.casefold() in heading
    return _Product(2 * min(likeness(ids, url), 2) + is_named, name[:100], offers)


def _heading(root: LexborNode) -> str:
    """Return the main headings and the title of a page."""
    found = root.css("h1, head > title")[:5]
    return " ".join(" ".join(each.text().split()) for each in found).casefold()


def _prices(product: _Product, url: str) -> tuple[str, ...]:
    offers = [each for each in product.offers if each.price.strip()]
    current = [each for each in offers if each.is_current] or offers
    return _lines([(each.price, each.currency) for each in offers_at(current, url)])


def _from_open_graph(root: LexborNode) -> list[tuple[str, str]]:
    stated = (
        (_meta(root, f"{name}:amount"), _meta(root, f"{name}:currency")) for name in _OPEN_GRAPH
    )
    return [each for each in stated if each[0]][:1]


def _meta(root: LexborNode, name: str) -> str:
    found = root.css_first(f"meta[property='{name}'], meta[name='{name}']")
    return ((found.attributes.get("content") if found is not None else "") or "").strip()


def _lines(prices: Sequence[tuple[str, str]]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(_line(price, currency) for price, currency in prices))


def _line(price: str, currency: str) -> str:
    """Return a price with its currency, unless the price has a currency."""
    price = " ".join(price.split())[:100]
    code = currency.strip().upper()[:3]
    return f"{price} {code}" if code and price[-1:].isdigit() and price[:1].isdigit() else price
