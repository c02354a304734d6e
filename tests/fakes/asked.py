"""The subscriptions of requests that are valid."""

from schemas.records.requests import Subscribe
from schemas.records.subscriptions import Subscription
from streams.agents.history.asked_subscription import subscription_of
from streams.agents.match.register.requests import Rules


def asked_subscription(asked: Subscribe) -> Subscription:
    """Return the subscription that a request would begin."""
    found = subscription_of(Rules(min_interval=1), asked)
    assert isinstance(found, Subscription), found
    return found
