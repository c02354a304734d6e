"""Try how a view sees a page: one visit that leaves nothing in the store."""

import asyncio
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass, replace
from math import ceil
from typing import Any

from cachetools import TTLCache

from schemas.records.answers import GetPage, PageQuery, Response, status_failure
from schemas.records.changes import Region
from schemas.records.previews import CopiedPage, PickedPart, Preview, PreviewQuery, SeenPage
from schemas.records.subscriptions import Subscription
from schemas.records.urls import host, hostname
from schemas.records.views import Selector
from streams.agents.fetch.login_pages import is_redirected_to_login, redirect_reason
from streams.agents.history.try_reading import TrialReader, seen_page
from streams.values.views import view_of

MAX_PAUSE_S = 10.0
"""A host that wants to be left alone for longer is not waited for."""
MAX_HOSTS = 1_000
"""Hosts of which the last visit is remembered."""
MAX_CACHED = 32_000_000
"""Bytes of the pages that previews are made from again."""
CACHED_S = 120.0
"""Seconds for which a page is cached while somebody chooses what of it to watch."""

_Fetched = tuple[Response, SeenPage]
_Key = tuple[str, PageQuery]


@dataclass(frozen=True, slots=True)
class PreviewReader:
    """Reads a page, copies it for people to see, and finds selectors for what they pick.

    ``copy`` gets a body with its Content-Type header, the id of the copy that is known, and the
    selectors that are chosen; ``pick`` the number of an element instead.
    """

    trial: TrialReader
    copy: Callable[[bytes, str | None, str, Iterable[Selector]], CopiedPage]
    pick: Callable[[bytes, str | None, int], PickedPart | None]


@dataclass(frozen=True, slots=True)
class TrialEffects:
    """Effects of a trial.

    ``get`` requests a page as a view asks for it, ``call`` calls a function with
    arguments in a process that may be killed; each raises one of ``failures`` if the page
    cannot be read. ``reader`` is what reads in that process. ``pause`` returns the
    seconds for which a host (``host[:port]``) is left alone after a visit, ``clock`` seconds.
    """

    get: GetPage
    call: Callable[[Callable[..., Any], Any], Awaitable[tuple[Any, float]]]
    reader: PreviewReader
    failures: tuple[type[Exception], ...]
    pause: Callable[[str], float]
    clock: Callable[[], float]


