"""Takes messages of the consumer as events: in turn, and with care after an end of the process."""

from collections.abc import Awaitable, Callable
from typing import Any, Protocol

from streams.engine.acks.assignment import Assignment, Ledgers
from streams.engine.acks.breaker import ALONE_AFTER, CAREFUL_ROOM
from streams.engine.acks.decoding import EventDecoder
from streams.engine.acks.ledger import Ledger
from streams.engine.acks.process_flows import ProcessFlow, ProcessFlows
from streams.engine.acks.retries import Retries
from streams.engine.acks.room import Room
from streams.values.outcome import Event

Commit = Callable[[], Awaitable[bool]]
"""Commits what is done with the notes of what is in hand; returns False if that failed."""


class EventFlow(ProcessFlow, Protocol):
    """The flow that the events go on to."""

    commit: Commit

    async def may_work(self) -> None:
        """Wait while another worker may soon own our partitions."""

    def submit(self, event: Event, ledger: Ledger) -> None:
        """Hand an event to what handles it."""


class Intake:
    """Takes messages while the room is open, each once in an assignment."""

    def __init__(
        self,
        flow: EventFlow,
        *,
        assignment: Assignment,
        decoder: EventDecoder,
        room: Room,
        retries: Retries,
        process: ProcessFlows,
    ) -> None:
        """Take events for ``flow``; ``process`` has those of all stages of this process."""
        self._flow = flow
        self._assignment = assignment
        self._decoder = decoder
        self._room = room
        self._breaker = assignment.breaker
        self._retries = retries
        self._process = process

    async def take(self, message: Any) -> None:
        """Accept one message of the consumer; waits while there is no room.

        A message that was taken before in this assignment is passed over: Faust seeks back
        more often than it needs to.
        """
        await self._decoder.prepare(message.value, self._flow.signal)
        ledgers = self._assignment.ledgers
        ledger = ledgers.get(message.tp)
        await self._flow.may_work()
        await self._room.space()
        if ledger is None or not self._room.is_open:
            return
        ledger = await self._assignment.checked(message, ledger)
        if self._breaker.is_careful(message.tp, message.offset):
            await self._take_with_care(message, ledger, ledgers)
            return
        event = await self._decoder.event(message)
        await self._process.turn(self._flow)
        if self._assignment.is_current(ledgers) and ledger.take(message.offset):
            self._flow.submit(event, ledger)

    async def _take_with_care(self, message: Any, ledger: Ledger, ledgers: Ledgers) -> None:
        """Note an event before it is handled; one that may end the process is handled alone."""
        if self._breaker.ends(message.tp, message.offset) != ALONE_AFTER:
            await self._room.space_of(CAREFUL_ROOM)
            await self._take_noted(message, ledger, ledgers)
            return
        await self._room.space_of(1)
        async with self._process.alone(self._flow):
            event = await self._take_noted(message, ledger, ledgers)
            if event is not None:
                # While it waits for its store it ends no process, and others may go on.
                await self._room.space_of(1, unless=lambda: self._retries.has(event))
                # At once: an end in the second before the next commit would count it in hand.
                await self._flow.commit()

    async def _take_noted(self, message: Any, ledger: Ledger, ledgers: Ledgers) -> Event | None:
        """Note an event, then submit it and return it, unless the assignment ends meanwhile."""
        if not self._assignment.is_current(ledgers) or not ledger.take(message.offset):
            return None
        # What could not be noted is not handled, and read again in the next assignment.
        if not await self._flow.commit():
            return None
        event = await self._decoder.event(message, self._breaker.ends(message.tp, message.offset))
        await self._process.turn(self._flow)
        if not self._assignment.is_current(ledgers):
            return None
        self._flow.submit(event, ledger)
        return event
