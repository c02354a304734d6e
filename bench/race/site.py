"""The site that all contenders watch, in a separate process: pages, receivers, and counts.

``python -m bench.race.site SEED PAGES PORTS SIZE`` prints the base URL of each port and
serves until its standard input ends. A port is a host to those who are polite.
"""

import asyncio
import json
import re
import sys
from dataclasses import dataclass, field
from time import perf_counter
from zlib import crc32

import uvloop
from aiohttp import web

from bench.race.shelf import SIZE, Shelf, mark
from tests.harness.web import served

MARK = re.compile(r"mark\d+x\d+")


@dataclass(frozen=True, slots=True)
class Mode:
    """How pages behave: the share of visits that find a new version; whether 304 is answered."""

    changing: float = 0.0
    conditional: bool = False


@dataclass
class Seen:
    """What happened since a round began: when marks were planted, and who was notified of them."""

    fetches: int = 0
    pages: set[int] = field(default_factory=set)
    not_modified: int = 0
    planted: dict[str, float] = field(default_factory=dict)
    notified: dict[tuple[str, str], float] = field(default_factory=dict)

    def note(self, receiver: str, marks: list[str]) -> None:
        """Note the first notification of each mark that was planted in this round."""
        for each in self.planted.keys() & marks:
            self.notified.setdefault((receiver, each), perf_counter())

    def as_json(self) -> dict[str, object]:
        """Return the counts as JSON."""
        return {
            "fetches": self.fetches,
            "pages": len(self.pages),
            "not_modified": self.not_modified,
            "planted": list(self.planted),
            "notified": len(self.notified),
            "found": len({each for _, each in self.notified}),
        }

    def waits(self) -> list[float]:
        """Return the seconds from each change's fetch to each receiver's notification."""
        return [at - self.planted[each] for (_, each), at in self.notified.items()]


class Site:
    """Answers every request."""

    def __init__(self, seed: int, pages: int, size: int = SIZE) -> None:
        self._seed = seed
        self._shelf = Shelf(seed, size)
        self._versions = [1] * pages
        self._visits = [0] * pages
        self._mode = Mode()
        self._seen = Seen()

    async def answer(self, request: web.Request) -> web.Response:
        """Answer by the first part of the path."""
        _, what, *rest = request.path.split("/")
        if what == "page":
            return self._page(request, int(rest[0]))
        if what == "seen":
            return web.json_response(self._seen.as_json())
        if what == "waits":
            return web.json_response(self._seen.waits())
        if request.method != "POST":
            return web.Response(status=404)
        self._take(what, rest, await request.text())
        return web.Response(status=204)

    def _take(self, what: str, rest: list[str], body: str) -> None:
        if what == "mode":
            self._mode = Mode(**json.loads(body))
            self._seen = Seen() if "fresh" in rest else self._seen
        elif what == "hook":
            self._seen.note(rest[0], MARK.findall(body))

    def _page(self, request: web.Request, number: int) -> web.Response:
        self._seen.fetches += 1
        self._seen.pages.add(number)
        if self._changes(number):
            self._versions[number] += 1
            self._seen.planted[mark(number, self._versions[number])] = perf_counter()
        version = self._versions[number]
        etag = f'"{number}-{version}"'
        if self._mode.conditional and request.headers.get("If-None-Match") == etag:
            self._seen.not_modified += 1
            return web.Response(status=304, headers={"ETag": etag})
        return web.Response(
            body=self._shelf.body(number, version),
            headers={"ETag": etag, "Content-Type": "text/html; charset=utf-8"},
        )

    def _changes(self, number: int) -> bool:
        self._visits[number] += 1
        drawn = crc32(f"{self._seed} {number} {self._visits[number]}".encode()) / 2**32
        return drawn < self._mode.changing


async def serve(seed: int, pages: int, ports: int, size: int) -> None:
    """Serve until standard input ends."""
    async with served(Site(seed, pages, size).answer, ports) as urls:
        print(json.dumps(urls), flush=True)
        await asyncio.to_thread(sys.stdin.read)


if __name__ == "__main__":
    uvloop.run(serve(*map(int, sys.argv[1:])))
