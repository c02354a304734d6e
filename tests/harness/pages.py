"""Pages that change when a test says so, and that note each request."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from uuid import uuid4

from aiohttp import web

from tests.harness.waiting import eventually, until
from tests.harness.web import served


@dataclass(frozen=True, slots=True)
class PageRequest:
    """One request for a page: which version it was answered with, and how."""

    version: int
    status: int
    if_none_match: str | None


@dataclass
class Page:
    """A document.

    ``upcoming`` texts follow one by one, each when the one before is known to be stored;
    ``statuses`` are answered one by one, then ``status`` always.
    """

    url: str
    _text: str
    status: int = 200
    content_type: str = "text/html"
    etags: bool = True
    headers: dict[str, str] = field(default_factory=dict)
    statuses: list[int] = field(default_factory=list)
    upcoming: list[str] = field(default_factory=list)
    version: int = 1
    requests: list[PageRequest] = field(default_factory=list)

    @property
    def text(self) -> str:
        return self._text

    @text.setter
    def text(self, text: str) -> None:
        self._text = text
        self.version += 1

    @property
    def planned(self) -> int:
        """The last version, once all that is upcoming has had its turn."""
        return self.version + len(self.upcoming)

    @property
    def etag(self) -> str:
        return f'"{self.version}"'

    async def requested(self, times: int = 1) -> None:
        """Wait for so many more requests."""
        wanted = len(self.requests) + times
        await until(lambda: len(self.requests) >= wanted, f"{self.url} is requested {times} times")

    async def rests(self, other: "Page") -> None:
        """Wait until it is not requested any more while another page is."""

        async def does() -> bool:
            before = len(self.requests)
            await other.requested(3)
            return before == len(self.requests)

        await eventually(does, f"{self.url} is requested no more")

    async def stored(self) -> None:
        """Wait until the text is a snapshot: a second request means that the first was stored."""
        await until(lambda: self._times(self.version) >= 2, f"{self.url} is stored")

    def answer(self, request: web.Request) -> web.Response:
        """Answer one request.

        The fetcher sends a validator only of what it has stored, so one that
        matches shows that the next version can follow without hiding this one.
        """
        condition = request.headers.get("If-None-Match")
        if condition == self.etag and self.upcoming:
            self.text = self.upcoming.pop(0)
        status = self.statuses.pop(0) if self.statuses else self.status
        same = self.etags and condition == self.etag and status == 200
        status = 304 if same else status
        self.requests.append(PageRequest(self.version, status, condition))
        headers = self.headers | ({"ETag": self.etag} if self.etags else {})
        text = None if same else self.text
        return web.Response(
            status=status, text=text, content_type=self.content_type, headers=headers
        )

    def _times(self, version: int) -> int:
        return sum(each.version == version and each.status < 400 for each in self.requests)


class Pages:
    """A web site of pages, on one port or several (a port is a host to the fetcher)."""

    def __init__(self, hosts: list[str]) -> None:
        self._hosts = hosts
        self._pages: dict[str, Page] = {}

    def add(self, text: str, host: int = 0) -> Page:
        """Add a page; its path is new, for the port may be one of a site that has ended."""
        path = f"/page/{uuid4().hex}"
        page = self._pages[path] = Page(self._hosts[host] + path, text)
        return page

    async def answer(self, request: web.Request) -> web.Response:
        page = self._pages.get(request.path)
        return page.answer(request) if page else web.Response(status=404)


@asynccontextmanager
async def site(ports: int = 1) -> AsyncIterator[Pages]:
    """Serve pages until left."""
    hosts: list[str] = []
    pages = Pages(hosts)
    async with served(pages.answer, ports) as urls:
        hosts += urls
        yield pages
