"""The fetcher of documents: their requests within fixed limits, through the guard."""

import asyncio
import time
from collections.abc import (
    AsyncIterator,
    Callable,
    Collection,
    Coroutine,
    Iterable,
    Mapping,
    Sequence,
)
from dataclasses import dataclass
from typing import Any, Protocol, Self

from aiohttp import ClientResponse

from connectors.http.decoding import content_codings, decoded, is_encoded, is_text
from connectors.http.egress import EgressGuard
from connectors.http.errors import NETWORK_ERRORS, FetchFailed, OutOfRoom, failure_reason
from connectors.http.get_response import GetResponse
from connectors.http.headers import ascii_only, last_content_type, parse_max_age, parse_retry_after
from connectors.http.limits import Limits
from connectors.http.redirects import (
    REDIRECTS,
    SEE_OTHER,
    Hop,
    first_hop,
    following_hop,
    target_url,
)
from connectors.http.refresh import refresh_target
from connectors.http.robots import Robots
from connectors.http.routes import Route, Routes
from connectors.http.self_check import verify_limits
from connectors.http.visit_cookies import VisitCookies
from connectors.language_tags import language_code
from schemas.records.answers import PageQuery, Response, status_failure

ROBOTS_TIMEOUT_S = 10.0
MAX_REDIRECTS = 5
DOWNLOAD_BUDGET, SMALL = 128_000_000, 500_000
"""Bytes of all documents being downloaded; a small document may exceed the budget."""
TURN_S = 0.002
"""Seconds of decoding after which the event loop has its turn."""


@dataclass(frozen=True, slots=True)
class Politeness:
    """The behaviour of the fetcher towards sites; the User-Agent names ``contact``.

    Our own name decides which rules of a robots.txt hold, also for a client that chooses
    another User-Agent: it is our program that asks, and a site that refuses it means it.
    """

    contact: str | None = None
    obeys_robots: bool = True
    obeys_max_age: bool = False


DEFAULT_POLITENESS = Politeness()
DEFAULT_LIMITS = Limits()
NO_PROXIES: Mapping[str, EgressGuard] = {}


class VisitHeaders(Protocol):
    """The headers of a visit with credentials."""

    def headers(self, url: str) -> Mapping[str, str]:
        """Return the headers and cookies for the request of a canonical URL."""

    def note(self, url: str, set_cookies: Sequence[str]) -> None:
        """Note the headers ``Set-Cookie`` of the answer from a URL."""


