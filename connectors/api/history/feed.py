"""GET /feed: a client's notifications as an Atom feed."""

from aiohttp import web

from connectors.access.callers import caller
from connectors.api.answers import answer
from connectors.reads.atom import MAX_ENTRIES, FeedNames, send_feed
from connectors.stores.ports import FactReader
from schemas.records.codes import Code


class FeedHandler:
    """The handler of the feed."""

    def __init__(self, facts: FactReader) -> None:
        """Read from ``facts``."""
        self._facts = facts

    async def feed(self, request: web.Request) -> web.StreamResponse:
        """Answer with the newest notifications of a client, an entry each."""
        client, manager = request.query.get("client"), caller(request).manager
        if not client:
            return answer(Code.INVALID_CLIENT_URL)
        page = await self._facts.of_client("notification", manager, client, None, MAX_ENTRIES)
        return await send_feed(request, FeedNames(("client", manager, client), client), page.items)
