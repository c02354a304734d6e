"""The way of an event into an agent: taken from the consumer, and handed to the runner."""

import asyncio
from collections.abc import Mapping
from typing import Any

import structlog
from aiokafka import TopicPartition

from streams.engine.acks.acknowledgements import Acknowledgements
from streams.engine.acks.assignment import Ledgers
from streams.engine.acks.decoding import EventDecoder
from streams.engine.acks.ledger import Ledger
from streams.engine.acks.poison_messages import ALONE_AFTER, CAREFUL_MAX_IN_FLIGHT
from streams.engine.acks.process_agents import Commit, ProcessAgents
from streams.engine.acks.runner import Runner, TakenEvent, by_partition
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
        decoder: EventDecoder,
        runner: Runner,
        process: ProcessAgents,
        commit: Commit,
    ) -> None:
        """``process`` has the acknowledgements of all agents of this process."""
        self._acks = acks
        self._assignment = acks.assignment
        self._capacity = acks.capacity
        self._poison_messages = acks.poison_messages
        self._decoder = decoder
        self._runner = runner
        self._process = process
        self._commit = commit

    async def load(self, committed: Mapping[TopicPartition, int]) -> None:
        """Let the runner load the input partitions of a new assignment."""
        ends = await self._assignment.log_ends(committed)
        done, coming = (by_partition(each, self._acks.topic) for each in (committed, ends))
        await self._runner.load(done, coming)
        # After the load, which may take long: what has come meanwhile is then waited for, too.
        await self._acks.first_topic.load(committed)

    async def close(self, drain_s: float) -> None:
        """Take nothing new, let what is at work finish for ``drain_s``, cancel the rest."""
        self._acks.close()
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
        self._poison_messages.let_go()

    async def take(self, message: Any) -> None:
        """Accept one message of the consumer; waits while there is no capacity.

        A message that was taken before in this assignment is passed over: Faust seeks back
        more often than it needs to. An error ends the process.
        """
        async with self._process.ending(self._acks, f"{message.topic} could not be read on"):
            await self._decoder.prepare(message.value, self._acks.signal)
            ledgers = self._assignment.ledgers
            tp = TopicPartition(message.topic, message.partition)
            ledger = ledgers.get(tp)
            await self._acks.membership.may_work()
            await self._capacity.space()
            if ledger is None or not self._capacity.is_open:
                return
            ledger = await self._assignment.checked(tp, message.offset, ledger)
            ends = self._poison_messages.ends(tp, message.offset)
            if ends or self._poison_messages.is_careful(tp):
                await self._take_with_care(message, ends, ledger, ledgers)
                return
            event = await self._decoder.event(message)
            await self._process.turn(self._acks)
            if self._assignment.is_current(ledgers) and ledger.take(message.offset):
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
        if not self._assignment.is_current(ledgers) or not ledger.take(message.offset):
            return None
        # What could not be committed is not handled, and read again in the next assignment.
        if not await self._commit():
            return None
        event = await self._decoder.event(message, ends)
        await self._process.turn(self._acks)
        if not self._assignment.is_current(ledgers):
            return None
        self._submit(event, ledger)
        return event

    def _submit(self, event: Event, ledger: Ledger) -> None:
        taken = TakenEvent(event, ledger)
        self._capacity.enter(taken.size)
        self._runner.submit(taken)
