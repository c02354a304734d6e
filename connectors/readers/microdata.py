"""The prices of a page, and its stock, in microdata or RDFa."""

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import NamedTuple

from selectolax.lexbor import LexborNode

from connectors.readers.offers import OTHERS, PRODUCTS, is_past, shares_word

MAX_PRICES = 100
"""The most prices of a page to examine."""
MAX_LEVELS = 256
"""The most elements around a price to examine."""
_PRICES = (
    "[itemprop~='price'], [itemprop~='lowPrice'], [property~='price'], [property='schema:price']"
)
_CURRENCY = "[itemprop~='priceCurrency'], [property~='priceCurrency']"
_STOCK = "[itemprop~='availability'], [property~='availability'], [property='schema:availability']"
_NAME = "[itemprop~='name'], [property~='name'], [property='schema:name']"
_STRUCK = ("del", "s", "strike")
_VALUED = ("data", "meter", "input")


_SCOPES = frozenset(["itemscope", "typeof"])


class _Place(NamedTuple):
    """A price or a stock on a page; ``rank`` is higher for the main product."""

    rank: int
    product: int
    value: str
    currency: str


def microdata_prices(root: LexborNode) -> list[tuple[str, str]]:
    """Return the prices of the page's product, each with its currency."""
    default = root.css_first(_CURRENCY)
    currency = "" if default is None else _value(default)
    nodes = root.css(_PRICES)[:MAX_PRICES]  # each may be in another
    places = [_place(node, price, currency) for node in nodes if (price := _value(node))]
    return [(each.value, each.currency) for each in _best(places)]


def microdata_stock(root: LexborNode, heading: str) -> list[str]:
    """Return the terms of schema.org for the stock of the page's product.

    Related products say nothing of the stock, nor do several products of equal rank.
    """
    nodes = (node for node in root.css(_STOCK)[:MAX_PRICES] if _is_of_page(node, heading))
    terms = ((node, (node.attributes.get("href") or "").strip() or _value(node)) for node in nodes)
    places = [_place(node, term, "") for node, term in terms if term]
    best = _best(places)
    is_alone = len({each.product for each in places if best and each.rank == best[0].rank}) == 1
    return [each.value for each in best] if is_alone else []


def _is_of_page(node: LexborNode, heading: str) -> bool:
    around = list(islice(_around(node), MAX_LEVELS))
    product = next((each for each in around if _kind(each) in PRODUCTS), None)
    named = None if product is None else product.css_first(_NAME)
    name = "" if named is None else _value(named)
    return all(_rank(each) >= 0 for each in around) and shares_word(name, heading)


def _best(places: Sequence[_Place]) -> list[_Place]:
    best = max(places, key=lambda each: each.rank, default=None)
    return [
        each
        for each in places
        if best is not None and (each.rank, each.product) == (best.rank, best.product)
    ]


def _place(node: LexborNode, price: str, currency: str) -> _Place:
    """Return the place of a price or a stock: its product, and its markup up to the root."""
    around = list(islice(_around(node), MAX_LEVELS))
    scopes = [each for each in around[1:] if not _SCOPES.isdisjoint(each.attributes)]
    products = (each for each in scopes if _kind(each) in PRODUCTS)
    product = next(products, None)
    rank = sum(map(_rank, around))
    if scopes:
        own = scopes[0].css_first(_CURRENCY)
        currency = currency if own is None else _value(own)
        rank -= 4 * _is_other(scopes[0])
    if product is None:
        return _Place(rank, 0, price, currency)
    has_heading = product.css_first("h1") is not None
    return _Place(rank + 1 + has_heading, product.mem_id, price, currency)


def _around(node: LexborNode) -> Iterator[LexborNode]:
    at: LexborNode | None = node
    while at is not None:
        yield at
        at = at.parent


def _kind(scope: LexborNode) -> str:
    kind = scope.attributes.get("itemtype") or scope.attributes.get("typeof") or ""
    return kind.strip().rpartition("/")[2].rpartition(":")[2]


def _rank(node: LexborNode) -> int:
    """Return the weight of an element for or against the price inside."""
    values = node.attributes
    properties = set((values.get("itemprop") or values.get("property") or "").split())
    if node.tag in _STRUCK or not properties.isdisjoint(OTHERS):
        return -4
    return {"main": 1, "aside": -1, "nav": -1, "footer": -1}.get(node.tag or "", 0)


def _is_other(scope: LexborNode) -> bool:
    """Return whether the price of an offer is an earlier, a member's or a unit price."""
    kind = scope.css_first("[itemprop~='priceType']")
    value = "" if kind is None else kind.attributes.get("href") or _value(kind)
    others = "[itemprop~='referenceQuantity'], [itemprop~='validForMemberTier']"
    return is_past(value) or scope.css_first(others) is not None


def _value(node: LexborNode) -> str:
    values = node.attributes
    stated = values.get("content") or (values.get("value") if node.tag in _VALUED else "")
    return (stated or node.text()).strip()
