"""The watch of a page, alone or as a covered page, and its layout."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple
from urllib.parse import urlencode

from aiohttp import web

from connectors.access.callers import caller
from connectors.languages.texts import gettext
from connectors.page.rendering import PageRefused
from connectors.page.watch.timeline import ChangeRows
from connectors.stores.pages import ListedSubscription
from connectors.stores.ports import FactReader, SubscriptionReader, TextReader
from schemas.codec.times import epoch_ms
from schemas.records.changes import Region
from schemas.records.notifications import Notification
from schemas.records.subscriptions import Subscription

Layout = Literal["inline", "side"]
"""Both sides of a change as a text, or next to each other."""
NotificationId = Callable[[str, str], str]
"""Returns the id of the notification of a change (its id) for a subscription (its id)."""
CompareTexts = Callable[[str, str], Awaitable[Sequence[Region]]]
"""Compares two texts in a child process; raises the errors of the process."""

PAGE = "page"
"""In the query of an address: a covered page."""


class AskedPage(NamedTuple):
    """A page, and the id of the subscription by which a watch is notified of its changes."""

    url: str
    subscription: str
    is_covered: bool


_PAGE_NEWS = {"pageAdded", "pageRemoved"}


@dataclass(frozen=True, slots=True)
class WatchPorts:
    """The reads of the pages of a watch, by the functions with which REST reads."""

    subscriptions: SubscriptionReader
    facts: FactReader
    texts: TextReader
    notification_id: NotificationId
    rows: ChangeRows
    compare: CompareTexts


async def one_watch(ports: WatchPorts, request: web.Request) -> ListedSubscription:
    """Load the watch in an address. Raises PageRefused."""
    name = request.match_info["id"]
    one = await ports.subscriptions.get(caller(request).manager, name)
    if one is None:
        reason = gettext("There is no such watch. A new one may take a few seconds to appear.")
        raise PageRefused(404, reason)
    return one


def time_in(request: web.Request, name: str) -> int | None:
    """Return the time (epoch ms) of a part of the query, None if missing.

    Raises PageRefused if the time is invalid.
    """
    text = request.query.get(name, "")
    if not text:
        return None
    try:
        return epoch_ms(text)
    except ValueError:
        reason = gettext(
            "%(name)s: expected a time with a zone (RFC 3339), not '%(given)s'.",
            name=name,
            given=text,
        )
        raise PageRefused(400, reason) from None


def layout_of(request: web.Request) -> Layout:
    """Return the layout in an address, inline by default."""
    return "side" if request.query.get("show") == "side" else "inline"


def layouts(request: web.Request) -> list[tuple[str, str, bool]]:
    """Return name, address and whether shown of each layout, for the same page otherwise."""
    shown, kept = layout_of(request), {k: v for k, v in request.query.items() if k != "show"}
    side = urlencode({**kept, "show": "side"})
    inline = f"{request.path}?{urlencode(kept)}" if kept else request.path
    return [
        (gettext("Inline"), inline, shown == "inline"),
        (gettext("Side by side"), f"{request.path}?{side}", shown == "side"),
    ]


def has_change(fact: Notification) -> bool:
    """Whether a notification is about a change, not a test, nor the coming or going of a page."""
    return not fact.test and fact.status not in _PAGE_NEWS


def page_of(watch: Subscription, url: str, notification_id: NotificationId) -> AskedPage:
    """Return a page of a watch, by its canonical URL."""
    if url == watch.url:
        return AskedPage(url, watch.id, is_covered=False)
    # A page that is covered has a subscription, of which the id follows from both, as that of a
    # notification does.
    return AskedPage(url, notification_id(watch.id, url), is_covered=True)


def change_address(watch: str, change: str, page: str = "", **query: str) -> str:
    """Return the address of a change, of a covered ``page`` or of the watch.

    >>> change_address("35ae", "c1", "https://example.org/a")
    '/watch/35ae/change/c1?page=https%3A%2F%2Fexample.org%2Fa'
    """
    asked = query | ({PAGE: page} if page else {})
    return f"/watch/{watch}/change/{change}" + (f"?{urlencode(asked)}" if asked else "")
