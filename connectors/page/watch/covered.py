"""The page that an address of a watch is about: that of the watch, or one that its crawl covers."""

from typing import NamedTuple
from urllib.parse import urlencode

from aiohttp import web

from connectors.page.watch.asked_watch import NotificationId
from schemas.records.notifications import Notification
from schemas.records.subscriptions import Subscription
from schemas.records.urls import canonical

PAGE = "page"
"""In the query of an address: a page that is covered."""


class AskedPage(NamedTuple):
    """A page, and the id of the subscription by which a watch is notified of its changes."""

    url: str
    subscription: str
    is_covered: bool


_PAGE_NEWS = {"pageAdded", "pageRemoved"}


def has_change(fact: Notification) -> bool:
    """Whether a notification is of a change: neither a test, nor that a page came or went."""
    return not fact.test and fact.status not in _PAGE_NEWS


def asked_page(
    request: web.Request, watch: Subscription, notification_id: NotificationId
) -> AskedPage:
    """Return the page that an address of a watch is about."""
    url = canonical(request.query.get(PAGE, "")) or watch.url
    return page_of(watch, url, notification_id)


def page_of(watch: Subscription, url: str, notification_id: NotificationId) -> AskedPage:
    """Return a page of a watch, by its canonical URL."""
    if url == watch.url:
        return AskedPage(url, watch.id, is_covered=False)
    # A page that is covered has a subscription, of which the id follows from both, as that of a
    # notification does.
    return AskedPage(url, notification_id(watch.id, url), is_covered=True)


def change_address(watch: str, change: str, page: str = "", **query: str) -> str:
    """Return the address of a change, of a ``page`` that is covered or of the watch.

    >>> change_address("35ae", "c1", "https://example.org/a")
    '/watch/35ae/change/c1?page=https%3A%2F%2Fexample.org%2Fa'
    """
    asked = query | ({PAGE: page} if page else {})
    return f"/watch/{watch}/change/{change}" + (f"?{urlencode(asked)}" if asked else "")
