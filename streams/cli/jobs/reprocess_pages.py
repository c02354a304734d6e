"""Which pages ``vokter reprocess`` has read again, and in which views."""

from collections.abc import AsyncIterator
from dataclasses import dataclass
from uuid import uuid4

from schemas.records.pages import is_pages
from schemas.records.reprocessing import MAX_SUBSCRIPTIONS, Reprocess
from schemas.records.subscriptions import Options
from schemas.records.urls import canonical
from schemas.records.views import View, WatchedView
from streams.agents.history.reprocess_effects import KeptPages
from streams.effects.clock import now
from streams.values.views import view_of, watched_view

PAGES_AT_ONCE = 500


class NothingKept(Exception):
    """Nothing can be read again; the text says what, and why."""


@dataclass(frozen=True, slots=True)
class AskedPages:
    """Which pages to read again: those of a ``url``, or all, as far back as ``since`` seconds."""

    url: str | None
    options: Options
    manager: str
    since: int | None
    replace: bool

    @property
    def has_view(self) -> bool:
        """Whether another view is tried."""
        return view_of(self.options, self.manager) != View()


async def commands_for(pages: KeptPages, asked: AskedPages) -> AsyncIterator[Reprocess]:
    """Yield a command for each page in each of its views, or in the one that is tried.

    Raises NothingKept if there is none.
    """
    run, since = uuid4().hex, 0
    if asked.since is not None:
        since = max(0, now() - 1000 * asked.since)
    is_empty = True
    async for url, view, watched in _tried(pages, asked) if asked.has_view else _own(pages, asked):
        is_empty = False
        yield Reprocess(run, url, view, watched, since, asked.replace)
    if is_empty:
        which = "no page is watched" if asked.url is None else f"nobody watches {asked.url}"
        raise NothingKept(f"Nothing to read again: {which}.")


async def _own(pages: KeptPages, asked: AskedPages) -> AsyncIterator[tuple[str, str, WatchedView]]:
    async for url, view in _watched(pages, asked):
        for subscription in await pages.subscribers(url, view, 1):
            yield url, view, watched_view(subscription.options, subscription.manager)


async def _watched(pages: KeptPages, asked: AskedPages) -> AsyncIterator[tuple[str, str]]:
    if asked.url is not None:
        url = _canonical(asked)
        found = await pages.subscribers(url, None, MAX_SUBSCRIPTIONS)
        for view in dict.fromkeys(each.view_id for each in found):
            yield url, view
        return
    after = ("", "")
    while several := await pages.pages(after, PAGES_AT_ONCE):
        for url, view in several:
            if not is_pages(url):  # it is for several pages
                yield url, view
        after = several[-1]


async def _tried(
    pages: KeptPages, asked: AskedPages
) -> AsyncIterator[tuple[str, str, WatchedView]]:
    """Yield the view that is tried, with the first of the manager's that requests a page alike."""
    url, tried = _canonical(asked), watched_view(asked.options, asked.manager)
    found = await pages.subscribers(url, None, MAX_SUBSCRIPTIONS)
    for each in found:
        own = watched_view(each.options, each.manager)
        if each.manager == asked.manager and own.view.request == tried.view.request:
            yield url, own.id, tried
            return
    if found:
        raise NothingKept(
            f"Nothing to read again: {asked.manager} has no subscription of {asked.url} that "
            "requests the page as this view does."
        )


def _canonical(asked: AskedPages) -> str:
    return canonical(asked.url or "") or ""
