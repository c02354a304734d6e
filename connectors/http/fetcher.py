"""The fetcher of documents: conditional GETs within fixed limits, through the guard."""

import asyncio
import time
from collections.abc import Callable, Collection, Coroutine, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, Self
from urllib.parse import urljoin

from aiohttp import ClientResponse, ClientTimeout
from yarl import URL

from connectors.http.egress import EgressGuard
from connectors.http.errors import NETWORK_ERRORS, FetchFailed, OutOfRoom, failure_reason
from connectors.http.headers import ascii_only, parse_max_age, parse_retry_after
from connectors.http.limits import Limits, enforce_limits
from connectors.http.robots import Robots
from connectors.http.self_check import verify_limits
from connectors.http.session import guarded_session
from schemas.answers import Response
from schemas.urls import canonical

ROBOTS_TIMEOUT_S = 10.0
MAX_REDIRECTS = 5
KEEPALIVE_S = 4.0
"""If the server closes a connection first, aiohttp repeats the GET on a new one."""
REDIRECTS = {301, 302, 303, 307, 308}
MAX_HEADERS = 128
ENCODINGS = {"", "identity", "gzip", "deflate", "br", "zstd"}
BUFFER = 2**14
"""Bytes to decode at a time, and to buffer.

Few, because a server may send each byte as a chunk.
"""
YIELD_AFTER = 100_000
"""Bytes of a document after which reading it yields the event loop."""
DOWNLOAD_BUDGET, SMALL = 128_000_000, 500_000
"""Bytes of all documents being downloaded; a small document may exceed the budget."""


@dataclass(frozen=True, slots=True)
class Politeness:
    """How the fetcher behaves towards sites; the User-Agent names ``contact``."""

    contact: str | None = None
    obeys_robots: bool = True
    obeys_max_age: bool = False


DEFAULT_POLITENESS = Politeness()
DEFAULT_LIMITS = Limits()


class Login(Protocol):
    """What a visit sends to whom, of credentials that it was given."""

    def headers(self, url: str) -> Mapping[str, str]:
        """Return what to send with the request of a canonical URL."""

    def note(self, url: str, set_cookies: Sequence[str]) -> None:
        """Note the headers ``Set-Cookie`` of the answer from a URL."""


