"""The prices of a page in microdata."""

from collections.abc import Iterator
from itertools import islice
from typing import NamedTuple

from selectolax.lexbor import LexborNode

from connectors.readers.offers import OTHERS, PRODUCTS, is_past

MAX_PRICES = 100
"""Prices of a page that are looked at."""
MAX_LEVELS = 256
"""Elements around a price that are looked at."""
_PRICES = "[itemprop~='price'], [itemprop~='lowPrice']"
_STRUCK = ("del", "s", "strike")


class _Place(NamedTuple):
    """A price on a page; ``rank`` is higher the more it is that of the page's product."""

    rank: int
    product: int
    price: str
    currency: str


def microdata_prices(root: LexborNode) -> list[tuple[str, str]]:
    """Return the prices of the page's product, each with its currency."""
    places = list(_places(root))
    best = max(places, key=lambda each: each.rank, default=None)
    return [
        (each.price, each.currency)
        for each in places
        if best is not None and (each.rank, each.product) == (best.rank, best.product)
    ]


def _places(root: LexborNode) -> Iterator[_Place]:
    default = root.css_first("[itemprop~='priceCurrency']")
    currency = "" if default is None else _value(default)
    for node in root.css(_PRICES)[:MAX_PRICES]:  # each may be in another
        if price := _value(node):
            yield _place(node, price, currency)


def _place(node: LexborNode, price: str, currency: str) -> _Place:
    """Return where a price is: in which product, and how it is marked up to the root."""
    around = list(islice(_around(node), MAX_LEVELS))
    scopes = [each for each in around[1:] if "itemscope" in each.attributes]
    products = (each for each in scopes if _kind(each) in PRODUCTS)
    product = next(products, None)
    rank = sum(map(_rank, around))
    if scopes:
        own = scopes[0].css_first("[itemprop~='priceCurrency']")
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
    return (scope.attributes.get("itemtype") or "").strip().rpartition("/")[2]


def _rank(node: LexborNode) -> int:
    """Return how much an element around a price speaks for it, or against it."""
    properties = set((node.attributes.get("itemprop") or "").split())
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
    return (node.attributes.get("content") or node.text()).strip()
