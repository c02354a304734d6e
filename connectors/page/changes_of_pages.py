"""Where a change stands of which a subscription for several pages was notified."""

from connectors.page.watching import WatchPorts
from schemas.pages import is_pages
from schemas.subscriptions import Subscription
from schemas.urls import canonical

MAX_WATCHES = 20
"""Watches of a page among which that with the change is sought, the newest first."""


async def address_of_change(
    ports: WatchPorts, subscription: Subscription, change: str
) -> str | None:
    """Return the address of a change in the watch of its page; None if it is not kept.

    None, too, for a subscription of one page, which is that watch.
    """
    if not is_pages(subscription.url):
        return None
    manager = subscription.manager
    name = ports.notification_id(change, subscription.id)
    notified = await ports.facts.notification(manager, name)
    url = notified and canonical(notified.url)
    if not url:
        return None
    for each in await ports.subscriptions.of_document(manager, url, MAX_WATCHES):
        if await ports.facts.change(manager, url, change, each.subscription.id):
            return f"/watch/{each.subscription.id}/change/{change}"
    return None
