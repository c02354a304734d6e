"""What the pages of a watch share: where they read, which watch it is, and how it is laid out."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Literal
from urllib.parse import urlencode

from aiohttp import web

from connectors.access.callers import caller
from connectors.page.rendering import PageRefused
from connectors.page.watch.timeline import ChangeRows
from connectors.stores.pages import ListedSubscription
from connectors.stores.ports import FactReader, SubscriptionReader, TextReader
from schemas.codec.times import epoch_ms
from schemas.records.changes import Region

Layout = Literal["inline", "side"]
"""Both sides of a change as one text, or next to each other."""
NotificationId = Callable[[str, str], str]
"""Returns the id of the notification of a change (its id) for a subscription (its id)."""
CompareTexts = Callable[[str, str], Awaitable[Sequence[Region]]]
"""Compares two texts in a process that may be killed; raises what that raises."""


@dataclass(frozen=True, slots=True)
class WatchPorts:
    """What the pages of a watch show, by the functions with which REST reads."""

    subscriptions: SubscriptionReader
    facts: FactReader
    texts: TextReader
    notification_id: NotificationId
    rows: ChangeRows
    compare: CompareTexts


async def one_watch(ports: WatchPorts, request: web.Request) -> ListedSubscription:
    """Load the watch that an address names. Raises PageRefused."""
    name = request.match_info["id"]
    one = await ports.subscriptions.get(caller(request).manager, name)
    if one is None:
        raise PageRefused(
            404, "There is no such watch. A new one may take a few seconds to appear."
        )
    return one


def time_in(request: web.Request, name: str) -> int | None:
    """Return the time (epoch ms) of a part of the query, None if it has none.

    Raises PageRefused if it is no time.
    """
    text = request.query.get(name, "")
    if not text:
        return None
    try:
        return epoch_ms(text)
    except ValueError:
        reason = f"{name}: expected a time with a zone (RFC 3339), not {text!r}."
        raise PageRefused(400, reason) from None


def layout_of(request: web.Request) -> Layout:
    """Return the layout that an address asks for; inline unless it does."""
    return "side" if request.query.get("show") == "side" else "inline"


def layouts(request: web.Request) -> list[tuple[str, str, bool]]:
    """Return name, address and whether it is shown of each layout, for the same page otherwise."""
    shown, kept = layout_of(request), {k: v for k, v in request.query.items() if k != "show"}
    side = urlencode({**kept, "show": "side"})
    inline = f"{request.path}?{urlencode(kept)}" if kept else request.path
    return [
        ("Inline", inline, shown == "inline"),
        ("Side by side", f"{request.path}?{side}", shown == "side"),
    ]
