"""What is wrong with the number that a client wants watched, and with its conditions."""

from collections.abc import Iterator, Sequence
from decimal import Decimal

from schemas.records.fields import record_fields
from schemas.records.numbers import PRODUCT, Conditions
from schemas.records.requests import Subscribe
from schemas.records.views import ViewOptions

ANY = ("*",)
"""The keywords of a subscription of a number: it is all that there is in its view."""


def asked_keywords(request: Subscribe) -> Sequence[str]:
    """Return the keywords of a request; that of a number needs none.

    >>> from schemas.records.subscriptions import Options, Receiver
    >>> from schemas.records.numbers import NumberOptions
    >>> options = Options(view=ViewOptions(number=NumberOptions()))
    >>> request = Subscribe("https://example.org/", Receiver(), keywords=(), options=options)
    >>> asked_keywords(request)
    ('*',)
    """
    is_number = request.options.view.number is not None
    return request.keywords or (ANY if is_number else ())


def number_faults(view: ViewOptions) -> Iterator[str]:
    """Yield what does not fit together in a view with a number."""
    number = view.number
    if number is None:
        return
    if number.source == PRODUCT and (view.select or view.main):
        yield (
            "view.number.from: product reads what the page states for programs, so view.select "
            "and view.main are not allowed with it"
        )


def condition_faults(request: Subscribe) -> Iterator[str]:
    """Yield the faults of a number's conditions, and of what does not go with a number."""
    options, when = request.options, request.options.when
    if options.view.number is None:
        if when != Conditions():
            yield "when: only with view.number"
        return
    if when != Conditions() and (options.patience or options.patience_visits):
        # What was notified before follows from the series, in which all numbers stood.
        yield "patience: not with when, by which one number is notified and another is not"
    if request.keywords and set(request.keywords) != set(ANY):
        yield "keywords: a view with view.number has the number alone; leave them out"
    for name, is_set in (
        ("ignoreNoise", options.ignore_noise),
        ("ignoreReturns", options.ignore_returns),
    ):
        if is_set:
            yield f"{name}: not with view.number, which has the number alone; use when"
    yield from _limit_faults(when)


def _limit_faults(when: Conditions) -> Iterator[str]:
    is_valid = True
    for field in record_fields(Conditions):
        if not field.allows(value := getattr(when, field.name)):
            is_valid = False
            yield f"when.{field.json_name}: {field.allowed} is allowed, not {str(value)[:50]!r}"
    if is_valid and when.below and when.above and Decimal(when.below) > Decimal(when.above):
        yield f"when.below: {when.below} is more than when.above, {when.above}"
