"""Names of subscriptions, by which a receiver has several to a document."""

from typing import Annotated
from unicodedata import normalize

from schemas.records.fields import About

MAX_SUBSCRIPTION_NAME = 200
"""Characters."""
NAME_ALLOWED = f"at most {MAX_SUBSCRIPTION_NAME} printable characters"

SubscriptionName = Annotated[
    str,
    About(
        "Call the subscription so; a receiver may have several of a document by their names.",
        most=MAX_SUBSCRIPTION_NAME,
        printable=True,
        allowed=NAME_ALLOWED,
    ),
]
"""In canonical form, empty for none."""


def canonical_name(text: str) -> str:
    """Return a name in NFC, with single blanks, for storage and comparison.

    >>> canonical_name("  Price   below 100 ")
    'Price below 100'
    """
    return normalize("NFC", " ".join(text.split()))


def name_fault(name: str) -> str | None:
    """Return the rule broken by a name, None for a valid name."""
    is_allowed = len(name) <= MAX_SUBSCRIPTION_NAME and name.isprintable()
    return None if is_allowed else f"{NAME_ALLOWED} are allowed"
