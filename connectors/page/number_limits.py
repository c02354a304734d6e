"""What the limits of a form mean for the number that a page has now."""

from collections.abc import Mapping
from contextlib import suppress
from decimal import Decimal, InvalidOperation
from typing import Any

from connectors.page.add_form import AddForm


def beyond_limits(number: Mapping[str, Any] | None, form: AddForm) -> list[str]:
    """Return which limits a number is beyond already, for people.

    >>> beyond_limits({"value": "19.90"}, AddForm(number=True, below="20"))
    ['19.90 is below 20 already: you are notified when it has gone back and is below 20 again.']
    """
    if number is None:
        return []
    value, found = number["value"], []
    for name, limit in (("below", form.below), ("above", form.above)):
        if _is_beyond(Decimal(value), name, limit):
            again = f"you are notified when it has gone back and is {name} {limit} again."
            found.append(f"{value} is {name} {limit} already: {again}")
    return found


def _is_beyond(value: Decimal, name: str, limit: str) -> bool:
    # What is no number is said at its field.
    with suppress(InvalidOperation):
        return value < Decimal(limit) if name == "below" else value > Decimal(limit)
    return False
