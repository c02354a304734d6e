"""The prices and the stock watched by changedetection.io."""

import re
from decimal import Decimal
from typing import Any

from connectors.imports.draft import Draft, shown

_CONDITIONS = {
    "price_change_min": "below",
    "price_change_max": "above",
    "price_change_threshold_percent": "changesBy",
}
_AMOUNT = re.compile(r"[0-9]{1,12}(\.[0-9]{1,12})?")


def follows_price(watch: dict[str, Any]) -> bool:
    """Return whether a watch is of the price of a product."""
    is_restock = watch.get("processor") == "restock_diff"
    return is_restock and _settings(watch).get("follow_price_changes", True) is not False


def follows_stock(watch: dict[str, Any]) -> bool:
    """Return whether a watch is of the stock of a product, and not of the price."""
    is_restock = watch.get("processor") == "restock_diff"
    return is_restock and not follows_price(watch) and _stock_changes(watch) != "off"


def take_stock(draft: Draft, watch: dict[str, Any]) -> None:
    """Take the stated stock of a page: each change, or only that it is in stock again."""
    draft.view("processor restock_diff", "stock", True)
    if _stock_changes(watch) == "in_stock_only":
        draft.take("restock_settings in_stock_processing", "keywords", ['"in stock"'])
        draft.fields |= {"ignoreCase": True, "ignoreRemoved": True}


def _stock_changes(watch: dict[str, Any]) -> Any:
    return _settings(watch).get("in_stock_processing", "in_stock_only")


def take_price(draft: Draft, watch: dict[str, Any]) -> None:
    """Take the stated price of a page, and the conditions for notifications."""
    settings = _settings(watch)
    draft.view("processor restock_diff", "number", {"from": "product"})
    when = _take_conditions(draft, settings)
    for name in ("trigger_text", "extract_lines_containing"):
        if watch[name]:
            draft.leave(name, "a number has no words")
    if "changesBy" in when:
        draft.differ("price_change_threshold_percent", "since the price that was last notified")
    if len(when) > 1 and "changesBy" in when:
        draft.differ("restock_settings", "any of the conditions suffices")
    if _stock_changes(watch) != "off":
        why = "a view reads a price or the stock; subscribe with view.stock as well"
        draft.leave("restock_settings in_stock_processing", why)


def _take_conditions(draft: Draft, settings: dict[str, Any]) -> dict[str, str]:
    when: dict[str, str] = {}
    for theirs, ours in _CONDITIONS.items():
        value = settings.get(theirs)
        text = _decimal(value)
        if text is not None:
            when[ours] = text
            draft.take(f"restock_settings {theirs}", "when", when)
        elif value:
            draft.leave(f"restock_settings {theirs}", f"{shown(value)} is no amount")
    return when


def _settings(watch: dict[str, Any]) -> dict[str, Any]:
    found = watch.get("restock_settings")
    return found if isinstance(found, dict) else {}


def _decimal(value: Any) -> str | None:
    """Return a positive amount as a decimal text, None for anything else.

    >>> _decimal(290.0), _decimal("12.50"), _decimal(0), _decimal(None)
    ('290', '12.5', None, None)
    """
    text = str(value).strip()
    if isinstance(value, bool) or not _AMOUNT.fullmatch(text) or not Decimal(text):
        return None
    return format(Decimal(text).normalize(), "f")
