"""``vokter reprocess``: commands the stage, runs a worker if there is none, shows what comes."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Iterable
from contextlib import aclosing, asynccontextmanager, suppress
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
from streams.app import REPROCESS
from streams.cli.discovery import with_broker
from streams.cli.jobs.reprocess_pages import AskedPages, commands_for
from streams.cli.jobs.reprocess_summary import ReprocessSummary, page_lines, result_json
from streams.cli.local.supervisor import SupervisedProcess, vokter_command
from streams.cli.output import print_json, printable, say
from streams.cli.progress import counted
from streams.cli.setup.existing_store import check_store_exists
from streams.cli.setup.preparation import create_all_topics
from streams.effects.connections import kafka_access, opened_store, started_codec
from streams.settings import Settings
from streams.values.topics import REPROCESSED, REPROCESSING, group_id

POLL_MS = 500
ASK_EVERY_S = 5.0
"""Seconds after which the group is asked for its members again."""


@dataclass(frozen=True, slots=True)
class ShownPages:
    """What is printed: also the differences of each page, or JSON alone."""

    diff: bool
    is_json: bool


async def reprocess_pages(settings: Settings, asked: AskedPages, shown: ShownPages) -> None:
    """Read pages again, and print the differences. Raises NothingKept."""
    settings = with_broker(settings)
    check_store_exists(settings)
    await create_all_topics(settings)
    summary = ReprocessSummary()
    async with opened_store(settings) as store:
        results = _results(settings, commands_for(store.kept, asked))
        async with aclosing(results), _worker(settings):
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


@asynccontextmanager
async def _worker(settings: Settings) -> AsyncIterator[None]:
    """Run a worker of the stage as long as this command runs, once no other one does."""
    process = SupervisedProcess(
        REPROCESS.name,
        vokter_command("worker", REPROCESS.name),
        settings.environment(),
        settings.data_dir / "logs",
        say,
    )
    running = asyncio.create_task(_run_if_alone(settings, process))
    try:
        yield
    finally:
        running.cancel()
        await process.stop()


async def _run_if_alone(settings: Settings, process: SupervisedProcess) -> None:
    # One that was killed is a member for some seconds more.
    while True:
        with suppress(KafkaError):  # the broker is asked again
            if not await _members(settings):
                break
        await asyncio.sleep(ASK_EVERY_S)
    await process.run()


async def _members(settings: Settings) -> int:
    async with admin_client(kafka_access(settings)) as admin:
        name = group_id(settings.topic_prefix, REPROCESS.name)
        return (await describe_group(admin, name)).members


async def _results(
    settings: Settings, commands: AsyncIterator[Reprocess]
) -> AsyncGenerator[Reprocessed, None]:
    """Send commands, and yield the first result of each."""
    codec, sent = await started_codec(settings), set[tuple[str, str, str]]()
    async with tail(kafka_access(settings), settings.topic_prefix + REPROCESSED.name) as consumer:
        sending = asyncio.create_task(_send(settings, codec, commands, sent))
        try:
            while not sending.done() or sent:
                if sending.done():
                    sending.result()
                for result in await _received(consumer, codec):
                    key = (result.run, result.url, result.view)
                    if key in sent:
                        sent.remove(key)
                        yield result
            sending.result()
        finally:
            sending.cancel()


async def _send(
    settings: Settings,
    codec: Codec,
    commands: AsyncIterator[Reprocess],
    sent: set[tuple[str, str, str]],
) -> None:
    topic = settings.topic_prefix + REPROCESSING.name
    async with large_message_producer(kafka_access(settings)) as producer:
        async for command in commands:
            sent.add((command.run, command.url, command.view))
            value = codec.encode(REPROCESSING.name, command)
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
