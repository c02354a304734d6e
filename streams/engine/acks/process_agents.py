"""Let the agents of one process share its end: the end of it is an end of all of them."""

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


class ProcessAgents:
    """The acknowledgements of the agents that run in one process; see ``PoisonMessages``.

    An event that was in hand at two ends is handled alone in the process, not just in its
    agent: otherwise a message that ends the process would make dead letters of what other
    agents have in hand.
    """

    def __init__(self) -> None:
        self._commits: dict[Acknowledgements, Commit] = {}
        self._alone: Acknowledgements | None = None

    def add(self, agent: Acknowledgements, commit: Commit) -> None:
        """Add one more agent; its events are committed with ``commit``."""
        self._commits[agent] = commit

    @asynccontextmanager
    async def ending(self, agent: Acknowledgements, reason: str) -> AsyncIterator[None]:
        """End the process on any error within.

        Nothing in hand is to blame for a broken world, or for a timer that could not decide.
        """
        try:
            yield
        except Exception as error:  # noqa: BLE001 - whatever it is, do not go on
            if is_of_the_world(error) or isinstance(error, TimerFailed):
                await self._let_go(agent)
            end_process(reason, error)

    async def end(
        self, agent: Acknowledgements, reason: str, *, is_blameless: bool = False
    ) -> None:
        """End the process; nothing in hand is to blame if an event is being retried."""
        if is_blameless or agent.are_retrying:
            await self._let_go(agent)
        end_process(reason)

    async def turn(self, agent: Acknowledgements) -> None:
        """Wait while another agent handles an event alone."""
        await self._wait(agent, lambda: self._alone in (None, agent))

    @asynccontextmanager
    async def alone(self, agent: Acknowledgements) -> AsyncIterator[None]:
        """Keep all other agents from handling anything within, once they have nothing in hand."""
        await self.turn(agent)
        if self._alone is None:  # else this agent is closed, and its event is not handled
            self._alone = agent
        try:
            others = [each for each in self._commits if each is not agent]
            await self._wait(agent, lambda: not any(each.is_at_work for each in others))
            yield
        finally:
            if self._alone is agent:
                self._alone = None

    async def _let_go(self, agent: Acknowledgements) -> None:
        """Commit for an agent, and all others that are open, that nothing in hand is to blame."""
        letting_go = [each for each in self._commits if each is agent or each.capacity.is_open]
        for each in letting_go:
            each.poison_messages.let_go()

        async def commit(each: Acknowledgements) -> None:
            with suppress(TimeoutError, KafkaError):
                await asyncio.wait_for(self._commits[each](), LAST_COMMIT_TIMEOUT_S)

        await asyncio.gather(*map(commit, letting_go))

    async def _wait(self, agent: Acknowledgements, until: Callable[[], bool]) -> None:
        """Return once ``until`` is true, or the agent is closed."""
        while agent.capacity.is_open and not until():
            # Others are at work: this is no standstill that the watchdog should end.
            agent.signal()
            await asyncio.sleep(LOOK_EVERY_S)
