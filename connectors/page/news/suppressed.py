"""Notifications suppressed by a language model, and sending them after all."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from urllib.parse import urlencode

from aiohttp import web

from connectors.access.callers import caller
from connectors.languages.texts import gettext
from connectors.page.news.news_list import PER_PAGE, shown_news
from connectors.page.rendering import LATER_PAGE, PageRefused, Views, listed
from connectors.requests.suppressed import SuppressedNews
from connectors.serving.sending import SENDER

PATH = "/suppressed"


@dataclass(frozen=True, slots=True)
class ModelBudget:
    """The calls and tokens that a manager has used today, and may use."""

    calls: int
    tokens: int
    most_calls: int
    most_tokens: int


LookUpModelUse = Callable[[str], Awaitable[ModelBudget | None]]
"""Returns what a manager has used of the language model; None if that is not known."""


class SuppressedViews:
    """The handlers of the list."""

    def __init__(self, suppressed: SuppressedNews, model_use: LookUpModelUse, views: Views) -> None:
        """Read and send as REST does."""
        self._model_use = model_use
        self._suppressed = suppressed
        self._views = views

    async def listed(self, request: web.Request) -> web.Response:
        """Answer with the suppressed notifications of the manager, newest first."""
        after = request.query.get("after") or None
        read = self._suppressed.page(caller(request).manager, after, PER_PAGE)
        page = await listed(read, LATER_PAGE)
        facts = [fact.notification for fact in page.items]
        news = await request.app[SENDER].render(lambda: list(map(shown_news, facts)))
        return await self._views.page(
            request,
            "suppressed",
            title=gettext("Suppressed"),
            items=list(zip(page.items, news, strict=True)),
            is_first=after is None,
            first_page=PATH,
            next_page=f"{PATH}?{urlencode({'after': page.next})}" if page.next else None,
            budget=await self._model_use(caller(request).manager),
            is_sent="sent" in request.query,
        )

    async def send(self, request: web.Request) -> web.Response:
        """Send a suppressed notification after all."""
        form = await request.post()
        name = str(form.get("notification", ""))
        if not await self._suppressed.send(caller(request).manager, name):
            gone = gettext("This notification is not kept any more, so it cannot be sent.")
            raise PageRefused(404, gone)
        raise web.HTTPSeeOther(f"{PATH}?sent=1")
