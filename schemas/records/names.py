"""Names of subscriptions, by which one receiver has several of one document."""

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
    """Return a name in NFC, with single blanks: so it is stored and compared.

    >>> canonical_name("  Price   below 100 ")
    'Price below 100'
    """
    return normalize("NFC", " ".join(text.split()))


def name_fault(name: str) -> str | None:
    """Return what is allowed instead of a name, None for one that is."""
    is_allowed = len(name) <= MAX_SUBSCRIPTION_NAME and name.isprintable()
    return None if is_allowed else f"{NAME_ALLOWED} are allowed"
