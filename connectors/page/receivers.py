"""Receivers that can be chosen: those of a manager's newest subscriptions."""

from collections.abc import Iterable

from connectors.stores.pages import ListedSubscription, SubscriptionSearch
from connectors.stores.ports import SubscriptionReader

HERE = "page"
"""The session of those who read their notifications on this page."""
MAX_RECEIVERS = 200
"""Of the newest so many subscriptions, the receivers can be chosen."""


async def newest_subscriptions(
    subscriptions: SubscriptionReader, manager: str
) -> tuple[ListedSubscription, ...]:
    """Return a manager's newest subscriptions, ended ones too."""
    search = SubscriptionSearch(ended=True)
    return (await subscriptions.search(manager, search, None, MAX_RECEIVERS)).items


async def receivers_of(subscriptions: SubscriptionReader, manager: str) -> list[str]:
    """Return the receivers of a manager's newest subscriptions, each once."""
    newest = await newest_subscriptions(subscriptions, manager)
    every = (listed.subscription.receiver for listed in newest)
    return list(dict.fromkeys(each.name for each in every))


def webhooks_of(listed: Iterable[ListedSubscription]) -> list[str]:
    """Return the webhooks that subscriptions notify, each once."""
    urls = (each.subscription.receiver.client_url for each in listed)
    return list(dict.fromkeys(url for url in urls if url is not None))


def named_receiver(receiver: str) -> str:
    """Return a receiver in words: who reads notifications on the page has no address.

    >>> named_receiver("page"), named_receiver("channel:team")
    ('this page', 'channel:team')
    """
    return "this page" if receiver == HERE else receiver
