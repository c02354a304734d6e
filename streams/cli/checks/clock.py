"""Checks whether the ticker ticks, and how the clocks of its worker and of this machine are.

A worker of the ticker stores its progress at least once a minute. The row has the time by its
clock, the message the broker's.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from aiokafka import AIOKafkaConsumer, TopicPartition
from aiokafka.errors import TopicAuthorizationFailedError

from connectors.kafka.inspection import FoundTopic
from connectors.kafka.reading import read_batches
from schemas.codec import wire
from schemas.records.table_rows import TickedThrough
from streams.agents.ticker.agenda import THROUGH_KEY
from streams.cli.checks.finding import Finding, Level
from streams.cli.durations import shown_age
from streams.values.slots import FURTHEST_MS

WRONG_SKEW_MS, TOLERATED_SKEW_MS = 60_000, 5_000
"""From the first difference on, pages are fetched at other times; up to the second all is well."""
SILENCE_MS = 90_000
"""A worker of the ticker without a row for so long does not tick."""
ROWS = 200
"""The last rows of a partition to search for the last tick."""
SYNCHRONISE = "Synchronise the clocks of all machines (NTP)."
START = "Start a worker: vokter worker ticker"


@dataclass(frozen=True, slots=True)
class LastTick:
    """A tick of the ticker, by the clock of its worker and by the broker's (epoch ms)."""

    ticked: int
    stored: int


async def check_clock(
    consumer: AIOKafkaConsumer, changelog: str, found: FoundTopic | None, now: int
) -> list[Finding]:
    """Check the clocks by the changelog of the ticker, at a time of ours (epoch ms).

    A missing changelog is a finding of another check. Raises KafkaError.
    """
    if found is None:
        return []
    places = [TopicPartition(changelog, number) for number in range(found.partitions)]
    try:
        ends = await consumer.end_offsets(places)
        begins = await consumer.beginning_offsets(places)
        consumer.assign(places)
        spans = {each: (max(begins[each], ends[each] - ROWS), ends[each]) for each in places}
        ticks = [
            LastTick(wire.decode(row.value, TickedThrough).time - FURTHEST_MS, row.timestamp)
            async for _, messages, _ in read_batches(consumer, spans)
            for row in messages
            if row.key == THROUGH_KEY and row.value is not None
        ]
    except TopicAuthorizationFailedError:
        text = f"this user may not read {changelog}, so the ticker's cannot be looked at"
        return [Finding(Level.WARNING, "clock", text, "Give it the right to read.")]
    return list(judge_clock(now, max(ticks, key=lambda tick: tick.stored, default=None)))


def judge_clock(now: int, last: LastTick | None) -> Iterator[Finding]:
    """Judge this machine's clock (``now`` in epoch ms) and the clock of the last ticker."""
    if last is None:
        text = "the ticker has not ticked yet, so its clock cannot be compared"
        yield Finding(Level.WARNING, "clock", text, START)
        return
    if last.stored - now > TOLERATED_SKEW_MS:
        text = f"this machine's is at least {(last.stored - now) / 1000:.1f} s behind the broker's"
        yield Finding(Level.ERROR, "clock", text, SYNCHRONISE)
    if now - last.stored > SILENCE_MS:
        ago = shown_age(now - last.stored)
        text = f"the ticker, which does so each minute, stored its last tick {ago}"
        remedy = f"{START}. If one runs, this machine's clock is ahead: synchronise it (NTP)."
        yield Finding(Level.WARNING, "clock", text, remedy)
        return
    skew = abs(last.ticked - last.stored)
    text = f"the ticker worker's differs by {skew / 1000:.1f} s from the broker's"
    if skew <= TOLERATED_SKEW_MS:
        yield Finding(Level.OK, "clock", text)
    else:
        level = Level.ERROR if skew > WRONG_SKEW_MS else Level.WARNING
        yield Finding(level, "clock", text, SYNCHRONISE)
