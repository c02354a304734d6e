"""Crashes and cut connections at any step of a fetch, over a real store."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from schemas.codec import versions, wire
from schemas.records.answers import PageQuery, Reading, Response
from streams.agents.fetch.agent import FetchProcessor
from streams.agents.fetch.effects import Effects
from streams.values.outcome import Send
from tests.fakes.linking import linking
from tests.fakes.regions import sentences
from tests.fakes.world import examining

MAX_FAILURES = 3


class Crash(Exception):
    """The process ends here."""


class Unread(Exception):
    """The page could not be fetched."""


async def crash(step: str) -> None:
    """End the process."""
    raise Crash(step)


@dataclass
class Fuse:
    """Something happens at a step, so many steps after the last time; at none in the end."""

    distances: Iterator[int]
    happens: Callable[[str], Awaitable[None]] = crash
    blown: list[str] = field(default_factory=list)
    _left: int | None = None

    def __post_init__(self) -> None:
        self._left = next(self.distances, None)

    def remove(self) -> None:
        """Let nothing happen from now on."""
        self._left = None

    async def step(self, name: str) -> None:
        """Take one step."""
        if self._left is None:
            return
        self._left -= 1
        if self._left < 0:
            self._left = next(self.distances, None)
            self.blown.append(name)
            await self.happens(name)


class Fused:
    """Something that makes a step before and a step after each of its coroutine methods."""

    def __init__(self, thing: Any, fuse: Fuse) -> None:
        self._thing = thing
        self._fuse = fuse

    def __getattr__(self, name: str) -> Any:
        method = getattr(self._thing, name)

        async def stepped(*arguments: Any, **options: Any) -> Any:
            await self._fuse.step(f"before {name}")
            result = await method(*arguments, **options)
            await self._fuse.step(f"after {name}")
            return result

        return stepped


@dataclass
class Agent:
    """A web of one page, a store's snapshots and a topic; workers come and go."""

    snapshots: Any
    fuse: Fuse
    page: str | None = None
    published: list[bytes] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._loop = asyncio.get_running_loop()

    def worker(self) -> FetchProcessor:
        """A worker with nothing in memory."""
        return FetchProcessor(self._effects(), lambda host: 0)

    def changes(self) -> dict[str, bytes]:
        """What was published by its id, which must have one content."""
        found: dict[str, bytes] = {}
        for record in self.published:
            fact: Any = wire.decode(record, *versions.KINDS)
            assert found.setdefault(fact.id, record) == record, "an id has one content"
        return found

    def texts(self) -> list[tuple[str, str]]:
        """The texts before and after each change, in the order of the slots."""
        facts: list[Any] = [
            wire.decode(record, *versions.KINDS) for record in self.changes().values()
        ]
        facts.sort(key=lambda fact: (fact.slot, fact.part))
        return [sentences(region) for fact in facts for region in fact.regions]

    def _effects(self) -> Effects:
        return Effects(
            snapshots=Fused(self.snapshots, self.fuse),
            get=self._get,
            examine=examining(self._read),
            links=linking,
            failures=(Unread,),
            publish=self._publish,
            clock=lambda: 1_000_000_000,
            max_failures=MAX_FAILURES,
            pause_ms=lambda *_: 0,
            pause=lambda _: 0.0,
        )

    async def _get(self, query: PageQuery) -> Response:
        await self.fuse.step("before get")
        page = self.page
        await self.fuse.step("after get")
        if page is None:
            raise Unread("no answer")
        same = query.etag == f'"{page}"'
        return Response(304 if same else 200, page.encode(), "text/plain", f'"{page}"')

    def _read(self, body: bytes, header: str | None, chosen: str | None) -> Reading:
        self._step("before read")
        reading = Reading(body.decode(), "text/plain")
        self._step("after read")
        return reading

    def _step(self, name: str) -> None:
        """Step in a thread."""
        asyncio.run_coroutine_threadsafe(self.fuse.step(name), self._loop).result()

    async def _publish(self, sends: Iterable[Send]) -> None:
        for send in sends:
            await self.fuse.step("before publish")
            assert isinstance(send.record, bytes)
            self.published.append(send.record)
            await self.fuse.step("after publish")
