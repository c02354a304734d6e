"""Where a change stands of which a subscription for several pages was notified."""

from connectors.api.history.several import load_change_of_page
from connectors.page.covered import change_address
from connectors.page.watching import WatchPorts
from schemas.records.pages import is_pages
from schemas.records.subscriptions import Subscription

NOTIFIED = "notified"
"""In the query of a change's address: a subscription that was notified, and is not of its page."""


async def address_of_change(
    ports: WatchPorts, subscription: Subscription, change: str
) -> str | None:
    """Return the address of a change in the watch of its page; None if it is not kept.

    None, too, for a subscription of one page, which is that watch.
    """
    if not is_pages(subscription.url):
        return None
    name = ports.notification_id(change, subscription.id)
    notified = await ports.facts.notification(subscription.manager, name)
    found = notified and await load_change_of_page(ports.subscriptions, ports.facts, notified)
    if not found:
        return None
    one, fact = found
    page = "" if one.url == fact.url else fact.url
    return change_address(one.id, change, page, **{NOTIFIED: subscription.id})
