"""The Faust app of a worker, patched: it drains and commits before it lets partitions go."""

import asyncio
from collections.abc import Iterable
from contextlib import AsyncExitStack
from typing import TYPE_CHECKING, Any, cast

import faust
from faust.app.base import BootStrategy
from faust.types import TP, ServiceT
from mode.utils.objects import cached_property

from streams.engine.faust.consumer import PatchedConsumer, PatchedTransport
from streams.engine.faust.parts import AppParts
from streams.engine.faust.recovery import PatchedTables
from streams.engine.life.loop_watch import end_process

if TYPE_CHECKING:
    from faust.agents.manager import AgentManager

    from streams.engine.acks.flow import Flow

PUT_OUT = (
    "the group has put this worker out, and given its partitions to others; it starts again "
    "with another member id, for a copy of its data folder may have had the same one"
)


class PatchedBoot(BootStrategy):
    """Starts the consumer, what subscribes to the topics, and the tables, in this order.

    Faust also starts a producer with a connection and a buffer, although a worker sends with
    its own; a monitor that samples each second; and managers of agents, replies and leaders,
    of which there are none.
    """

    def server(self) -> Iterable[ServiceT]:
        """Return the services, in the order in which they start."""
        # Otherwise the conductor waits for agents before it subscribes.
        cast("AgentManager", self.app.agents)._agents_started.set()
        return [self.app.consumer, self.app.topics, self.app.tables]


class PatchedApp(faust.App):
    """Runs the parts of a worker; Faust has the group, the assignment and the tables.

    At a revoke Faust waits for every event taken, which lets one slow host freeze the
    group, and forgets what was acknowledged but not committed.
    """

    BootStrategy = PatchedBoot

    def __init__(self, group: str, parts: AppParts, **settings: Any) -> None:
        """``settings`` are Faust's own, see ``faust_settings``."""
        super().__init__(group, **settings)
        self._parts = parts
        self._services = AsyncExitStack()
        self._flow: Flow
        self._letting_go = asyncio.Lock()

    @cached_property
    def tables(self) -> PatchedTables:
        """Faust's manager of tables, with our recovery."""
        return PatchedTables(self._parts, app=self, beacon=self.beacon)

    def subscribe(self, topics: list[str]) -> None:
        """Read these topics, by their full names."""
        for name in topics:
            self.topics.add(self.topic(name))

    async def start(self) -> None:
        """Start the worker's services, with its flow, before Faust's consumer needs that."""
        self._flow = await self._services.enter_async_context(self._parts.services())
        await super().start()

    async def commit_now(self) -> bool:
        """Commit what is done and what is in hand; returns False if that failed."""
        # Not ``commit``: that only waits if another one is under way, which may know less.
        return bool(await cast("PatchedConsumer", self.consumer).force_commit())

    async def stop(self) -> None:
        """Let go of what is at work. Faust would wait for a rebalance in progress."""
        self._stopped_set()
        await self._let_go()

    async def close_services(self) -> None:
        """Close clients and stores; the process leaves then.

        Not before the other apps of the process have let go, too: Faust goes on in this one
        until then, and needs the loop watch.
        """
        await self._services.aclose()

    def _new_transport(self) -> PatchedTransport:
        return PatchedTransport(self.conf.broker_consumer, self)

    def _new_consumer(self) -> PatchedConsumer:
        consumer = self.transport.create_consumer(
            self.topics.on_message,
            on_partitions_revoked=self._on_partitions_revoked,
            on_partitions_assigned=self._on_partitions_assigned,
            beacon=self.beacon,
            parts=self._parts,
            flow=self._flow,
        )
        return cast("PatchedConsumer", consumer)

    async def _on_partitions_assigned(self, assigned: set[TP], generation_id: int = 0) -> None:
        self.tables.recovery.begin()
        await super()._on_partitions_assigned(assigned, generation_id)

    async def _on_partitions_revoked(self, revoked: set[TP]) -> None:
        consumer = cast("PatchedConsumer", self.consumer)
        if self._parts.acks.capacity.is_open and consumer.is_put_out():
            # What is at work may be at work there, too; it must not be recorded here.
            self._parts.drop_id()
            end_process(PUT_OUT)
        await self._let_go()
        self._parts.loop_watch.membership.end()
        await super()._on_partitions_revoked(revoked)

    async def _let_go(self) -> None:
        """Drain, flush and commit: nothing of ours may arrive once another worker owns these."""
        # A stop may come during a revoke; only the first of them finds the agent open.
        async with self._letting_go:
            if self._parts.acks.capacity.is_open:
                await self._flow.close(self._parts.agent.drain_s)
                # Acknowledged is only what the broker has; commit says so to the group.
                await self._parts.producer.flush()
                await self.commit_now()
