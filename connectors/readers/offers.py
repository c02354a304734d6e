"""The offers of schema.org: which of them is the price of a product, and of which variant."""

import re
from collections import deque
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, NamedTuple
from urllib.parse import SplitResult, parse_qsl, urljoin, urlsplit

PRODUCTS = ("Product", "ProductGroup", "IndividualProduct", "ProductModel", "Vehicle", "Book")
"""Types of products."""
OTHERS = (
    "isRelatedTo", "isSimilarTo", "isAccessoryOrSparePartFor", "isConsumableFor", "addOn",
    "itemListElement", "hasOfferCatalog", "mentions", "review",
)  # fmt: skip
"""Properties which lead from a product, or a page, to other products."""
_PAST = ("ListPrice", "StrikethroughPrice", "SRP", "MSRP", "RegularPrice", "MinimumAdvertisedPrice")
_CHARGES = ("DeliveryChargeSpecification", "PaymentChargeSpecification")
_PIECES = ("C62", "H87", "EA", "PCE", "NMP", "PK")
"""Units of UN/CEFACT which measure nothing."""
_IDENTITIES = ("@id", "url", "sku", "productID", "mpn", "gtin", "gtin8", "gtin12", "gtin13")

_WORD_END = re.compile("[/._-]")


class Offer(NamedTuple):
    """A stated price, whether anyone pays this price, and the ids of its variant.

    ``availability`` is a term of schema.org; the term or the price may be empty.
    """

    price: str
    currency: str
    is_current: bool
    ids: frozenset[str]
    availability: str = ""


def shares_word(name: str, heading: str) -> bool:
    """Return whether the name of a product has a word of a page's heading, or there is none.

    >>> shares_word("Aurora (brass)", "aurora desk lamp"), shares_word("Boreal", "aurora desk lamp")
    (True, False)
    """
    named, shown = (set(re.findall(r"\w+", each.casefold())) for each in (name, heading))
    return not (named and shown) or not named.isdisjoint(shown)


def kinds_of(value: Mapping[str, Any]) -> set[str]:
    """Return the types of a node, without their prefixes."""
    kinds = value.get("@type")
    several = kinds if isinstance(kinds, list) else [kinds]
    return {each.rpartition("/")[2].rpartition(":")[2] for each in several if isinstance(each, str)}


def offers_in(
    product: Mapping[str, Any], nodes: Mapping[str, Mapping[str, Any]], steps: Iterator[int]
) -> Iterator[Offer]:
    """Yield the offers of a product, the outermost first, as far as ``steps`` last.

    ``nodes`` are those of the page by their ids.
    """
    waiting: deque[tuple[Any, frozenset[str], str]] = deque([(product, frozenset(), "")])
    seen: set[int] = set()
    for _ in steps:
        if not waiting:
            return
        value, ids, currency = waiting.popleft()
        if isinstance(value, dict):
            value = nodes.get(str(value.get("@id")), value) if len(value) <= 2 else value
            if id(value) in seen:
                continue
            seen.add(id(value))
            own = ids if value is product else ids | identities(value)
            currency = _text(value.get("priceCurrency")) or currency
            yield from _offer(value, own, currency)
            inside = [each for name, each in value.items() if name not in OTHERS]
            waiting.extend(
                (each, own, currency) for each in inside if isinstance(each, dict | list)
            )
        elif isinstance(value, list):
            waiting.extend((each, ids, currency) for each in value if isinstance(each, dict | list))


def identities(value: Mapping[str, Any]) -> frozenset[str]:
    """Return the ids of a node: its addresses and its numbers."""
    named = (value.get(name) for name in _IDENTITIES)
    return frozenset(each for each in named if isinstance(each, str) and each)


def _offer(value: Mapping[str, Any], ids: frozenset[str], currency: str) -> Iterator[Offer]:
    price = next((value[name] for name in ("price", "lowPrice") if name in value), None)
    availability = value.get("availability")
    price, stock = map(_text, (price, availability))
    if price.strip() or stock:
        yield Offer(price, currency, _is_current(value), ids, stock)


def _text(value: Any) -> str:
    named = value.get("@id", "") if isinstance(value, dict) else value
    return named if isinstance(named, str) else ""


def _is_current(value: Mapping[str, Any]) -> bool:
    """Return whether a price is no earlier, member's, bulk or unit price, and no charge."""
    kind = value.get("priceType")
    kind = kind.get("@id") if isinstance(kind, dict) else kind
    if is_past(str(kind)) or not kinds_of(value).isdisjoint(_CHARGES):
        return False
    measure, least = _first(value.get("referenceQuantity")), _first(value.get("eligibleQuantity"))
    is_measured = bool(measure) and measure.get("unitCode") not in _PIECES
    is_bulk = str(least.get("minValue", "1")) not in ("", "0", "1", "1.0")
    return not (value.get("validForMemberTier") or is_measured or is_bulk)


def is_past(price_type: str) -> bool:
    """Return whether a type of price is an earlier or a suggested price.

    >>> is_past("https://schema.org/ListPrice"), is_past("SalePrice")
    (True, False)
    """
    return price_type.rpartition("/")[2].rpartition(":")[2] in _PAST


def _first(value: Any) -> dict[str, Any]:
    found = value[0] if isinstance(value, list) and value else value
    return found if isinstance(found, dict) else {}


def offers_at(offers: Sequence[Offer], url: str) -> list[Offer]:
    """Return the offers of the variant in a URL, all if there is none."""
    fits = [likeness(each.ids, url) for each in offers]
    best = max(fits, default=0)
    return [each for each, fit in zip(offers, fits, strict=True) if fit == best]


def likeness(ids: Collection[str], url: str) -> int:
    """Return how well these ids fit a URL; 0: not at all.

    >>> page = "https://shop.example/mixer?variant=2&utm_source=x"
    >>> likeness(["/mixer?variant=2"], page), likeness(["/mixer?variant=1"], page)
    (2, 0)
    """
    page = _split(url)
    return max((_likeness(each, url, page) for each in ids), default=0)


def _likeness(identity: str, url: str, page: SplitResult) -> int:
    named = {value for _, value in parse_qsl(page.query)}
    if "/" not in identity and not identity.startswith(("?", "#")):
        words = page.path.split("/") + (_WORD_END.split(page.path) if len(identity) > 3 else [])
        return 2 if identity in named or identity in words else 0
    other = _split(urljoin(url, identity)) if url else _split(identity)
    asked = set(parse_qsl(other.query))
    if other.path.rstrip("/") != page.path.rstrip("/") or not asked <= set(parse_qsl(page.query)):
        return 0
    return 1 + len(asked)


def _split(url: str) -> SplitResult:
    try:
        return urlsplit(url)
    except ValueError:
        return urlsplit("")
