"""Words on all pages that a manager watches: two managers, and a worker that is killed."""

import asyncio
from collections.abc import Callable, Iterator, Sequence
from contextlib import AsyncExitStack
from pathlib import Path
from signal import SIGKILL
from typing import Any

import pytest

from infra.broker import LocalBroker
from schemas.records.percolations import Percolate
from schemas.records.subscriptions import Options
from schemas.records.topics import NOTIFICATIONS, PERCOLATIONS
from tests.broker.test_library import Desk
from tests.harness.facts import reading
from tests.harness.pages import Page, Pages
from tests.harness.processes import ON_THE_WAY, Deployment
from tests.harness.rest import client
from tests.harness.waiting import until
from vokter import Session

ROUNDS = (1, 2, 3)


@pytest.fixture
def apart(broker: LocalBroker, tmp_path: Path) -> Iterator[Deployment]:
    with Deployment(broker.bootstrap, tmp_path, is_kept=True) as deployment:
        deployment.start(*(agent for agent in ON_THE_WAY if agent != "match"), "api")
        deployment.start("match", "percolate", "judge", "crawl", is_apart=True)
        yield deployment


async def test_each_manager_hears_of_its_own_pages(shared: Deployment, pages: Pages) -> None:
    await _hears(shared, pages, ROUNDS[:1])


@pytest.mark.slow  # tests/agents/percolate has its crashes
async def test_each_manager_hears_of_its_own_pages_though_percolate_is_killed(
    apart: Deployment, pages: Pages
) -> None:
    await _hears(apart, pages, ROUNDS)


async def _hears(deployment: Deployment, pages: Pages, rounds: Sequence[int]) -> None:
    """Change a page of each of two managers; percolate is killed in each round but the first."""
    async with AsyncExitStack() as stack:
        rest = await stack.enter_async_context(client(deployment.settings.port))
        await rest.ready()
        seen = await stack.enter_async_context(reading(deployment.settings, NOTIFICATIONS))
        sent = await stack.enter_async_context(reading(deployment.settings, PERCOLATIONS))
        desks = [Desk(deployment, name) for name in ("anna", "bert")]
        own = [pages.add("<p>the giant sleeps") for _ in desks]
        for desk, page in zip(desks, own, strict=True):
            await stack.enter_async_context(desk.manager)
            await _watch(desk, page)
        for number in rounds:
            if number > 1:
                await asyncio.to_thread(deployment["percolate"].send, SIGKILL)
            for page in own:
                page.text = f"<p>the giant sleeps<p>Zeus came {number} times"
            await _reaches(number * len(own), lambda: len(_changes(sent.facts)))
            if number > 1:
                deployment["percolate"].start()
            await _reaches(number * len(own), lambda: len({fact.id for fact in seen.facts}))

        for desk, page in zip(desks, own, strict=True):
            await _reaches(len(rounds), lambda: len(desk.notified))  # noqa: B023 - awaited here
            theirs = [fact for fact in seen.facts if fact.manager == desk.manager.name]
            assert len({fact.id for fact in theirs}) == len(rounds), "each change has one id"
            assert {fact.url for fact in theirs} == {page.url}
            assert {fact.pages for fact in theirs} == {"pages:*"}
            for url, session in (("pages:*", "all"), (page.url, "page")):
                await desk.manager.cancel(url, Session(session))


async def _watch(desk: Desk, page: Page) -> None:
    words = ["zeus", '"hundred eyes"']
    await desk.manager.add("pages:*", Session("all"), words, Options(ignore_case=True))
    await desk.manager.add(page.url, Session("page"), ["never-said"], Options(interval=1))
    await page.stored()


async def _reaches(wanted: int, count: Callable[[], int]) -> None:
    await until(lambda: count() >= wanted, f"{wanted} are there")


def _changes(facts: list[Any]) -> set[str]:
    return {fact.change.id for fact in facts if isinstance(fact, Percolate)}
