"""Refusals of requests before anybody is asked."""

from collections.abc import Callable, Sequence

from schemas.records.faults import Fault, Refusal
from schemas.records.requests import ClientRequest, Subscribe
from schemas.records.subscriptions import Subscription

RefusalOf = Callable[[ClientRequest, Sequence[Fault]], Refusal | None]
"""Returns why a request is refused, with all that is wrong with it; None if it is valid.

The faults that are known already are among those of the refusal."""

SubscriptionOf = Callable[[Subscribe, Sequence[Fault]], Subscription | Refusal]
"""Returns the subscription that a request would begin, or why the request is refused."""
