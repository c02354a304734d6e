"""The search among the changes seen by the watches of a manager."""

from aiohttp import web

from connectors.access.callers import caller
from connectors.languages.texts import gettext
from connectors.page.filters import asked_text, filtered
from connectors.page.rendering import LATER_PAGE, Views, listed
from connectors.reads.change_search import MAX_WORDS, ChangeSearches, SearchHit, parts_of
from connectors.serving.sending import SENDER
from connectors.stores.pages import ListingPage
from schemas.codec.times import epoch_ms

PATH = "/search"
PER_PAGE = 30


class SearchHandlers:
    """The handler of searches."""

    def __init__(self, searches: ChangeSearches, views: Views) -> None:
        """Search as REST does."""
        self._searches = searches
        self._views = views

    async def search(self, request: web.Request) -> web.Response:
        """Answer with the form, and with the changes found, newest first."""
        text, after = asked_text(request.query), request.query.get("after") or None
        day, error = request.query.get("since", ""), ""
        page: ListingPage[SearchHit] = ListingPage((), None)
        if text:
            try:
                phrases = self._searches.phrases(text)
                since = epoch_ms(f"{day[:10]}T00:00:00Z") if day else 0
            except ValueError:
                error = gettext(
                    "A search has 1 to %(most)s words, and a date if you like.", most=MAX_WORDS
                )
            else:
                manager = caller(request).manager
                asked = self._searches.found(manager, phrases, since, after, PER_PAGE)
                found = await listed(asked, LATER_PAGE)
                work = self._searches.hits
                page = await request.app[SENDER].render(lambda: work(found, phrases))
        query = {"q": text, **({"since": day} if day else {})}
        return await self._views.page(
            request,
            "search",
            title=gettext("Search"),
            text=text,
            day=day,
            error=error,
            hits=page.items,
            parts_of=parts_of,
            is_first=after is None,
            first_page=filtered(PATH, query),
            next_page=filtered(PATH, {**query, "after": page.next}) if page.next else None,
        )
