"""Let the stages of one process share its end: the end of it is an end of all of them."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress

from aiokafka.errors import KafkaError

from streams.engine.acks.acknowledgements import Acknowledgements
from streams.engine.errors import TimerFailed, is_of_the_world
from streams.engine.life.loop_watch import end_process

LOOK_EVERY_S = 0.05
"""Only while an event is handled alone, which is after two ends of the process."""
LAST_COMMIT_TIMEOUT_S = 3.0

Commit = Callable[[], Awaitable[bool]]
"""Commits what is done, with the metadata of what is in hand; returns False if that failed."""


class ProcessStages:
    """The acknowledgements of the stages that run in one process; see ``PoisonMessages``.

    An event that was in hand at two ends is handled alone in the process, not just in its
    stage: otherwise a message that ends the process would make dead letters of what other
    stages have in hand.
    """

    def __init__(self) -> None:
        """Begin with none."""
        self._commits: dict[Acknowledgements, Commit] = {}
        self._alone: Acknowledgements | None = None

    def add(self, stage: Acknowledgements, commit: Commit) -> None:
        """Add one more stage; its events are committed with ``commit``."""
        self._commits[stage] = commit

    @asynccontextmanager
    async def ending(self, stage: Acknowledgements, reason: str) -> AsyncIterator[None]:
        """End the process on any error within.

        Nothing in hand is to blame for a broken world, or for a timer that could not decide.
        """
        try:
            yield
        except Exception as error:  # noqa: BLE001 - whatever it is, do not go on
            if is_of_the_world(error) or isinstance(error, TimerFailed):
                await self._let_go(stage)
            end_process(reason, error)

    async def end(self, stage: Acknowledgements, reason: str) -> None:
        """End the process; nothing in hand is to blame if an event is being retried."""
        if stage.are_retrying:
            await self._let_go(stage)
        end_process(reason)

    async def end_blameless(self, stage: Acknowledgements, reason: str) -> None:
        """End the process; nothing in hand is to blame."""
        await self._let_go(stage)
        end_process(reason)

    async def turn(self, stage: Acknowledgements) -> None:
        """Wait while another stage handles an event alone."""
        await self._wait(stage, lambda: self._alone in (None, stage))

    @asynccontextmanager
    async def alone(self, stage: Acknowledgements) -> AsyncIterator[None]:
        """Keep all other stages from handling anything within, once they have nothing in hand."""
        await self.turn(stage)
        if self._alone is None:  # else this stage is closed, and its event is not handled
            self._alone = stage
        try:
            others = [each for each in self._commits if each is not stage]
            await self._wait(stage, lambda: not any(each.is_at_work for each in others))
            yield
        finally:
            if self._alone is stage:
                self._alone = None

    async def _let_go(self, stage: Acknowledgements) -> None:
        """Commit for a stage, and all others that are open, that nothing in hand is to blame."""
        letting_go = [each for each in self._commits if each is stage or each.capacity.is_open]
        for each in letting_go:
            each.poison_messages.let_go()
        await asyncio.gather(*(_last_commit(self._commits[each]) for each in letting_go))

    async def _wait(self, stage: Acknowledgements, until: Callable[[], bool]) -> None:
        """Return once ``until`` is true, or the stage is closed."""
        while stage.capacity.is_open and not until():
            # Others are at work: this is no standstill that the watchdog should end.
            stage.signal()
            await asyncio.sleep(LOOK_EVERY_S)


async def _last_commit(commit: Commit) -> None:
    with suppress(TimeoutError, KafkaError):
        await asyncio.wait_for(commit(), LAST_COMMIT_TIMEOUT_S)
