"""What a number was and is, for people."""

from schemas.records.numbers import NumberNews


def number_text(number: NumberNews) -> str:
    """Return what a number was and is, and why that is notified.

    >>> number_text(NumberNews("21", "19.90", "EUR", ("below 20 EUR",)))
    '21 → 19.90 EUR: below 20 EUR'
    """
    change = f"{number.before} → {number.after} {number.unit}".rstrip()
    return ": ".join(filter(None, (change, "; ".join(number.why))))
