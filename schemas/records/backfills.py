"""The requests of the register to history: notifications of kept changes."""

from dataclasses import dataclass

from schemas.records.field_types import Count, Id, Time
from schemas.records.subscriptions import Subscription


@dataclass(frozen=True, slots=True)
class BackfillGranted:
    """Notify a subscription of kept changes, from ``since`` on and before ``until``.

    At most ``limit`` of the newest. ``request_id`` is the request's.
    """

    request_id: Id
    subscription: Subscription
    since: Time
    until: Time
    limit: Count


@dataclass(frozen=True, slots=True)
class BackfillEnded:
    """Notify a subscription, by its id, no more of kept changes: the subscription has ended."""

    subscription: Id
