"""Another tenant of the soak, who attacks all the time, and a page that must not be late for it."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from itertools import cycle

from aiohttp import ClientError

from bench.crowded import PAGES, Visited
from tests.chaos.strangers import Strangers
from tests.harness.hooks import Hooks
from tests.harness.load import Watcher
from tests.harness.rest import Rest
from tests.harness.web import served

MANAGER = "attacker"
CRAWLED_S, CROWDED_S, OPEN_S, BETWEEN_S = 40.0, 60.0, 20.0, 10.0
"""Seconds of an endless crawl, of very many pages, of an open transaction, and between them."""
MALFORMED = (b"{", b"[" * 5_000, b'{"documentUrl": 1}', b"\xff\xfe", b'{"keywords": ["*"]}')
MALFORMED_EACH_S = 0.1
HOST_DELAY_S = 1.0
"""The default of VOKTER_HOST_DELAY, at which a host cannot serve all of those pages."""
LATE_S = 3.0
"""The page of the other tenant may be so late."""


async def lateness(
    rest: Rest, strangers: Strangers, watchers: Sequence[Watcher], hooks: Hooks, seconds: float
) -> float:
    """Attack for so long; return how late (s) a page that is due each second was, at most.

    A transaction that cancels the ``watchers`` is left open, and aborted.
    """
    visited = Visited()
    async with served(visited.answer) as (own,):
        await rest.subscribe(f"{own}/", hooks.add().url, "*")
        await strangers.replace_large_page()
        async with asyncio.TaskGroup() as group:
            attacks = [
                group.create_task(each)
                for each in (
                    _malformed(rest),
                    _again(lambda: strangers.crawl_endless_site(CRAWLED_S)),
                    _again(lambda: strangers.watch_crowd(CROWDED_S, PAGES)),
                    _again(lambda: strangers.abort_cancels(watchers, OPEN_S)),
                )
            ]
            gap = await visited.longest_gap(seconds)
            for each in attacks:
                each.cancel()
    return gap - 1.0


async def _again(attack: Callable[[], Awaitable[None]]) -> None:
    while True:
        await attack()
        await asyncio.sleep(BETWEEN_S)


async def _malformed(rest: Rest) -> None:
    for body in cycle(MALFORMED):
        with suppress(ClientError, TimeoutError):
            await rest.post("/subscribe", body)
        await asyncio.sleep(MALFORMED_EACH_S)
