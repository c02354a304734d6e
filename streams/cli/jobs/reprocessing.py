"""``vokter reprocess``: send pages to history, a few at a time, and show the results."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Iterable
from contextlib import aclosing, suppress
from dataclasses import dataclass

from aiokafka import AIOKafkaConsumer
from aiokafka.errors import KafkaError

from connectors.kafka.admin import admin_client
from connectors.kafka.groups import describe_group
from connectors.kafka.reading import tail
from connectors.kafka.writing import large_message_producer
from connectors.registry.codec import Codec
from schemas.codec.wire import Undecodable
from schemas.records.reprocessing import Reprocess, Reprocessed
from schemas.records.topics import HISTORY_REQUESTS, REPROCESSED
from streams.app import HISTORY
from streams.cli.discovery import with_broker
from streams.cli.jobs.reprocess_pages import AskedPages, commands_for
from streams.cli.jobs.reprocess_summary import ReprocessSummary, page_lines, result_json
from streams.cli.output import print_json, printable, say
from streams.cli.progress import counted
from streams.cli.setup.existing_store import check_store_exists
from streams.cli.setup.preparation import create_all_topics
from streams.effects.background import running
from streams.effects.connections import kafka_access, opened_store, started_codec
from streams.settings import Settings
from streams.values.agent import group_id

POLL_MS = 500
ASK_EVERY_S = 5.0
"""Seconds after which the group is asked for its members again."""
MAX_IN_HAND = 100
"""Pages that wait for their results at a time, so that backfills find room in each worker."""
NO_WORKER = "no worker of history runs. Start one: 'vokter worker history' or 'vokter up'."


class NoWorker(Exception):
    """Nobody reads pages again; the text says what to do."""


@dataclass(frozen=True, slots=True)
class ShownPages:
    """What is printed: also the differences of each page, or JSON alone."""

    diff: bool
    is_json: bool


async def reprocess_pages(settings: Settings, asked: AskedPages, shown: ShownPages) -> None:
    """Read pages again, and print the differences. Raises NothingKept and NoWorker."""
    settings = with_broker(settings)
    check_store_exists(settings)
    await create_all_topics(settings)
    if not await _workers(settings):
        raise NoWorker(f"Nothing was read again: {NO_WORKER}")
    summary = ReprocessSummary()
    async with opened_store(settings) as store, running(_say_without_worker(settings)):
        results = _results(settings, commands_for(store.kept, asked))
        async with aclosing(results):
            async for result in counted(results, "pages read again"):
                summary.add(result)
                if shown.is_json:
                    print_json(result_json(result))
                elif shown.diff:
                    _print(page_lines(result))
    if not shown.is_json:
        _print(summary.lines())


def _print(lines: Iterable[str]) -> None:
    for line in lines:
        print(printable(line), flush=True)


async def _say_without_worker(settings: Settings) -> None:
    """Say once that pages wait because all workers have ended."""
    has_worker = True
    while has_worker:
        await asyncio.sleep(ASK_EVERY_S)
        with suppress(KafkaError):  # the broker is asked again
            has_worker = await _workers(settings) > 0
    say(f"Pages wait: {NO_WORKER}")


async def _workers(settings: Settings) -> int:
    async with admin_client(kafka_access(settings)) as admin:
        name = group_id(settings.topic_prefix, HISTORY.name)
        return (await describe_group(admin, name)).members


class PagesInHand:
    """The pages that wait for their results, MAX_IN_HAND at most, by run, URL and view."""

    def __init__(self) -> None:
        """Begin with none."""
        self._pages: set[tuple[str, str, str]] = set()
        self._free = asyncio.Semaphore(MAX_IN_HAND)

    def __bool__(self) -> bool:
        """Whether any waits."""
        return bool(self._pages)

    async def begin(self, command: Reprocess) -> None:
        """Wait until a page may be commanded, and count it."""
        await self._free.acquire()
        self._pages.add((command.run, command.url, command.view))

    def end(self, result: Reprocessed) -> bool:
        """Return whether this is the first result of one of these pages."""
        page = result.run, result.url, result.view
        if page not in self._pages:
            return False
        self._pages.remove(page)
        self._free.release()
        return True


async def _results(
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
