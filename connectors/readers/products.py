"""The prices that a page states for programs: schema.org as JSON-LD or microdata, Open Graph."""

import json
from collections import deque
from collections.abc import Iterator, Sequence
from decimal import Decimal
from itertools import islice
from typing import Any

from selectolax.lexbor import LexborNode

from schemas.records.numbers import MAX_DIGITS

MAX_SCRIPTS, MAX_SCRIPT = 50, 1_000_000
"""Scripts of a page that are looked at, and characters of each."""
MAX_VALUES = 20_000
"""Objects and lists of a page that are looked at: for its products, and for their prices."""
MAX_PRICES = 100
_JSON_LD = "script[type='application/ld+json' i]"
_MICRODATA = "[itemprop~='price'], [itemprop~='lowPrice']"
_OPEN_GRAPH = ("product:sale_price", "product:price", "og:price")
_PRODUCTS = ("Product", "ProductGroup", "IndividualProduct", "ProductModel", "Vehicle", "Book")


def prices_of(root: LexborNode) -> Sequence[str]:
    """Return the prices of the first product of a page that has any, each with its currency.

    JSON-LD is looked at first, then microdata, then Open Graph: the first that has a price counts.
    """
    for find in (_from_json_ld, _from_microdata, _from_open_graph):
        if found := list(islice(find(root), MAX_PRICES)):
            return list(dict.fromkeys(found))
    return ()


def _from_json_ld(root: LexborNode) -> Iterator[str]:
    found = [_parsed(node.text()) for node in root.css(_JSON_LD)[:MAX_SCRIPTS]]
    products = (each for each in _objects(found, iter(range(MAX_VALUES))) if _is_product(each))
    steps = iter(range(MAX_VALUES))  # of all products: each may be in another
    for product in products:
        prices = [price for offer in _objects([product], steps) for price in _price(offer)]
        if prices:
            yield from prices
            return


def _parsed(text: str) -> Any:
    if len(text) > MAX_SCRIPT:
        return None
    try:
        return json.loads(text, parse_float=_plain, parse_int=str, strict=False)
    except (ValueError, RecursionError):
        return None


def _plain(number: str) -> str:
    """Return a number of JSON without an exponent, unless it is beyond what can be read.

    >>> _plain("1.25E7"), _plain("12.50"), _plain("1e999999")
    ('12500000', '12.50', '')
    """
    if "e" not in number.lower():
        return number
    try:
        value = Decimal(number)
    except ArithmeticError:
        return ""
    return format(value, "f") if abs(value.adjusted()) <= MAX_DIGITS else ""


def _objects(values: Sequence[Any], steps: Iterator[int]) -> Iterator[dict[str, Any]]:
    """Yield the objects in some values of JSON, the outermost first, as far as ``steps`` last."""
    waiting = deque(values)
    for _ in steps:
        if not waiting:
            return
        value = waiting.popleft()
        if isinstance(value, dict):
            yield value
            waiting.extend(each for each in value.values() if isinstance(each, dict | list))
        elif isinstance(value, list):
            waiting.extend(each for each in value if isinstance(each, dict | list))


def _is_product(value: dict[str, Any]) -> bool:
    kinds = value.get("@type")
    return any(
        isinstance(kind, str) and kind.rpartition("/")[2] in _PRODUCTS
        for kind in (kinds if isinstance(kinds, list) else [kinds])
    )


def _price(offer: dict[str, Any]) -> Iterator[str]:
    price = next((offer[name] for name in ("price", "lowPrice") if name in offer), None)
    currency = offer.get("priceCurrency", "")
    if isinstance(price, str) and price.strip():
        yield _line(price, currency if isinstance(currency, str) else "")


def _from_microdata(root: LexborNode) -> Iterator[str]:
    currency = root.css_first("[itemprop~='priceCurrency']")
    for node in root.css(_MICRODATA)[:MAX_PRICES]:  # each may be in another
        if price := _value(node):
            yield _line(price, "" if currency is None else _value(currency))


def _value(node: LexborNode) -> str:
    return (node.attributes.get("content") or node.text()).strip()


def _from_open_graph(root: LexborNode) -> Iterator[str]:
    for name in _OPEN_GRAPH:
        price, currency = (_meta(root, f"{name}:{part}") for part in ("amount", "currency"))
        if price:
            yield _line(price, currency)
            return


def _meta(root: LexborNode, name: str) -> str:
    found = root.css_first(f"meta[property='{name}']")
    return ((found.attributes.get("content") if found is not None else "") or "").strip()


def _line(price: str, currency: str) -> str:
    """Return a price with its currency, unless it has one."""
    price = " ".join(price.split())[:100]
    code = currency.strip().upper()[:3]
    return f"{price} {code}" if code and price[-1:].isdigit() and price[:1].isdigit() else price
