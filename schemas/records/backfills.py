"""The requests of the register to history: kept changes that a subscription is notified of."""

from dataclasses import dataclass

from schemas.records.field_types import Count, Id, Time
from schemas.records.subscriptions import Subscription


@dataclass(frozen=True, slots=True)
class BackfillGranted:
    """Notify a subscription of changes that are kept, from ``since`` on and before ``until``.

    Of the newest that concern it, at most ``limit``. ``request_id`` is that of the request.
    """

    request_id: Id
    subscription: Subscription
    since: Time
    until: Time
    limit: Count


@dataclass(frozen=True, slots=True)
class BackfillEnded:
    """Notify a subscription, by its id, no more of changes that are kept: it has ended."""

    subscription: Id
