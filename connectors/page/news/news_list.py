"""Notifications of all receivers as one stream."""

from aiohttp import web

from connectors.access.callers import caller
from connectors.page.filters import MAX_CHIPS, filtered, tag_chips
from connectors.page.news.news_items import news_search, shown_news
from connectors.page.receivers import HERE, receivers_of
from connectors.page.rendering import LATER_PAGE, Views, listed
from connectors.page.session.guard import LIVE_NEWS
from connectors.serving.sending import SENDER
from connectors.stores.ports import FactReader, SubscriptionReader

PER_PAGE = 30


class NewsHandlers:
    """The handler of news."""

    def __init__(self, subscriptions: SubscriptionReader, facts: FactReader, views: Views) -> None:
        """Read as REST does."""
        self._subscriptions = subscriptions
        self._facts = facts
        self._views = views

    async def news(self, request: web.Request) -> web.Response:
        """Answer with the manager's notifications that are asked for, newest first."""
        manager, asked = caller(request).manager, news_search(request.query)
        after = request.query.get("after") or None
        page = await listed(self._facts.news(manager, asked, after, PER_PAGE), LATER_PAGE)
        items = await request.app[SENDER].render(lambda: list(map(shown_news, page.items)))
        tags = await self._subscriptions.tags(manager, MAX_CHIPS)
        receivers = await receivers_of(self._subscriptions, manager)
        if asked.client and asked.client not in receivers:
            receivers = [asked.client, *receivers]
        given = {"client": asked.client, "q": asked.text, "tag": asked.tag}
        query = {name: value for name, value in given.items() if value}
        others = {name: value for name, value in query.items() if name != "tag"}
        return await self._views.page(
            request,
            "news",
            title="News",
            receivers=receivers,
            asked=asked,
            chips=tag_chips(request.path, others, tags, asked.tag),
            here=HERE,
            items=items,
            is_first=after is None,
            live=filtered(LIVE_NEWS, query),
            first_page=filtered(request.path, query),
            next_page=filtered(request.path, {**query, "after": page.next}) if page.next else None,
        )
