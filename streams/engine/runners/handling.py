"""What all runners do around their stage: count events, retry, and give up."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, TypeVar

import structlog
from aiokafka.errors import KafkaError

from connectors.metrics.counters import DEAD_LETTER, HANDLED, RETRIED
from schemas.codec.wire import Undecodable
from schemas.records.log_ids import trail
from streams.engine.acks.decoding import FatalEvent
from streams.engine.acks.flow import Flow
from streams.engine.runners.dead_letters import dead_letter
from streams.values.outcome import Event, Outcome

log = structlog.get_logger()

FIRST_PAUSE_S = 0.5
LONGEST_PAUSE_S = 30.0

Result = TypeVar("Result")


class Handling:
    """Keeps account of the events of a stage."""

    def __init__(self, stage: str, flow: Flow) -> None:
        """Count, and signal retries, in ``flow``."""
        self._stage = stage
        self._flow = flow

    def handled(self, events: Sequence[Event]) -> None:
        """Count events that the stage has handled."""
        self._count(events, HANDLED)

    def unreadable(self, event: Event, error: Undecodable) -> Outcome:
        """Return the outcome of an event that cannot be read: a dead letter of one stage.

        What ended this process is for this stage to report, whoever else reads the topic.
        """
        if event.topic in self._flow.reported_elsewhere and not isinstance(error, FatalEvent):
            self.handled([event])
            return Outcome()
        return self.given_up(event, error)

    def given_up(self, event: Event, error: Exception) -> Outcome:
        """Count an event as a dead letter, and return that as its outcome."""
        self._count([event], DEAD_LETTER)
        return dead_letter(self._stage, event, error)

    async def retried(
        self, events: Sequence[Event], work: Callable[[], Awaitable[Result]]
    ) -> Result:
        """Do the work of these events, and again with pauses as long as the world is broken.

        Only OSError and KafkaError say that it is; any other error is raised.
        """
        try:
            result = await self._result(events, work)
        finally:
            self._flow.end_retry(events)
        self.handled(events)
        return result

    async def _result(
        self, events: Sequence[Event], work: Callable[[], Awaitable[Result]]
    ) -> Result:
        pause = FIRST_PAUSE_S
        while True:
            await self._flow.may_work()
            try:
                return await work()
            except (OSError, KafkaError) as error:
                about = _about(events)
                log.warning("retrying", stage=self._stage, **about, pause=pause, error=repr(error))
            self._count(events, RETRIED)
            # The watchdog must not take a wait for the world as a standstill.
            self._flow.begin_retry(events)
            await asyncio.sleep(pause)
            pause = min(pause * 2, LONGEST_PAUSE_S)

    def _count(self, events: Sequence[Event], outcome: str) -> None:
        for event in events:
            self._flow.count(event.topic, outcome)


def _about(events: Sequence[Event]) -> dict[str, Any]:
    """Return the log fields of one event, or how many there are of several."""
    if len(events) > 1:
        return {"events": len(events)}
    return {"topic": events[0].topic, **trail(events[0].fact)}
