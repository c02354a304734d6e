"""The Faust app of a worker, patched: it drains and commits before it lets partitions go.

Seen on faust-streaming 0.15.3; docs/decisions/0002 has what was measured.
"""

import asyncio
from contextlib import AsyncExitStack
from typing import Any, cast

import faust
from faust.types import TP
from mode.utils.objects import cached_property

from streams.engine.faust.boot import PatchedBoot
from streams.engine.faust.consumer import PatchedConsumer, PatchedTransport
from streams.engine.faust.parts import AppParts
from streams.engine.faust.recovery import PatchedTables
from streams.engine.life.pulse import end_process


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
        self._letting_go = asyncio.Lock()

    @cached_property
    def tables(self) -> PatchedTables:
        """Faust's manager of tables, with our recovery."""
        return PatchedTables(self._parts, app=self, beacon=self.beacon)

    def subscribe(self, topics: list[str]) -> None:
        """Read these topics, by their full names."""
        for name in topics:
            self.topics.add(self.topic(name))

    async def on_start(self) -> None:
        """Start the worker's services with the app."""
        await super().on_start()
        await self._services.enter_async_context(self._parts.services())

    async def stop(self) -> None:
        """Let go of what is at work. Faust would wait for a rebalance in progress."""
        self._stopped_set()
        await self._let_go(self._parts.drain)

    async def close_services(self) -> None:
        """Close clients and stores; the process leaves then.

        Not before the other apps of the process have let go, too: Faust goes on in this one
        until then, and needs the pulse.
        """
        await self._services.aclose()

    def _new_transport(self) -> PatchedTransport:
        parts = self._parts
        return PatchedTransport(self.conf.broker_consumer, self, parts=parts)

    async def _on_partitions_assigned(self, assigned: set[TP], generation_id: int = 0) -> None:
        self.tables.recovery.begin()
        await super()._on_partitions_assigned(assigned, generation_id)

    async def _on_partitions_revoked(self, revoked: set[TP]) -> None:
        consumer = cast("PatchedConsumer", self.consumer)
        if self._parts.flow.is_open and consumer.is_put_out():
            # What is at work may be at work there, too; it must not be recorded here.
            end_process("the group has put this worker out, and given its partitions to others")
        await self._let_go(self._parts.drain)
        self._parts.pulse.membership.end()
        await super()._on_partitions_revoked(revoked)

    async def _let_go(self, drain: float) -> None:
        """Drain, flush and commit: nothing of ours may arrive once another worker owns these."""
        flow = self._parts.flow
        # A stop may come during a revoke; only the first of them finds the flow open.
        async with self._letting_go:
            if flow.is_open:
                await flow.close(drain)
                # Acknowledged is only what the broker has; commit says so to the group.
                await self._parts.producer.flush()
                await cast("PatchedConsumer", self.consumer).commit_notes()
