"""Notifications as the news show them, and which of them are asked for."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from connectors.display.entries import ShownEntry, shown_entries
from connectors.display.standing import notes_of
from connectors.page.filters import asked_tag, asked_text
from connectors.page.watch.covered import has_change
from connectors.page.watch.mutes import Mute, offered_mutes
from connectors.stores.packing import canonical_client, news_columns
from connectors.stores.pages import NewsSearch
from schemas.codec.times import rfc3339
from schemas.records.notifications import Notification

MAX_ENTRIES = 8
"""Entries of a notification that are shown."""
_STATUSES = {
    "timeout": "Could not be read any more, and is no longer watched",
    "failing": "Cannot be read",
    "recovered": "Can be read again",
    "lost": "Lost: the part that is watched is not found any more, or the page asks for a login",
    "found": "Found again",
    "pageAdded": "A page that is covered now",
    "pageRemoved": "A page that is covered no longer",
}


def news_search(query: Mapping[str, str]) -> NewsSearch:
    """Return what an address asks for.

    >>> news_search({"tag": " Gods ", "q": "zeus"})
    NewsSearch(client='', tag='gods', text='zeus')
    """
    return NewsSearch(
        client=query.get("client", ""),
        tag=asked_tag(query),
        text=asked_text(query),
    )


def is_asked_for(fact: Notification, asked: NewsSearch) -> bool:
    """Whether a notification is among those that the store would find."""
    return (
        (not asked.client or canonical_client(asked.client) == canonical_client(fact.receiver.name))
        and (not asked.tag or asked.tag in fact.tags)
        and asked.text.lower() in news_columns(fact)["words"]
    )


@dataclass(frozen=True, slots=True)
class ShownNews:
    """A notification for people.

    ``change`` is empty if its watch does not list the change. ``more`` counts the entries that
    are not shown.
    """

    id: str
    subscription: str
    change: str
    document: str
    url: str
    title: str
    at: str
    status: str
    notes: Sequence[str]
    receiver: str
    tags: Sequence[str]
    mutes: Sequence[Mute]
    entries: Sequence[ShownEntry]
    more: int


def shown_news(fact: Notification) -> ShownNews:
    """Return a notification for people."""
    entries, more = shown_entries(fact.diffs, MAX_ENTRIES)
    return ShownNews(
        id=fact.id,
        subscription=fact.subscription,
        # Of a page that a crawl covers, the watch has no list of changes.
        change=fact.change if has_change(fact) else "",
        document=fact.document,
        url=fact.document or fact.url,
        title=fact.title,
        at=rfc3339(fact.at),
        status="A test: nothing has changed" if fact.test else _STATUSES.get(fact.status, ""),
        notes=notes_of(fact),
        receiver=fact.receiver.name,
        tags=fact.tags,
        mutes=offered_mutes(fact),
        entries=entries,
        more=more,
    )
