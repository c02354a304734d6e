"""The pages sent to history by ``vokter reprocess``, a few at a time, and their results."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator
from dataclasses import dataclass
from uuid import uuid4

from aiokafka import AIOKafkaConsumer

from connectors.kafka.admin import admin_client
from connectors.kafka.groups import describe_group
from connectors.kafka.reading import tail
from connectors.kafka.writing import large_message_producer
from connectors.registry.codec import Codec
from schemas.codec.wire import Undecodable
from schemas.records.pages import is_pages
from schemas.records.reprocessing import MAX_SUBSCRIPTIONS, Reprocess, Reprocessed
from schemas.records.subscriptions import Options
from schemas.records.topics import HISTORY_REQUESTS, REPROCESSED
from schemas.records.urls import canonical
from schemas.records.views import View, WatchedView
from streams.agents.history.reprocess_effects import KeptPages
from streams.app import HISTORY
from streams.effects.clock import now
from streams.effects.connections import kafka_access, started_codec
from streams.settings import Settings
from streams.values.agent import group_id
from streams.values.views import view_of, watched_view

PAGES_AT_ONCE = 500
POLL_MS = 500
MAX_IN_HAND = 100
"""Pages in wait for their results at a time, so backfills find room in each worker."""


class NothingKept(Exception):
    """Nothing can be read again; the text names the reason."""


@dataclass(frozen=True, slots=True)
class AskedPages:
    """The pages to read again: those of a ``url``, or all, as far back as ``since`` seconds."""

    url: str | None
    options: Options
    manager: str
    since: int | None
    replace: bool

    @property
    def has_view(self) -> bool:
        """Return whether another view is tried."""
        return view_of(self.options, self.manager) != View()


async def commands_for(pages: KeptPages, asked: AskedPages) -> AsyncIterator[Reprocess]:
    """Yield a command for each page in each of its views, or in the view on trial.

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
        url = canonical(asked.url) or ""
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
    """Yield the view on trial, with the manager's first view with an equal request."""
    url, tried = canonical(asked.url or "") or "", watched_view(asked.options, asked.manager)
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


class PagesInHand:
    """The pages in wait for their results, MAX_IN_HAND at most, by run, URL and view."""

    def __init__(self) -> None:
        self._pages: set[tuple[str, str, str]] = set()
        self._free = asyncio.Semaphore(MAX_IN_HAND)

    def __bool__(self) -> bool:
        """Return whether any waits."""
        return bool(self._pages)

    async def begin(self, command: Reprocess) -> None:
        """Wait for room for a page, and count the page."""
        await self._free.acquire()
        self._pages.add((command.run, command.url, command.view))

    def end(self, result: Reprocessed) -> bool:
        """Return whether this is the first result of a page in hand."""
        page = result.run, result.url, result.view
        if page not in self._pages:
            return False
        self._pages.remove(page)
        self._free.release()
        return True


async def read_again(
    settings: Settings, commands: AsyncIterator[Reprocess]
) -> AsyncGenerator[Reprocessed, None]:
    """Send commands, and yield the first result of each."""
    codec, in_hand = await started_codec(settings), PagesInHand()
    async with tail(kafka_access(settings), settings.topic_prefix + REPROCESSED.name) as consumer:
        sending = asyncio.create_task(_send(settings, codec, commands, in_hand))
        try:
            while not sending.done() or in_hand:
                if sending.done():
                    sending.result()
                for result in await _received(consumer, codec):
                    if in_hand.end(result):
                        yield result
            sending.result()
        finally:
            sending.cancel()


async def _send(
    settings: Settings, codec: Codec, commands: AsyncIterator[Reprocess], in_hand: PagesInHand
) -> None:
    topic = settings.topic_prefix + HISTORY_REQUESTS.name
    async with large_message_producer(kafka_access(settings)) as producer:
        async for command in commands:
            await in_hand.begin(command)
            value = codec.encode(HISTORY_REQUESTS.name, command)
            await producer.send_and_wait(topic, value, key=command.url.encode())


async def _received(consumer: AIOKafkaConsumer, codec: Codec) -> list[Reprocessed]:
    found = []
    for messages in (await consumer.getmany(timeout_ms=POLL_MS)).values():
        for message in messages:
            await codec.learn(message.value)
            try:
                found.append(codec.decode(message.value, Reprocessed))
            except Undecodable:  # another release's
                continue
    return found


async def count_workers(settings: Settings) -> int:
    """Return how many workers of history there are."""
    async with admin_client(kafka_access(settings)) as admin:
        name = group_id(settings.topic_prefix, HISTORY.name)
        return (await describe_group(admin, name)).members
