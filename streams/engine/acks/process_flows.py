"""What the flows of one process owe each other: an end of it is an end of all of them."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Protocol

LOOK_EVERY_S = 0.05
"""Only while an event is handled alone, which is after two ends of the process."""


class ProcessFlow(Protocol):
    """A stage's events in this process."""

    @property
    def is_open(self) -> bool:
        """Whether events are taken now."""

    @property
    def is_at_work(self) -> bool:
        """Whether an event is in hand that could end the process."""

    def signal(self) -> None:
        """Show that this is alive."""

    async def let_go(self) -> None:
        """Note that nothing in hand is to blame for the end that follows."""


class ProcessFlows:
    """The flows of the stages that run in one process; see ``CrashBreaker``.

    An event that was in hand at two ends is handled alone in the process, not just in its
    stage: otherwise a message that ends the process would make dead letters of what other
    stages have in hand.
    """

    def __init__(self) -> None:
        """Begin with none."""
        self._flows: list[ProcessFlow] = []
        self._alone: ProcessFlow | None = None

    def add(self, flow: ProcessFlow) -> None:
        """Add the flow of one more stage."""
        self._flows.append(flow)

    async def let_go(self, flow: ProcessFlow) -> None:
        """Let a flow and all others that are open let go: the end has a cause outside."""
        others = [each for each in self._flows if each is not flow and each.is_open]
        letting_go = [asyncio.create_task(each.let_go()) for each in others]
        await flow.let_go()
        await asyncio.gather(*letting_go)

    async def turn(self, flow: ProcessFlow) -> None:
        """Wait while another flow handles an event alone."""
        await self._wait(flow, lambda: self._alone in (None, flow))

    @asynccontextmanager
    async def alone(self, flow: ProcessFlow) -> AsyncIterator[None]:
        """Keep all other flows from handling anything within, once they have nothing in hand."""
        await self.turn(flow)
        if self._alone is None:  # else this flow is closed, and its event is not handled
            self._alone = flow
        try:
            others = [each for each in self._flows if each is not flow]
            await self._wait(flow, lambda: not any(each.is_at_work for each in others))
            yield
        finally:
            if self._alone is flow:
                self._alone = None

    async def _wait(self, flow: ProcessFlow, until: Callable[[], bool]) -> None:
        """Return once ``until`` is true, or the flow is closed."""
        while flow.is_open and not until():
            # Others are at work: this is no standstill that the watchdog should end.
            flow.signal()
            await asyncio.sleep(LOOK_EVERY_S)
