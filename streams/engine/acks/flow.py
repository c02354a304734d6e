"""The way of an event into an agent: taken from the consumer, and handed to the runner.

No message may be lost without a trace, so offsets that are missing are checked.
"""

import asyncio
from collections.abc import Mapping
from typing import Any

import structlog
from aiokafka import TopicPartition

from connectors.kafka_patches.batches import UnreadableBatch
from connectors.registry.codec import Codec
from streams.engine.acks.acknowledgements import Acknowledgements, Ledgers
from streams.engine.acks.decoding import decoded
from streams.engine.acks.ledger import Ledger
from streams.engine.acks.poison_messages import ALONE_AFTER, CAREFUL_MAX_IN_FLIGHT
from streams.engine.acks.process_agents import Commit, ProcessAgents
from streams.engine.acks.runner import Runner, TakenEvent, by_partition
from streams.engine.life.loop_watch import end_process
from streams.values.outcome import Event

log = structlog.get_logger()


class Flow:
    """Takes messages while the agent is open, each once in an assignment.

    The calls of one assignment: ``load``, ``Acknowledgements.open``, then ``take`` of each
    message, ``close``.
    """

    def __init__(
        self,
        acks: Acknowledgements,
        codec: Codec,
        runner: Runner,
        process: ProcessAgents,
        commit: Commit,
    ) -> None:
        """``process`` has the acknowledgements of all its agents; ``codec`` is started."""
        self._acks = acks
        self._capacity = acks.capacity
        self._log_reader = acks.log_reader
        self._codec = codec
        self._runner = runner
        self._process = process
        self._commit = commit

    async def load(self, committed: Mapping[TopicPartition, int]) -> None:
        """Let the runner load the input partitions of a new assignment."""
        ends = await self._acks.log_ends(committed)
        done, coming = (by_partition(each, self._acks.topic) for each in (committed, ends))
        await self._runner.load(done, coming)
        # After the load, which may take long: what has come meanwhile is then waited for, too.
        await self._acks.load_first(committed)

    async def close(self, drain_s: float) -> None:
        """Take nothing new, let what is at work finish for ``drain_s``, cancel the rest."""
        self._capacity.close()
        if self._capacity.in_flight:
            in_flight = self._capacity.in_flight
            log.info("finishing the events in hand", count=in_flight, at_most_s=drain_s)
        try:
            async with asyncio.timeout(drain_s):
                await self._capacity.empty()
        except TimeoutError:
            log.warning("unfinished events will be read again", count=self._capacity.in_flight)
        self._runner.stop()
        self._capacity.clear()
        self._acks.poison_messages.let_go()

    async def take(self, message: Any) -> None:
        """Accept one message of the consumer; waits while there is no capacity.

        A message that was taken before in this assignment is passed over: Faust seeks back
        more often than it needs to. An error ends the process.
        """
        async with self._process.ending(self._acks, f"{message.topic} could not be read on"):
            value = message.value
            if not isinstance(value, UnreadableBatch) and not self._codec.knows(value):
                await self._codec.learn(value, self._acks.signal)
            ledgers = self._acks.ledgers
            tp = TopicPartition(message.topic, message.partition)
            ledger = ledgers.get(tp)
            await self._acks.membership.may_work()
            await self._capacity.space()
            if ledger is None or not self._capacity.is_open:
                return
            ledger = await self._checked(tp, message.offset, ledger)
            ends = self._acks.poison_messages.ends(tp, message.offset)
            if ends or self._acks.poison_messages.is_careful(tp):
                await self._take_with_care(message, ends, ledger, ledgers)
                return
            event = await self._decoded(message)
            await self._process.turn(self._acks)
            if self._acks.is_current(ledgers) and ledger.take(message.offset):
                self._submit(event, ledger)

    async def _take_with_care(
        self, message: Any, ends: int, ledger: Ledger, ledgers: Ledgers
    ) -> None:
        """Commit that an event is in hand before it is handled; handle a suspect alone."""
        if ends != ALONE_AFTER:
            await self._capacity.space(CAREFUL_MAX_IN_FLIGHT)
            await self._take_committed(message, ends, ledger, ledgers)
            return
        await self._capacity.space(1)
        async with self._process.alone(self._acks):
            event = await self._take_committed(message, ends, ledger, ledgers)
            if event is not None:
                # While it waits for its store it ends no process, and others may go on.
                await self._capacity.space(1, unless=lambda: self._acks.is_retried(event))
                # At once: an end in the second before the next commit would count it in hand.
                await self._commit()

    async def _take_committed(
        self, message: Any, ends: int, ledger: Ledger, ledgers: Ledgers
    ) -> Event | None:
        """Commit that an event is in hand, then submit it, unless the assignment ends meanwhile."""
        if not self._acks.is_current(ledgers) or not ledger.take(message.offset):
            return None
        # What could not be committed is not handled, and read again in the next assignment.
        if not await self._commit():
            return None
        event = await self._decoded(message, ends)
        await self._process.turn(self._acks)
        if not self._acks.is_current(ledgers):
            return None
        self._submit(event, ledger)
        return event

    async def _checked(self, tp: TopicPartition, offset: int, ledger: Ledger) -> Ledger:
        """Return a message's ledger once it is sure that no message before it is missing."""
        # Messages below the committed offset are either old ones again, or a shortened log's.
        if offset < ledger.begin:
            ledger = await self._looked_back(tp, offset, ledger)
        if self._capacity.is_open and ledger.is_beyond(offset):
            await self._pass_gap(tp, offset, ledger.expected or 0)
        return ledger

    async def _looked_back(self, tp: TopicPartition, offset: int, ledger: Ledger) -> Ledger:
        """Return a new ledger if the log ends before what was done, as after a power loss.

        The consumer reads all of the log again then. New messages have the offsets of lost
        ones, so what was done before says nothing about these.
        """
        ledger.begin = 0  # one look is enough
        _, end = await self._log_reader.bounds(tp.topic, tp.partition)
        if end >= (ledger.expected or 0):
            return ledger
        where = {"topic": tp.topic, "partition": tp.partition}
        log.error("the log ends before what was read", **where, end=end, read=ledger.expected)
        if self._acks.ledgers.get(tp) is not ledger:
            return ledger
        self._acks.poison_messages.forget(tp)
        self._acks.ledgers[tp] = Ledger(offset)
        return self._acks.ledgers[tp]

    async def _pass_gap(self, tp: TopicPartition, offset: int, expected: int) -> None:
        """Return if the offsets before a message have no messages any more, else end the process.

        Compaction, retention and transactions leave such gaps. Any other gap is messages that
        the consumer skipped, and that would count as done once this one is.
        """
        # The broker is asked: what the consumer believes is what may be wrong.
        first = await self._log_reader.first_from(tp.topic, tp.partition, expected)
        if first != offset:
            where = f"{tp.topic}/{tp.partition}"
            end_process(f"{where}: offset {first} was skipped, {offset} came instead")
        begin, _ = await self._log_reader.bounds(tp.topic, tp.partition)
        if begin > expected:
            lost = {"topic": tp.topic, "partition": tp.partition, "begin": expected}
            log.error("messages were deleted before they were read", **lost, end=first)

    async def _decoded(self, message: Any, ends: int = 0) -> Event:
        return await decoded(message, self._acks.topics[message.topic], self._codec, ends)

    def _submit(self, event: Event, ledger: Ledger) -> None:
        taken = TakenEvent(event, ledger)
        self._capacity.enter(taken.size)
        self._runner.submit(taken)