class Fetcher:
    """An HTTP client for documents; an async context manager.

    >>> async with Fetcher(guard) as fetcher:  # doctest: +SKIP
    ...     response = await fetcher.get("https://example.org/")
    """

    def __init__(
        self,
        guard: EgressGuard,
        politeness: Politeness = DEFAULT_POLITENESS,
        limits: Limits = DEFAULT_LIMITS,
        *,
        clock: Callable[[], float] = time.time,
    ) -> None:
        """``clock`` returns epoch seconds."""
        self._guard = guard
        self._politeness = politeness
        self._limits = limits
        self._downloading = 0
        self._clock = clock
        self._robots = Robots(self._robots_txt, clock) if politeness.obeys_robots else None

    async def __aenter__(self) -> Self:
        await verify_limits()
        head = self._limits.head
        self._session = guarded_session(
            self._guard,
            ClientTimeout(total=None, connect=self._limits.connect),
            self._politeness.contact,
            keepalive=KEEPALIVE_S,
            read_bufsize=BUFFER,
            max_line_size=head,
            max_field_size=head,
            max_headers=MAX_HEADERS,
        )
        enforce_limits(self._session, self._limits)
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._session.close()

    async def get(
        self,
        url: str,
        etag: str | None = None,
        last_modified: str | None = None,
        statuses: Collection[int] = (),
        login: Login | None = None,
    ) -> Response:
        """GET a canonical URL, unless the page still has these validators.

        Follows five redirects; ``login`` says what to send with each request. A status of 400
        or more is a response like any other; it has a body if it is one of ``statuses``.
        Raises FetchFailed when there is no response, OutOfRoom when too many large documents
        are being fetched, and OSError when this machine has run out of file descriptors or
        memory.
        """
        conditions = _conditions(etag, last_modified)
        following = self._follow(url, conditions, self._robots, statuses, login)
        return await self._within(self._limits.total, following)

    def delay(self, host: str) -> float:
        """Return the seconds that a host (``host[:port]``) wants between two requests."""
        return self._robots.delay(host) if self._robots else 0.0

    async def _robots_txt(self, url: str) -> Response:
        return await self._within(ROBOTS_TIMEOUT_S, self._follow(url, {}))

    async def _within(self, seconds: float, work: Coroutine[Any, Any, Response]) -> Response:
        """Await a response; raise FetchFailed with the reason if there is none in time."""
        try:
            async with asyncio.timeout(seconds):
                return await work
        except NETWORK_ERRORS as error:
            raise FetchFailed(failure_reason(error)) from error

    async def _follow(
        self,
        url: str,
        conditions: Mapping[str, str],
        robots: Robots | None = None,
        statuses: Collection[int] = (),
        login: Login | None = None,
    ) -> Response:
        """Follow redirects here, not in aiohttp, because every hop has to be checked."""
        for _ in range(1 + MAX_REDIRECTS):
            self._guard.check_url(url)
            if robots is not None and (refusal := await robots.refusal(url)):
                raise FetchFailed(refusal)
            headers = {**conditions, **(login.headers(url) if login else {})}
            async with self._session.get(
                URL(url, encoded=True), headers=headers, allow_redirects=False
            ) as response:
                if login is not None:
                    login.note(url, response.headers.getall("Set-Cookie", ()))
                target = response.headers.get("Location")
                if response.status not in REDIRECTS or target is None:
                    return await self._read(response, statuses)
            url = _redirected(url, target)
        raise FetchFailed("too many redirects")

    async def _read(self, response: ClientResponse, statuses: Collection[int]) -> Response:
        headers, status = response.headers, response.status
        has_content = 200 <= status < 300 or status in statuses
        return Response(
            status=status,
            body=await self._body(response) if has_content else b"",
            content_type=ascii_only(headers.get("Content-Type")),
            etag=ascii_only(headers.get("ETag")),
            last_modified=ascii_only(headers.get("Last-Modified")),
            retry_after=parse_retry_after(headers.get("Retry-After"), self._clock()),
            max_age=parse_max_age(headers.get("Cache-Control"))
            if self._politeness.obeys_max_age
            else None,
        )

    async def _body(self, response: ClientResponse) -> bytes:
        encoding = response.headers.get("Content-Encoding", "").strip().lower()
        if encoding not in ENCODINGS:
            raise FetchFailed(f"unknown content encoding {ascii_only(encoding)!r}")
        if (response.content_length or 0) > self._limits.wire:
            raise FetchFailed(f"larger than {self._limits.wire} bytes on the wire")
        body = bytearray()
        try:
            async for chunk in response.content.iter_any():
                body += chunk
                self._downloading += len(chunk)
                if len(body) > self._limits.body:
                    raise FetchFailed(f"larger than {self._limits.body} bytes")
                if self._downloading > DOWNLOAD_BUDGET and len(body) > SMALL:
                    raise OutOfRoom("too large while other large documents are being fetched")
                if len(body) > YIELD_AFTER:  # decompressing alone never waits
                    await asyncio.sleep(0)
            return bytes(body)
        finally:
            self._downloading -= len(body)


def _conditions(etag: str | None, last_modified: str | None) -> dict[str, str]:
    conditions = {"If-None-Match": etag, "If-Modified-Since": last_modified}
    return {name: value for name, value in conditions.items() if value}


def _redirected(url: str, target: str) -> str:
    found = canonical(urljoin(url, target.strip().replace(" ", "%20")))
    if found is None:
        raise FetchFailed("redirected to an invalid URL")
    return found