class Downloads:
    """Reads the bodies of responses, within a budget for all that are read at a time."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._bytes = 0

    async def read(self, response: ClientResponse | GetResponse) -> bytes:
        """Return the decoded body; raises FetchFailed, or OutOfRoom if there are too many."""
        codings = content_codings(response.headers.getall("Content-Encoding", ()))
        if (response.content_length or 0) > self._limits.wire:
            raise FetchFailed(f"larger than {self._limits.wire} bytes on the wire")
        body = await self._joined(response.content.iter_any())
        for number, coding in enumerate(codings):
            if is_encoded(body, coding) or (number == 0 and not is_text(body)):
                body = await self._joined(_yielding(decoded(body, coding)), before=len(body))
        return body

    async def _joined(self, pieces: AsyncIterator[bytes], before: int = 0) -> bytes:
        """Join the pieces of a body; ``before`` are the bytes from which they are decoded."""
        body = bytearray()
        self._bytes += before
        try:
            async for piece in pieces:
                body += piece
                self._bytes += len(piece)
                if len(body) > self._limits.body:
                    raise FetchFailed(f"larger than {self._limits.body} bytes")
                if self._bytes > DOWNLOAD_BUDGET and len(body) > SMALL:
                    raise OutOfRoom("too large while other large documents are being fetched")
            return bytes(body)
        finally:
            self._bytes -= before + len(body)


async def _yielding(pieces: Iterable[bytes]) -> AsyncIterator[bytes]:
    """Yield pieces, and the event loop after some time: to decode them alone never waits."""
    end = time.monotonic() + TURN_S
    for piece in pieces:
        yield piece
        if time.monotonic() > end:
            await asyncio.sleep(0)
            end = time.monotonic() + TURN_S


class Fetcher:
    """An HTTP client for documents; an async context manager.

    >>> async with Fetcher(guard) as fetcher:  # doctest: +SKIP
    ...     response = await fetcher.get(PageQuery("https://example.org/"))
    """

    def __init__(
        self,
        guard: EgressGuard,
        politeness: Politeness = DEFAULT_POLITENESS,
        limits: Limits = DEFAULT_LIMITS,
        *,
        proxies: Mapping[str, EgressGuard] = NO_PROXIES,
        clock: Callable[[], float] = time.time,
    ) -> None:
        """``proxies`` are the guards of those that requests may name; ``clock``: epoch seconds."""
        self._politeness = politeness
        self._limits = limits
        self._clock = clock
        self._downloads = Downloads(limits)
        self._routes = Routes({"": guard, **proxies})
        self._count = 1 + len(proxies)

    async def __aenter__(self) -> Self:
        await verify_limits()
        self._routes.open(self._limits, self._politeness.contact, self._robots)
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._routes.close()

    async def get(self, query: PageQuery, login: VisitHeaders | None = None) -> Response:
        """Request a page, unless it still has the validators of the query.

        Follows five redirects, also those in pages (see refresh.py). ``login`` says what to send
        with each request, without it the cookies that are set on the way are sent. A status of 400
        or more is a response like any other. A POST is sent once, and never repeated.
        Raises FetchFailed when there is no response, OutOfRoom when too many large documents
        are being fetched, and OSError when this machine has run out of file descriptors or
        memory.
        """
        route = self._routes.of(query.request.proxy)
        following = self._follow(route, query, route.robots, login)
        return await self._within(self._limits.total, following)

    def delay(self, host: str) -> float:
        """Return the seconds between two requests to a host (``host[:port]``)."""
        return self._routes.delay(host)

    def _robots(self, proxy: str) -> Robots | None:
        if not self._politeness.obeys_robots:
            return None

        async def robots_txt(url: str) -> Response:
            following = self._follow(self._routes.of(proxy), PageQuery(url))
            return await self._within(ROBOTS_TIMEOUT_S, following)

        return Robots(robots_txt, self._clock, shared_by=self._count)

    async def _within(self, seconds: float, work: Coroutine[Any, Any, Response]) -> Response:
        """Await a response; raise FetchFailed with the reason if there is none in time."""
        try:
            async with asyncio.timeout(seconds):
                return await work
        except NETWORK_ERRORS as error:
            raise FetchFailed(failure_reason(error)) from error

    async def _follow(
        self,
        route: Route,
        query: PageQuery,
        robots: Robots | None = None,
        login: VisitHeaders | None = None,
    ) -> Response:
        """Follow redirects here, not in aiohttp, because every hop has to be checked."""
        known = {"If-None-Match": query.etag, "If-Modified-Since": query.last_modified}
        conditions = {name: value for name, value in known.items() if value}
        hop = first_hop(query.url, query.request)
        # A login decides by itself where its cookies may go.
        jar = login or VisitCookies(self._clock)
        pages: dict[str, Response] = {}
        for _ in range(1 + MAX_REDIRECTS):
            route.guard.check_url(hop.url)
            if robots is not None and (refusal := await robots.refusal(hop.url)):
                raise FetchFailed(refusal)
            asked = conditions if hop.method == "GET" else {}
            own = jar.headers(hop.url)
            async with route.request(hop, {**hop.headers, **asked, **own}) as response:
                jar.note(hop.url, response.headers.getall("Set-Cookie", ()))
                target = response.headers.get("Location")
                if response.status in REDIRECTS and target:
                    hop = following_hop(hop, response.status, target)
                    continue
                pages[hop.url] = page = await self._read(hop.url, response, query.statuses)
                refresh = response.headers.get("Refresh")
            following = _refreshed(hop, page, refresh, query.statuses)
            has_news = "Cookie" not in own and "Cookie" in jar.headers(hop.url)
            if following is None or (following.url == hop.url and not has_news):
                return page
            if following.url != hop.url and following.url in pages:
                return pages[following.url]  # pages that show each other in turn
            hop = following
        raise FetchFailed("too many redirects")

    async def _read(
        self, url: str, response: ClientResponse | GetResponse, statuses: Collection[int]
    ) -> Response:
        headers, status = response.headers, response.status
        has_content = status_failure(status, statuses) is None
        return Response(
            status=status,
            body=await self._downloads.read(response) if has_content else b"",
            content_type=ascii_only(last_content_type(headers.getall("Content-Type", []))),
            etag=ascii_only(headers.get("ETag")),
            last_modified=ascii_only(headers.get("Last-Modified")),
            retry_after=parse_retry_after(headers.get("Retry-After"), self._clock()),
            max_age=parse_max_age(headers.get("Cache-Control"))
            if self._politeness.obeys_max_age
            else None,
            url=url,
            language=language_code(headers.get("Content-Language", "")),
        )


def _refreshed(
    hop: Hop, page: Response, refresh: str | None, statuses: Collection[int]
) -> Hop | None:
    """Return the request that a page leads browsers to in a moment, None if it does not."""
    if status_failure(page.status, statuses):
        return None
    target = refresh_target(refresh, page.content_type, page.body)
    if target is None or target_url(hop.url, target) is None:
        return None
    return following_hop(hop, SEE_OTHER, target)
