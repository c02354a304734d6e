"""Further subscriptions of a run: with patience, with hours, and of a site that is crawled."""

import asyncio
import json
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from math import inf
from random import Random

from aiohttp import ClientError, web

from tests.chaos.audit import missing
from tests.chaos.receivers import Sorting
from tests.harness.hooks import Hook, Hooks
from tests.harness.load import Watcher, passage, text
from tests.harness.pages import Page, Pages
from tests.harness.rest import Rest
from tests.harness.waiting import eventually, until

OF_EACH = 6
"""Pages, or subscriptions, of each kind."""
LOOK_S, FOREVER = 0.5, inf
OPENS_AT = 0.6
"""Share of the run after which the hours begin; a minute more, as hours have whole minutes."""
UNLINKED = 1.0, 6.0
"""Seconds for which a page is not covered."""


@dataclass(frozen=True, slots=True)
class Patient(Watcher):
    """Wants what two visits have found. Of three versions, one comes, one goes, and one stays."""

    def expected(self, versions: int) -> set[int]:
        return {version for version in range(2, versions + 1) if version % 3 == 1}

    def diffs(self, version: int) -> list[tuple[str, str, str]]:
        return [("removed", "*", passage(version - 3)), ("added", "*", passage(version))]


@dataclass(frozen=True, slots=True)
class Crawling(Watcher):
    """Is notified of a page that the crawl of another document covers."""

    document: str = ""

    @property
    def url(self) -> str:
        return self.document


def patient_text(version: int) -> str:
    """Return a version: the second of three has a sentence more, which the third has no more."""
    stays = text(version - (version - 1) % 3)
    return f"{stays}<p>Nobody may hear of blink{version}.</p>" if version % 3 == 2 else stays


@dataclass
class Unfolding(Hook):
    """Sorts what came together, after its hours began, into single notifications."""

    def answer(self, headers: Mapping[str, str], raw: bytes) -> web.Response:
        answered = super().answer(headers, raw)
        post = self.posts.pop()
        several = post.body.get("notifications", [{"id": post.id, **post.body}])
        for each in several:
            named = {"webhook-id": each.pop("id")}
            self.posts.append(replace(post, headers=named, raw=json.dumps(each).encode()))
        return answered


@dataclass
class CrawledSite:
    """A page with links that appear and vanish, to pages that change while they are linked."""

    hub: Page
    pages: list[Page]
    linked: set[str] = field(default_factory=set)

    def link(self, page: Page, *, is_linked: bool) -> None:
        """Let the link of a page appear or vanish with the next version of the hub."""
        (self.linked.add if is_linked else self.linked.discard)(page.url)
        links = "".join(f'<a href="{url}">A page.</a> ' for url in sorted(self.linked))
        self.hub.upcoming.append(f"<p>All pages:</p><p>{links}</p>")


