"""GET /search: words in the changes seen by the caller's watches, from the read side."""

from functools import partial

from aiohttp import web

from connectors.access.callers import caller
from connectors.api.answers import answer
from connectors.api.paging import asked_text, asked_time, page_response
from connectors.reads.change_search import ChangeSearches, SearchHit, hit_json
from connectors.serving.sending import SENDER
from connectors.stores.pages import ListingPage
from schemas.records.codes import Code


class SearchHandler:
    """The handler of searches."""

    def __init__(self, searches: ChangeSearches) -> None:
        """Search with ``searches``."""
        self._searches = searches

    async def search(self, request: web.Request) -> web.StreamResponse:
        """Answer with a page of changes with all given words, newest first."""
        manager, searches = caller(request).manager, self._searches
        text, since = asked_text(request, "q"), asked_time(request, "since") or 0
        try:
            phrases = searches.phrases(text)
        except ValueError as error:
            return answer(Code.INVALID_FORMAT, detail=str(error))

        async def read(after: str | None, limit: int) -> ListingPage[SearchHit]:
            page = await searches.found(manager, phrases, since, after, limit)
            return await request.app[SENDER].render(partial(searches.hits, page, phrases))

        return await page_response(request, "found", read, hit_json)
