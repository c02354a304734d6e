"""Fetches documents: conditional GETs within fixed limits, through the guard."""

import asyncio
import time
from collections.abc import Callable, Coroutine, Mapping
from dataclasses import dataclass
from typing import Any, Self
from urllib.parse import urljoin

from aiohttp import ClientResponse, ClientTimeout
from yarl import URL

from connectors.http.egress import EgressGuard
from connectors.http.errors import NETWORK_ERRORS, FetchFailed, failure_reason
from connectors.http.headers import ascii_only, parse_max_age, parse_retry_after
from connectors.http.limits import Limits, enforce_limits
from connectors.http.robots import Robots
from connectors.http.self_check import verify_limits
from connectors.http.session import guarded_session
from schemas.answers import Response
from schemas.urls import canonical

ROBOTS_SECONDS = 10.0
MAX_REDIRECTS = 5
KEEPALIVE = 4.0
"""Seconds: aiohttp makes a GET again whose connection was closed meanwhile."""
NONE: Mapping[str, str] = {}
REDIRECTS = {301, 302, 303, 307, 308}
MAX_HEADERS = 128
ENCODINGS = {"", "identity", "gzip", "deflate", "br", "zstd"}
BUFFER = 2**14
"""Bytes that are decoded at a time, and about as many as wait to be taken.

Few, as a server may have each of them be a chunk of its own.
"""
PROMPT = 100_000
"""Bytes of a document that are taken without giving others their turn."""
ROOM, SMALL = 128_000_000, 500_000
"""Bytes of documents on their way at a time; one that is small finds room in any case."""


@dataclass(frozen=True, slots=True)
class Politeness:
    """How we behave towards sites; ``contact`` is named in the User-Agent."""

    contact: str | None = None
    obeys_robots: bool = True
    obeys_max_age: bool = False


DEFAULT_POLITENESS = Politeness()
DEFAULT_LIMITS = Limits()


class Fetcher:
    """An HTTP client for documents; an async context manager."""

    def __init__(
        self,
        guard: EgressGuard,
        manners: Politeness = DEFAULT_POLITENESS,
        limits: Limits = DEFAULT_LIMITS,
        *,
        clock: Callable[[], float] = time.time,
    ) -> None:
        """``clock`` gives epoch seconds."""
        self._guard = guard
        self._manners = manners
        self._limits = limits
        self._held = 0
        self._clock = clock
        self._robots = Robots(self._robots_txt, clock) if manners.obeys_robots else None

    async def __aenter__(self) -> Self:
        await verify_limits()
        head = self._limits.head
        self._session = guarded_session(
            self._guard,
            ClientTimeout(total=None, connect=self._limits.connect),
            self._manners.contact,
            keepalive=KEEPALIVE,
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
        self, url: str, etag: str | None = None, last_modified: str | None = None
    ) -> Response:
        """GET ``url``, a canonical one, unless it still has these validators.

        Follows five redirects. A status of 400 or above is an answer like any
        other. Raises FetchFailed for everything that is no answer, and OSError
        when this machine has no file descriptors or memory left.
        """
        conditions = _conditions(etag, last_modified)
        return await self._within(self._limits.total, self._follow(url, conditions, self._robots))

    def delay(self, host: str) -> float:
        """Give the seconds that a host (``host[:port]``) wants between two visits."""
        return self._robots.delay(host) if self._robots else 0.0

    async def _robots_txt(self, url: str) -> Response:
        return await self._within(ROBOTS_SECONDS, self._follow(url))

    async def _within(self, seconds: float, work: Coroutine[Any, Any, Response]) -> Response:
        """Give an answer that comes in time, or a failure with its reason."""
        try:
            async with asyncio.timeout(seconds):
                return await work
        except NETWORK_ERRORS as error:
            raise FetchFailed(failure_reason(error)) from error

    async def _follow(
        self, url: str, conditions: Mapping[str, str] = NONE, robots: Robots | None = None
    ) -> Response:
        """Follow redirects ourselves: each hop is a URL that a stranger gives us."""
        for _ in range(1 + MAX_REDIRECTS):
            self._guard.check_url(url)
            if robots is not None and (refusal := await robots.refusal(url)):
                raise FetchFailed(refusal)
            async with self._session.get(
                URL(url, encoded=True), headers=conditions, allow_redirects=False
            ) as response:
                target = response.headers.get("Location")
                if response.status not in REDIRECTS or target is None:
                    return await self._read(response)
            url = _redirected(url, target)
        raise FetchFailed("too many redirects")

    async def _read(self, response: ClientResponse) -> Response:
        headers = response.headers
        return Response(
            status=response.status,
            body=await self._body(response) if 200 <= response.status < 300 else b"",
            content_type=ascii_only(headers.get("Content-Type")),
            etag=ascii_only(headers.get("ETag")),
            last_modified=ascii_only(headers.get("Last-Modified")),
            retry_after=parse_retry_after(headers.get("Retry-After"), self._clock()),
            max_age=parse_max_age(headers.get("Cache-Control"))
            if self._manners.obeys_max_age
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
                self._held += len(chunk)
                if len(body) > self._limits.body:
                    raise FetchFailed(f"larger than {self._limits.body} bytes")
                if self._held > ROOM and len(body) > SMALL:
                    raise FetchFailed("too large for what is fetched beside it")
                if len(body) > PROMPT:  # unpacking one would else never wait for anything
                    await asyncio.sleep(0)
            return bytes(body)
        finally:
            self._held -= len(body)


def _conditions(etag: str | None, last_modified: str | None) -> dict[str, str]:
    conditions = {"If-None-Match": etag, "If-Modified-Since": last_modified}
    return {name: value for name, value in conditions.items() if value}


def _redirected(url: str, target: str) -> str:
    found = canonical(urljoin(url, target.strip().replace(" ", "%20")))
    if found is None:
        raise FetchFailed("redirected to an invalid URL")
    return found