class Further:
    """All of these subscriptions; their pages change as soon as that can be told apart."""

    def __init__(self, random: Random, pages: Pages, hooks: Hooks, added: list[Page]) -> None:
        """``added`` are pages of the run, of which some are watched at hours."""
        self._random = random
        self._patient = [Patient(pages.add(text(1)), hooks.add(), "*") for _ in range(OF_EACH)]
        self._held = [Watcher(page, hooks.add(Unfolding), "*") for page in added[:OF_EACH]]
        hub = pages.add("<p>All pages:</p>")
        self._site = CrawledSite(hub, [pages.add(text(1)) for _ in range(OF_EACH)])
        sorting = hooks.add(Sorting)
        assert isinstance(sorting, Sorting)
        self._of_site = sorting
        self._crawl = ""
        self._crawling = [
            Crawling(page, sorting.part(page.url), "odd", hub.url) for page in self._site.pages
        ]

    @property
    def watchers(self) -> list[Watcher]:
        """What they must be notified of."""
        return [*self._patient, *self._held, *self._crawling]

    @property
    def pages(self) -> list[Page]:
        """The pages that nobody else watches, unless a subscription is for all pages."""
        return [*(patient.page for patient in self._patient), self._site.hub, *self._site.pages]

    async def subscribe(self, rest: Rest, interval: int, seconds: float) -> None:
        """Subscribe all of them; ``seconds`` is how long things will go wrong."""
        for each in self._patient:
            await rest.subscribe(
                each.page.url, each.hook.url, "*", interval=interval, patienceVisits=2
            )
        hours = opening(datetime.now(UTC) + timedelta(seconds=seconds * OPENS_AT))
        for held in self._held:
            await rest.subscribe(held.page.url, held.hook.url, "*", interval=interval, hours=hours)
        crawl = {"depth": 1, "keepMirrors": True}
        hub, hook = self._site.hub.url, self._of_site.url
        self._crawl = await rest.subscribe(
            hub, hook, "odd", interval=interval, ignoreRemoved=True, crawl=crawl
        )

    async def plant(self, rest: Rest, seconds: float) -> None:
        """Change the pages for so long, each when the last change has arrived."""
        end = asyncio.get_running_loop().time() + seconds

        def is_over() -> bool:
            return asyncio.get_running_loop().time() > end

        async with asyncio.TaskGroup() as group:
            for patient in self._patient:
                group.create_task(_change(patient, patient_text, 3, is_over))
            for crawling in self._crawling:
                group.create_task(self._change_linked(rest, crawling, is_over))

    async def _change_linked(
        self, rest: Rest, watcher: Watcher, is_over: Callable[[], bool]
    ) -> None:
        """Change a page while it is covered: what changes before its first visit is no news."""
        page = watcher.page
        while not is_over():
            self._site.link(page, is_linked=True)
            await self._lists(rest, page, "watched", is_over)
            seen = len(page.requests)
            await until(lambda: len(page.requests) > seen or is_over(), "it is visited", FOREVER)  # noqa: B023 - awaited here
            if is_over() or not await _change_once(watcher, text, 2, is_over):
                return  # it stays linked, until the end
            self._site.link(page, is_linked=False)
            await self._lists(rest, page, "removed", is_over)
            await asyncio.sleep(self._random.uniform(*UNLINKED))

    async def _lists(self, rest: Rest, page: Page, state: str, is_over: Callable[[], bool]) -> None:
        """Wait until a page is listed as that; the API may be away, and what it lists late."""

        async def is_listed() -> bool:
            with suppress(ClientError, TimeoutError):
                found = await rest.get(f"/subscriptions/{self._crawl}/pages", url=page.url)
                return is_over() or found.body.get("state") == state
            return is_over()

        await eventually(is_listed, f"the page is {state}", pause=LOOK_S, timeout_s=FOREVER)


def opening(at: datetime) -> str:
    """Return the hours that begin with the first whole minute after a time, for half a day.

    >>> opening(datetime(2026, 1, 1, 17, 30, 20, tzinfo=UTC))
    '17:31-05:31'
    """
    begin = at.replace(second=0) + timedelta(minutes=1)
    return f"{begin:%H:%M}-{begin + timedelta(hours=12):%H:%M}"


async def _change(
    watcher: Watcher, version: Callable[[int], str], several: int, is_over: Callable[[], bool]
) -> None:
    while await _change_once(watcher, version, several, is_over):
        pass


async def _change_once(
    watcher: Watcher, version: Callable[[int], str], several: int, is_over: Callable[[], bool]
) -> bool:
    """Plant several versions; return whether all of them have arrived in time."""
    page = watcher.page
    for _ in range(several):
        page.upcoming.append(version(page.planned + 1))

    async def has_ended() -> bool:
        return is_over() or not (page.upcoming or missing(watcher))

    await eventually(has_ended, "its change arrives", pause=LOOK_S, timeout_s=FOREVER)
    return not is_over()
