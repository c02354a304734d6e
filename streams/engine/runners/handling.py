"""Count the events of an agent, retry them, and give them up, whatever runner it has."""

import asyncio
from collections.abc import Awaitable, Callable, Collection, Sequence
from contextlib import AbstractAsyncContextManager
from typing import Any, TypeVar

import structlog
from aiokafka.errors import KafkaError

from connectors.dead_letters.writing import dead_letter_of, reason_of
from connectors.metrics.counters import DEAD_LETTER, HANDLED, RETRIED
from schemas.codec.wire import Undecodable
from schemas.records.log_ids import trail
from schemas.records.topics import DEAD_LETTERS
from streams.engine.acks.acknowledgements import Acknowledgements
from streams.engine.acks.decoding import FatalEvent
from streams.engine.acks.process_agents import ProcessAgents
from streams.values.outcome import Event, Outcome, Send

log = structlog.get_logger()

Count = Callable[[str, str], None]
"""Counts an event, by its topic and how its handling ended."""

FIRST_PAUSE_S = 0.5
LONGEST_PAUSE_S = 30.0

Result = TypeVar("Result")


class Handling:
    """Keeps account of the events of an agent."""

    def __init__(
        self,
        agent: str,
        acks: Acknowledgements,
        process: ProcessAgents,
        count: Count,
        reported_elsewhere: Collection[str] = (),
    ) -> None:
        """Of what cannot be read on topics ``reported_elsewhere``, others make dead letters."""
        self._agent = agent
        self.acks = acks
        self._process = process
        self._count_one = count
        self._reported_elsewhere = reported_elsewhere

    def ending(self, reason: str) -> AbstractAsyncContextManager[None]:
        """End the process on any error within; nothing in hand is to blame for a broken world."""
        return self._process.ending(self.acks, f"{self._agent}: {reason}")

    def handled(self, events: Sequence[Event]) -> None:
        """Count events that the agent has handled."""
        self._count(events, HANDLED)

    def unreadable(self, event: Event, error: Undecodable) -> Outcome:
        """Return the outcome of an event that cannot be read: a dead letter of one agent.

        What ended this process is for this agent to report, even if others read the topic.
        """
        if event.topic in self._reported_elsewhere and not isinstance(error, FatalEvent):
            self.handled([event])
            return Outcome()
        return self.given_up(event, error)

    def given_up(self, event: Event, error: Exception) -> Outcome:
        """Count an event as a dead letter, and return that as its outcome."""
        self._count([event], DEAD_LETTER)
        return dead_letter(self._agent, event, error)

    async def retried(
        self, events: Sequence[Event], work: Callable[[], Awaitable[Result]]
    ) -> Result:
        """Do the work of these events, and again with pauses as long as the world is broken.

        Only OSError and KafkaError say that it is; any other error is raised.
        """
        pause = FIRST_PAUSE_S
        try:
            while True:
                await self.acks.membership.may_work()
                try:
                    result = await work()
                    break
                except (OSError, KafkaError) as error:
                    about: dict[str, Any] = {"events": len(events)}
                    if len(events) == 1:
                        about = {"topic": events[0].topic, **trail(events[0].fact)}
                    again = {"pause": pause, "error": repr(error)}
                    log.warning("retrying", agent=self._agent, **about, **again)
                self._count(events, RETRIED)
                # The watchdog must not take a wait for the world as a standstill.
                self.acks.begin_retry(events)
                await asyncio.sleep(pause)
                pause = min(pause * 2, LONGEST_PAUSE_S)
        finally:
            self.acks.end_retry(events)
        self.handled(events)
        return result

    def _count(self, events: Sequence[Event], outcome: str) -> None:
        for event in events:
            self._count_one(event.topic, outcome)


def dead_letter(agent: str, event: Event, error: Exception) -> Outcome:
    """Send the original bytes, key and headers to the dead letters, and log why."""
    where = {"topic": event.topic, "partition": event.partition, "offset": event.offset}
    log.warning("dead letter", agent=agent, **where, reason=reason_of(error), **trail(event.fact))
    key, value, headers = dead_letter_of(agent, event, error)
    return Outcome(sends=(Send(DEAD_LETTERS.name, key, value, headers=headers),))
