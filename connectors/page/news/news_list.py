"""Notifications of all receivers in a list."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from aiohttp import web

from connectors.access.callers import caller
from connectors.display.entries import ShownEntry, shown_entries
from connectors.display.explanations import notes_of
from connectors.languages.texts import gettext, msgid
from connectors.page.filters import (
    HERE,
    MAX_CHIPS,
    asked_tag,
    asked_text,
    filtered,
    newest_subscriptions,
    tag_chips,
)
from connectors.page.rendering import LATER_PAGE, Views, listed
from connectors.page.session.guard import LIVE_NEWS
from connectors.page.watch.asked_watch import has_change
from connectors.page.watch.mutes import Mute, offered_mutes
from connectors.serving.sending import SENDER
from connectors.stores.packing import canonical_client, search_columns
from connectors.stores.pages import NewsSearch
from connectors.stores.ports import FactReader, SubscriptionReader
from schemas.codec.times import rfc3339
from schemas.records.notifications import Notification

PER_PAGE = 30
_STATUSES = {
    "timeout": msgid("Could not be read any more, and is no longer watched"),
    "failing": msgid("Cannot be read"),
    "recovered": msgid("Can be read again"),
    "lost": msgid(
        "Lost: the part that is watched is not found any more, or the page asks for a login"
    ),
    "found": msgid("Found again"),
    "pageAdded": msgid("A page that is covered now"),
    "pageRemoved": msgid("A page that is covered no longer"),
}


@dataclass(frozen=True, slots=True)
class ShownNews:
    """A notification for people.

    ``change`` is empty if its watch does not list the change. ``more`` counts the entries not
    shown.
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
    language: str


class NewsHandlers:
    """The handler of news."""

    def __init__(self, subscriptions: SubscriptionReader, facts: FactReader, views: Views) -> None:
        """Read as REST does."""
        self._subscriptions = subscriptions
        self._facts = facts
        self._views = views

    async def news(self, request: web.Request) -> web.Response:
        """Answer with the filtered notifications of the manager, newest first."""
        manager, asked = caller(request).manager, news_search(request.query)
        after = request.query.get("after") or None
        page = await listed(self._facts.news(manager, asked, after, PER_PAGE), LATER_PAGE)
        items = await request.app[SENDER].render(lambda: list(map(shown_news, page.items)))
        tags = await self._subscriptions.tags(manager, MAX_CHIPS)
        newest = await newest_subscriptions(self._subscriptions, manager)
        receivers = list(dict.fromkeys(each.subscription.receiver.name for each in newest))
        if asked.client and asked.client not in receivers:
            receivers.insert(0, asked.client)
        query = news_query(asked)

        def tagged(tag: str) -> str:
            return filtered(request.path, news_query(replace(asked, tag=tag)))

        return await self._views.page(
            request,
            "news",
            title=gettext("News"),
            receivers=receivers,
            asked=asked,
            chips=tag_chips(tagged, tags, asked.tag),
            here=HERE,
            feed=filtered("/feeds", query),
            items=items,
            is_first=after is None,
            live=filtered(LIVE_NEWS, query),
            first_page=filtered(request.path, query),
            next_page=filtered(request.path, {**query, "after": page.next}) if page.next else None,
        )


def news_search(query: Mapping[str, str]) -> NewsSearch:
    """Return the filter in an address.

    >>> news_search({"tag": " Gods ", "q": "zeus"})
    NewsSearch(client='', tag='gods', text='zeus')
    """
    return NewsSearch(
        client=query.get("client", ""),
        tag=asked_tag(query),
        text=asked_text(query),
    )


def news_query(asked: NewsSearch) -> dict[str, str]:
    """Return a filter as the query of an address."""
    given = {"client": asked.client, "q": asked.text, "tag": asked.tag}
    return {name: value for name, value in given.items() if value}


def is_asked_for(fact: Notification, asked: NewsSearch) -> bool:
    """Whether the store would find a notification by this filter."""
    return (
        (not asked.client or canonical_client(asked.client) == canonical_client(fact.receiver.name))
        and (not asked.tag or asked.tag in fact.tags)
        and asked.text.lower() in search_columns(fact)["words"]
    )


def _status(fact: Notification) -> str:
    if fact.test:
        return gettext("A test: nothing has changed")
    return gettext(_STATUSES[fact.status]) if fact.status in _STATUSES else ""


def shown_news(fact: Notification) -> ShownNews:
    """Return a notification for people."""
    entries, more = shown_entries(fact.diffs)
    return ShownNews(
        id=fact.id,
        subscription=fact.subscription,
        # Of a page that a crawl covers, the watch has no list of changes.
        change=fact.change if has_change(fact) else "",
        document=fact.document,
        url=fact.document or fact.url,
        title=fact.called,
        at=rfc3339(fact.at),
        status=_status(fact),
        notes=notes_of(fact),
        receiver=fact.receiver.name,
        tags=fact.tags,
        mutes=offered_mutes(fact),
        entries=entries,
        more=more,
        language=fact.language,
    )
