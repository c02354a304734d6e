"""Of what a subscription is notified, for people."""

from schemas.records.subscriptions import Subscription


def wanted(subscription: Subscription) -> tuple[str, ...]:
    """Return the keywords of a subscription, or its number with the conditions."""
    options = subscription.options
    if options.view.number is None:
        return subscription.keywords
    return (f"a number {options.when}" if options.when.are_set else "a number",)