class Trials:
    """Tries pages, those of one host at the pace that it wants."""

    def __init__(self, effects: TrialEffects) -> None:
        self._effects = effects
        self._next: OrderedDict[str, float] = OrderedDict()
        self._preparing: asyncio.Task[None] | None = None
        self._cached: TTLCache[_Key, _Fetched] = TTLCache(
            MAX_CACHED, CACHED_S, timer=effects.clock, getsizeof=lambda each: len(each[0].body)
        )

    def prepare(self) -> None:
        """Start a process that reads, if there is none; the first page waits for it otherwise."""
        if self._preparing is None or self._preparing.done():
            self._preparing = asyncio.create_task(self._prepared())

    async def _prepared(self) -> None:
        with suppress(*self._effects.failures):
            await self._effects.call(no_page, ())

    async def close(self) -> None:
        """Wait for what ``prepare`` began."""
        if self._preparing is not None:
            await self._preparing

    async def look(self, asked: Subscription) -> SeenPage:
        """Fetch and read a page as a subscription wants it; a failure is its ``reason``."""
        response, seen = await self._fetched(asked)
        if seen.reason:
            return seen
        try:
            arguments = self._effects.reader.trial, asked, response, seen
            page: SeenPage
            page, _ = await self._effects.call(seen_page, arguments)
        except self._effects.failures as error:
            page = replace(seen, reason=str(error))
        return page

    async def preview(self, asked: Subscription, query: PreviewQuery) -> Preview:
        """Do the same and copy the page; one that is known is not fetched again for a while."""
        response, seen = await self._fetched(asked, may_be_cached=bool(query.known))
        if seen.reason:
            return Preview(seen)
        try:
            arguments = self._effects.reader, asked, query, response, seen
            preview: Preview
            preview, _ = await self._effects.call(previewed_page, arguments)
        except self._effects.failures as error:
            preview = Preview(replace(seen, reason=str(error)))
        return preview

    async def _fetched(self, asked: Subscription, *, may_be_cached: bool = False) -> _Fetched:
        """Return the response of a page, and what is known of it; perhaps why it is not read."""
        view, url = view_of(asked.options, asked.manager), asked.url
        query = PageQuery(url, statuses=view.on_status, request=view.request)
        key = asked.manager, query
        if may_be_cached and (cached := self._cached.get(key)) is not None:
            return cached
        # A visit that is made is noted before others wait for the host.
        now = self._effects.clock()
        seconds = max(0.0, self._next.get(hostname(url), now) - now)
        if seconds <= MAX_PAUSE_S:
            self._leave_alone(url, since=now + seconds)
        else:
            reason = f"its host wants to be left alone for {seconds:.0f} s; try again after that"
            return Response(0), SeenPage(url=url, reason=reason)
        await asyncio.sleep(seconds)
        try:
            response, seen = await self._visited(query)
        except self._effects.failures as error:
            return Response(0), SeenPage(url=url, reason=str(error))
        if not seen.reason and len(response.body) <= MAX_CACHED:
            self._cached[key] = response, seen
        return response, seen

    async def differences(self, before: str, after: str) -> tuple[Region, ...]:
        """Compare two texts that were read earlier; raises one of ``failures`` if it is too hard.

        With the blocks that moved.
        """
        found: tuple[Region, ...]
        found, _ = await self._effects.call(_compare, (before, after))
        return found

    async def _visited(self, query: PageQuery) -> _Fetched:
        clock = self._effects.clock
        begun = clock()
        try:
            response = await self._effects.get(query)
        finally:  # only now its robots.txt is known
            self._leave_alone(query.url, since=clock())
        seen = SeenPage(
            status=response.status,
            url=response.url,
            content_type=response.content_type or "",
            bytes=len(response.body),
            fetch_ms=ceil(1000 * (clock() - begun)),
        )
        if reason := status_failure(response.status, query.statuses):
            return response, replace(seen, reason=reason)
        is_private = bool(query.request.credentials)
        if is_private and is_redirected_to_login(query.url, response.url):
            return response, replace(seen, reason=redirect_reason(response.url))
        return response, seen

    def _leave_alone(self, url: str, *, since: float) -> None:
        """Let the next visit of a host come after its pause, and after those that wait for it.

        All ports of a host share it: they are not scanned any faster.
        """
        name, due = hostname(url), since + self._effects.pause(host(url))
        self._next[name] = max(due, self._next.pop(name, due))
        if len(self._next) > MAX_HOSTS:
            self._next.popitem(last=False)


def _compare(before: str, after: str) -> tuple[Region, ...]:
    # Only the processes that read need these modules.
    from streams.diff.moved_blocks import compared_regions  # noqa: PLC0415

    return compared_regions(before, after)


def no_page() -> None:
    """Do nothing, in a process that reads."""


def previewed_page(
    reader: PreviewReader,
    asked: Subscription,
    query: PreviewQuery,
    response: Response,
    fetched: SeenPage,
) -> Preview:
    """Read a page and copy it; with an element that is picked, as if that were chosen.

    An element of another copy is not picked: its number may be that of anything.
    """
    body, header = response.body, response.content_type
    page = reader.copy(body, header, query.known, asked.options.view.select)
    others = query.others
    if query.picked is not None and query.known == page.copy_id:
        part = reader.pick(body, header, query.picked)
        if part is not None and part.selectors:
            chosen = (part.quote if query.by_quote else None) or part.selectors[0]
            view = replace(asked.options.view, select=(chosen,))
            asked = replace(asked, options=replace(asked.options, view=view))
            others = tuple(each for each in part.selectors if each != chosen)
            found = (query.picked,) if chosen.css is None else part.found
            page = replace(page, picked=part, found=found)
    return Preview(seen_page(reader.trial, asked, response, fetched, others), page)
