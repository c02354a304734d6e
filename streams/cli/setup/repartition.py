"""``vokter repartition``."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace

from aiokafka import AIOKafkaConsumer
from aiokafka.errors import KafkaError

from connectors.kafka.access import Access
from connectors.kafka.admin import admin_client
from connectors.kafka.inspection import found_topics
from connectors.kafka.partitioning import partitioned, publish_partitioned
from schemas.records.claims import Partitioned
from schemas.records.topics import DEPLOYMENT
from streams.cli.output import say
from streams.effects.clock import now
from streams.effects.connections import kafka_access, started_codec
from streams.effects.topics import topic_specs
from streams.repartition.growing import check_growable
from streams.repartition.growth import NoGrowth, check_growth
from streams.repartition.repartition import repartition
from streams.repartition.stopping import await_alone
from streams.settings import Settings

ALONE_TIMEOUT_S = 20.0
"""Longer than Kafka counts a killed command as a member."""
SESSION_MS = 10_000
DAY_MS = 24 * 3600 * 1000


class UnfinishedError(Exception):
    """Partitions are half added; the text says why, and how to go on."""


async def add_partitions(settings: Settings, partitions: int, *, is_dry: bool) -> None:
    """Add partitions, or continue an addition.

    Raises NoGrowth, StillRunning, UnfinishedError and KafkaError.
    """
    access, topic = kafka_access(settings), settings.topic_prefix + DEPLOYMENT.name
    if is_dry:
        await _planned(settings, access, partitions)
        return
    async with _alone(access, settings.topic_prefix, topic):
        # Once alone: what another command has done by then counts.
        state = await _planned(settings, access, partitions)
        if state is None:
            return
        if state.is_done:
            await publish_partitioned(access, topic, state)
            say(f"Called off: the workers start again with {partitions} partitions.")
            return
        codec = await started_codec(settings)
        try:
            await repartition(access, settings.topic_prefix, codec, state, say)
        except (asyncio.CancelledError, KafkaError, OSError) as error:
            reason = "" if isinstance(error, asyncio.CancelledError) else f" ({error!r})"
            raise UnfinishedError(
                f"interrupted{reason}. All workers wait until the partitions are added: run "
                f"the same command again, 'vokter repartition {partitions}'."
            ) from error
    say(
        f"Done. The workers start again with {partitions} partitions; VOKTER_PARTITIONS is ignored."
    )


async def _planned(settings: Settings, access: Access, partitions: int) -> Partitioned | None:
    """Print and return the plan; None if there is nothing to do.

    Raises NoGrowth, and KafkaError if the brokers would refuse the plan.
    """
    topic = settings.topic_prefix + DEPLOYMENT.name
    known = await partitioned(access, topic)
    if known is not None and not known.is_done:
        return _continued(known, partitions)
    async with admin_client(access) as admin:
        if known is not None:
            former = known.partitions
        else:
            found = await found_topics(admin, [topic])
            if topic not in found:
                raise NoGrowth(
                    f"Refused: there is no topic {topic}. Is VOKTER_TOPIC_PREFIX that of the "
                    "deployment? A new deployment begins with as many partitions as "
                    "VOKTER_PARTITIONS says."
                )
            former = found[topic].partitions
        if former == partitions:
            say(f"There are {partitions} partitions already.")
            return None
        check_growth(former, partitions)
        names = [each.name for each in topic_specs(settings)]
        await check_growable(admin, names, former, partitions)
    say(f"Partitions of all topics: {former} now, {partitions} then. All workers pause for that.")
    return Partitioned(partitions, former, now())


def _continued(known: Partitioned, partitions: int) -> Partitioned:
    if partitions == known.partitions:
        say(f"Going on to add partitions: {known.former} become {partitions}.")
        return known
    if partitions == known.former and not known.committed:
        say(f"Nothing has been moved yet: it can stay at {partitions} partitions.")
        return replace(known, partitions=known.former, is_done=True)
    raise NoGrowth(
        f"Refused: {known.former} partitions are becoming {known.partitions}, and that is not "
        f"finished. Finish it first: vokter repartition {known.partitions}"
    )


@asynccontextmanager
async def _alone(access: Access, prefix: str, topic: str) -> AsyncIterator[None]:
    """Be the only such command, as the single member of a consumer group; raises NoGrowth."""
    group = f"{prefix}repartition"
    member = AIOKafkaConsumer(
        topic,
        **access.client(),
        group_id=group,
        enable_auto_commit=False,
        session_timeout_ms=SESSION_MS,
        max_poll_interval_ms=DAY_MS,  # it reads nothing
    )
    try:
        await member.start()
        async with admin_client(access) as admin:
            if not await await_alone(admin, group, ALONE_TIMEOUT_S):
                raise NoGrowth("Refused: another 'vokter repartition' runs for this deployment.")
        yield
    finally:
        await member.stop()
