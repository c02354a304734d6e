"""The Faust app of a worker, patched: it drains and commits before it lets partitions go.

Seen on faust-streaming 0.15.3; docs/decisions/0002 has what was measured.
"""

import asyncio
import logging
from contextlib import AsyncExitStack
from signal import Signals
from threading import Timer
from typing import Any, NoReturn, cast

import faust
from faust.types import TP
from mode.utils.objects import cached_property

from streams.engine.faust.boot import PatchedBoot
from streams.engine.faust.consumer import PatchedConsumer, PatchedTransport
from streams.engine.faust.parts import AppParts
from streams.engine.faust.recovery import PatchedTables
from streams.engine.life.pulse import BROKEN, end_process, leave

STOP_TIMEOUT_S = 28.0
"""A stop ends then, however far it is: its broker may be gone."""


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
        self.stop_is_asked = False

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

    async def on_stop(self) -> None:
        """Leave at once when all is committed: Faust would wait for a rebalance in progress."""
        late = Timer(
            STOP_TIMEOUT_S, end_process, ["it could not stop in time; the rest is read again"]
        )
        # A thread, for the loop itself may wait for a broker that is gone.
        late.daemon = True
        late.start()
        await self._let_go(self._parts.drain)
        await self._services.aclose()
        # Faust also stops an app of which a part has crashed, and says nothing of it here.
        leave(0 if self.stop_is_asked and not self.crashed else BROKEN)

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


class PatchedWorker(faust.Worker):
    """Stops an app at a signal, and notes in it that this is why."""

    def _schedule_shutdown(self, signal: Signals) -> None:
        cast("PatchedApp", self.app).stop_is_asked = True
        super()._schedule_shutdown(signal)


def run_app(app: PatchedApp, loop: asyncio.AbstractEventLoop) -> NoReturn:
    """Run until SIGTERM or SIGINT; leaves the process with a status."""
    # At INFO both log every rebalance in many lines; "ready" is what an operator needs.
    logging.getLogger("faust").setLevel(logging.WARNING)
    logging.getLogger("mode").setLevel(logging.WARNING)
    app.finalize()
    running = PatchedWorker(
        app, loop=loop, override_logging=False, redirect_stdouts=False, quiet=True
    )
    # The spinner writes to the terminal, which here is a log.
    running.spinner = None
    running.execute_from_commandline()
