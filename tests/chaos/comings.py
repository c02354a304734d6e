"""Subscriptions that come and go, are paused and resumed, while the pages change."""

import asyncio
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from math import ceil
from random import Random
from time import time

from aiohttp import ClientError
from aiokafka import ConsumerRecord

from schemas.codec import wire
from schemas.records.changes import DocumentChanged
from tests.harness.hooks import Hook, Hooks
from tests.harness.lives import Life, Turn
from tests.harness.load import MARK, Watcher
from tests.harness.pages import Page
from tests.harness.rest import Rest

AT_ONCE = 12
"""Subscriptions that there are at a time."""
STAYS_S, PAUSED_S, BETWEEN_S = (0.5, 8.0), (0.2, 6.0), 0.5
"""Seconds for which one is left as it is or paused, at least and at most, and between repeats."""
NAMES = "", "in stock"
QUIET_S = 10.0
"""Seconds without a POST after which no more is expected."""
DECIDED = 200

Seen = dict[tuple[str, int], int]
"""When (epoch ms) a worker saw each version of a page, by its URL."""


@dataclass(frozen=True, slots=True)
class Coming:
    """A subscription of a page that comes and goes."""

    page: Page
    hook: Hook
    life: Life = field(default_factory=Life)
    name: str = ""

    @property
    def notified(self) -> set[int]:
        """The versions that it was notified of; another one of the receiver has another name."""
        own = Hook(self.hook.url)
        own.posts += [post for post in self.hook.posts if post.body.get("name", "") == self.name]
        return set(Watcher(self.page, own, "*").notified())


class Comings:
    """All of them. Each asks by a key until it is answered, as a client does."""

    def __init__(self, random: Random, pages: list[Page], hooks: Hooks) -> None:
        self._random = random
        self._pages = pages
        self._hooks = hooks
        self._all: list[Coming] = []

    async def come_and_go(self, rest: Rest, seconds: float) -> None:
        """Let one come after another for so long; all have gone in the end."""
        end = time() + seconds

        async def one_after_another() -> None:
            while time() < end:
                await self._live(rest)

        async with asyncio.TaskGroup() as group:
            for _ in range(AT_ONCE):
                group.create_task(one_after_another())

    async def rest(self) -> None:
        """Wait until none is notified any more."""
        known = -1
        while known != (known := sum(len(each.hook.posts) for each in self._all)):  # noqa: ASYNC110 - what comes last has no event
            await asyncio.sleep(QUIET_S)

    def due(self, seen: Seen) -> int:
        """Count what they had to be notified of."""
        return sum(1 for _ in self._due(seen))

    def lost(self, seen: Seen) -> list[str]:
        """Return what they had to be notified of, and were not."""
        return [
            f"{each.page.url} {each.hook.url}: {version} seen at {at}, {each.life.turns}"
            for each, version, at in self._due(seen)
            if version not in each.notified
        ]

    def untimely(self, seen: Seen) -> list[str]:
        """Return what they were notified of, and was seen while they were not there, or paused."""
        return [
            f"untimely: {each.page.url} {each.hook.url}: {version} seen at {at}, {each.life.turns}"
            for each in self._all
            for version in sorted(each.notified)
            if not each.life.may(at := seen[each.page.url, version])
        ]

    def _due(self, seen: Seen) -> Iterator[tuple[Coming, int, int]]:
        for each in self._all:
            for (url, version), at in seen.items():
                if url == each.page.url and each.life.must(at):
                    yield each, version, at

    async def _live(self, rest: Rest) -> None:
        page, hook = self._random.choice(self._pages), self._hooks.add()
        names = NAMES[: self._random.randint(1, len(NAMES))]
        several = [Coming(page, hook, name=name) for name in names]
        self._all += several
        await asyncio.gather(*(self._live_one(rest, each) for each in several))

    async def _live_one(self, rest: Rest, one: Coming) -> None:
        await self._ask(rest, one, "subscribe", keywords=["*"], interval=1)
        for _ in range(self._random.randrange(4)):
            await asyncio.sleep(self._random.uniform(*STAYS_S))
            await self._ask(rest, one, "pause")
            await asyncio.sleep(self._random.uniform(*PAUSED_S))
            await self._ask(rest, one, "resume")
        await asyncio.sleep(self._random.uniform(*STAYS_S))
        await self._ask(rest, one, "cancel")

    async def _ask(self, rest: Rest, one: Coming, what: str, **more: object) -> None:
        who = {"documentUrl": one.page.url, "clientUrl": one.hook.url, "name": one.name}
        body = {**who, **more}
        key = f"{one.hook.url} {len(one.life.turns)}"
        # The millisecond of the request may be that of a visit.
        asked, status = int(time() * 1000) - 1, 0
        while status != DECIDED:
            with suppress(ClientError, TimeoutError):
                status = (await rest.call(f"/{what}", body, key)).status
            if status != DECIDED:
                await asyncio.sleep(BETWEEN_S)
        is_on = what in ("subscribe", "resume")
        one.life.turns.append(Turn(is_on, asked, ceil(time() * 1000)))


def seen_versions(changes: Iterable[ConsumerRecord]) -> Seen:
    """Return when each version of a page was seen, as the facts of ``changes`` say."""
    found: Seen = {}
    for message in changes:
        with suppress(wire.Undecodable):  # strangers write to it, too
            fact = wire.decode(message.value, DocumentChanged)
            for region in fact.regions:
                mark = MARK.search(region.added.text) if region.added else None
                if mark:
                    found[fact.url, int(mark[1])] = fact.at
    return found
