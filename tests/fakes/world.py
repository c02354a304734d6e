"""A web of pages, a broker and a clock for the fetch agent."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from schemas.codec import versions, wire
from schemas.records.answers import GetPage, PageQuery, Reading, Response, ViewMissing
from schemas.records.documents import Document
from schemas.records.page_requests import PageRequest
from schemas.records.views import View
from streams.agents.fetch.effects import Effects
from streams.agents.fetch.examining import LoginShown, Read, TooLarge, Work, examine
from streams.agents.fetch.fetched_page import FetchedPage
from streams.agents.fetch.politeness.pace import pause_ms
from streams.agents.fetch.postponed import Postponed
from streams.values.outcome import Send
from tests.fakes.linking import linking
from tests.fakes.snapshots import MemorySnapshots, Step, nothing_happens

ReadOne = Callable[[bytes, str | None, str | None], Reading]
Outcomes = Sequence[Document | Exception]
Examine = Callable[[Sequence[Work], FetchedPage], Awaitable[Outcomes]]


Variant = tuple[str, PageRequest]


class FetchFailed(Exception):
    """A page that could not be fetched."""


class Web:
    """Pages by URL; a request waits as long as its URL has a closed gate."""

    def __init__(self) -> None:
        self.pages: dict[str, Response | Exception] = {}
        self.gates: dict[str, asyncio.Event] = {}
        self.variants: dict[Variant, Response | Exception] = {}
        """What a URL has for a request part, instead of its page."""
        self.requests: list[tuple[str, str | None, str | None]] = []
        self.parts: list[PageRequest] = []
        """The request part of each request."""
        self.asked = asyncio.Event()
        self.at_work: set[str] = set()
        self.most_at_work = 0

    def put(self, url: str, text: str, etag: str | None = None) -> None:
        self.pages[url] = Response(200, text.encode(), "text/plain", etag)

    async def get(self, query: PageQuery) -> Response:
        url, etag = query.url, query.etag
        self.requests.append((url, etag, query.last_modified))
        self.parts.append(query.request)
        self.asked.set()
        gate = self.gates.get(url)
        page = self.variants.get((url, query.request)) or self.pages[url]
        self.at_work.add(url)
        self.most_at_work = max(self.most_at_work, len(self.at_work))
        try:
            await asyncio.sleep(0)
            if gate is not None:
                await gate.wait()
        finally:
            self.at_work.discard(url)
        if isinstance(page, Exception):
            raise page
        if etag is not None and page.etag == etag:
            return Response(304, etag=etag)
        has_body = page.status < 300 or page.status in query.statuses
        return page if has_body else replace(page, body=b"")


class Scene:
    """One store, web and changes topic, seen by any number of workers."""

    def __init__(self, max_failures: int = 10, backoff: float = 1) -> None:
        self.store = MemorySnapshots()
        self.web = Web()
        self.published: list[tuple[str, str | bytes | None, bytes]] = []
        self.step: Step = nothing_happens
        self.now = 1_000_000_000
        self.max_failures = max_failures
        self.backoff = backoff
        self.is_busy = False
        self.read_in_threads = True
        self.get: GetPage = self.web.get

    @property
    def facts(self) -> list[Any]:
        """What was published, decoded."""
        return [wire.decode(value, *versions.KINDS) for _, _, value in self.published]

    def effects(self) -> Effects:
        """The effects of one worker."""
        return Effects(
            snapshots=self.store,
            get=self.get,
            examine=self._examine,
            links=linking,
            failures=(FetchFailed, LoginShown, TooLarge),
            publish=self.publish,
            clock=lambda: self.now,
            pause=lambda _: 0.0,
            max_failures=self.max_failures,
            pause_ms=partial(pause_ms, factor=self.backoff),
        )

    async def _examine(self, works: Sequence[Work], fetched: FetchedPage) -> Outcomes:
        if self.is_busy:
            raise Postponed("no process was free")
        if self.read_in_threads:
            return await examining(_read)(works, fetched)
        return examine(each_view(_read), works, fetched)

    async def publish(self, sends: Iterable[Send]) -> None:
        for send in sends:
            await self.step("publish")
            assert send.record is not None
            value = send.record if isinstance(send.record, bytes) else wire.encode(send.record)
            self.published.append((send.topic, send.key, value))
            await self.step("publish done")


def each_view(read: ReadOne) -> Read:
    """Read each view by itself, as the content type that it names."""

    def read_one(body: bytes, header: str | None, view: View) -> Reading | Exception:
        try:
            return read(body, header, view.content_type)
        except (FetchFailed, ViewMissing) as error:  # as real readers return them
            return error

    return lambda body, header, views, _: [read_one(body, header, view) for view in views]


def examining(read: ReadOne) -> Examine:
    """Read and compare pages in a thread: no test that uses it has hard pages."""

    async def examined(works: Sequence[Work], fetched: FetchedPage) -> Outcomes:
        return await asyncio.to_thread(examine, each_view(read), works, fetched)

    return examined


def _read(body: bytes, header: str | None, chosen: str | None) -> Reading:
    if body == b"unreadable" or chosen == "image/png":
        raise FetchFailed("not text")
    if body.startswith(b"nothing"):
        raise ViewMissing("nothing on the page matches view.select")
    return Reading(body.decode(), chosen or header or "text/plain")
