"""Receivers that can be chosen: those of a manager's newest subscriptions."""

from connectors.stores.pages import SubscriptionSearch
from connectors.stores.ports import SubscriptionReader

MAX_RECEIVERS = 200
"""Of the newest so many subscriptions, the receivers can be chosen."""


async def receivers_of(subscriptions: SubscriptionReader, manager: str) -> list[str]:
    """Return the receivers of a manager's newest subscriptions, each once."""
    search = SubscriptionSearch(ended=True)
    found = await subscriptions.search(manager, search, None, MAX_RECEIVERS)
    every = (listed.subscription.receiver for listed in found.items)
    return list(dict.fromkeys(each.client_url or each.session or "" for each in every))
