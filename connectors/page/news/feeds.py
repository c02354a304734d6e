"""Feeds for feed readers, which send no key: each has a token in its address, and is removable."""

from secrets import token_hex
from urllib.parse import urlencode

from aiohttp import web

from connectors.access.callers import caller
from connectors.access.rates import CallRates
from connectors.credentials.errors import CredentialsUnusable, TooManyCredentials
from connectors.display.reasons import shown_reason
from connectors.languages.texts import LANGUAGES, current_language, gettext, msgid, spoken
from connectors.page.filters import HERE, filtered
from connectors.page.news.channel_forms import ChannelPorts
from connectors.page.news.news_list import news_query, news_search
from connectors.page.rendering import PageRefused, Views
from connectors.page.session.guard import Gate
from connectors.reads.atom import MAX_ENTRIES, FeedNames, send_feed
from connectors.signed_links import TokenSigner
from connectors.stores.pages import NewsSearch
from connectors.stores.ports import FactReader
from schemas.records.credentials import FEED_KIND, Credentials

FEED_PATH = "/feed/"
PER_MINUTE = 60
"""The most reads of feeds by an address; without a trusted proxy, all its users share an address.
"""
_UNKNOWN = msgid("There is no such feed: its address is not complete.")
_GONE = msgid("This feed was removed.")


class FeedHandlers:
    """The handlers of feeds, which are stored as credentials are."""

    def __init__(
        self,
        ports: ChannelPorts,
        facts: FactReader,
        signer: TokenSigner,
        rates: CallRates,
        gate: Gate,
        views: Views,
    ) -> None:
        """Read ``facts``; ``signer`` signs the tokens, ``rates`` counts the reads of an address."""
        self._ports = ports
        self._facts = facts
        self._signer = signer
        self._rates = rates
        self._gate = gate
        self._views = views

    async def feeds(self, request: web.Request) -> web.Response:
        """Answer with the feeds of the caller, and a button to add the filtered news."""
        manager, asked = caller(request).manager, news_search(request.query)
        rows = [row for row in await self._ports.store.all_of(manager) if row.kind == FEED_KIND]
        scheme = "https" if self._gate.proxies.is_secure(request) else request.scheme
        path = f"{scheme}://{request.host}{FEED_PATH}"
        return await self._views.page(
            request,
            "feeds",
            title=gettext("Feeds"),
            feeds=[(row, path + self._signer.token(manager, row.name)) for row in rows],
            asked=asked,
            about=feed_text(asked),
            news=filtered("/news", news_query(asked)),
            added=request.query.get("added", ""),
        )

    async def add(self, request: web.Request) -> web.Response:
        """Store a feed for the filter in the form."""
        asked = news_search({k: str(v) for k, v in (await request.post()).items()})
        name = f"feed-{token_hex(8)}"
        # Feed readers do not say which languages they want.
        secrets = news_query(asked) | {"language": current_language().tag}
        given = Credentials(FEED_KIND, feed_text(asked), secrets=tuple(secrets.items()))
        try:
            await self._ports.vault.put(caller(request).manager, name, given)
        except (TooManyCredentials, CredentialsUnusable) as error:
            raise PageRefused(400, shown_reason(str(error))) from None
        raise web.HTTPSeeOther(f"/feeds?{urlencode({'added': name})}")

    async def remove(self, request: web.Request) -> web.Response:
        """Delete a feed: its address is not valid any more."""
        manager, name = caller(request).manager, str((await request.post()).get("name", ""))
        row = await self._ports.store.get(manager, name)
        if row is None or row.kind != FEED_KIND:
            raise PageRefused(404, gettext("There is no such feed any more."))
        await self._ports.store.remove(manager, name)
        raise web.HTTPSeeOther("/feeds")

    async def feed(self, request: web.Request) -> web.StreamResponse:
        """Answer with the news of the feed of a token, and with nothing else."""
        if wait := self._rates.take(self._gate.proxies.address(request), PER_MINUTE):
            reason = gettext("No more than %(num)s feeds a minute are read.", num=PER_MINUTE)
            raise PageRefused(429, reason, wait)
        found = self._signer.read(request.match_info["token"])
        if found is None:
            raise PageRefused(404, gettext(_UNKNOWN))
        manager, name = found
        stored = await self._stored(manager, name)
        values = dict(stored.secrets)
        asked = news_search(values)
        page = await self._facts.news(manager, asked, None, MAX_ENTRIES)
        names = FeedNames((FEED_KIND, manager, name), stored.origin)
        with spoken(LANGUAGES.get(values.get("language", ""), current_language())):
            return await send_feed(request, names, page.items)

    async def _stored(self, manager: str, name: str) -> Credentials:
        """Load a feed. Raises PageRefused; with 410 for a removed one, at which readers stop."""
        row = await self._ports.store.get(manager, name)  # the vault would know it for seconds more
        if row is None or row.kind != FEED_KIND:
            raise PageRefused(410, gettext(_GONE))
        try:
            return await self._ports.vault.open(manager, name)
        except CredentialsUnusable:
            raise PageRefused(410, gettext(_GONE)) from None


def feed_text(asked: NewsSearch) -> str:
    """Return the filter of a feed, for people.

    >>> feed_text(NewsSearch(client="channel:team", tag="prices"))
    'News for channel:team, tagged prices'
    """
    receiver = gettext("this page") if asked.client == HERE else asked.client
    parts = [
        gettext("News for %(receiver)s", receiver=receiver) if receiver else gettext("All news"),
        gettext("tagged %(tag)s", tag=asked.tag) if asked.tag else "",
        gettext("with “%(words)s”", words=asked.text) if asked.text else "",
    ]
    return ", ".join(filter(None, parts))
