"""Faust's parts whose behaviour loses messages, each with its mend.

Seen on faust-streaming 0.15.3; docs/decisions/0002 has what was measured.
"""

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from threading import Timer
from time import monotonic, time
from typing import Any, cast

import structlog
from aiokafka.errors import IllegalStateError
from faust import App
from faust.tables.manager import TableManager
from faust.tables.recovery import Recovery
from faust.types import TP

from connectors.metrics.counters import StageMetrics
from streams.engine.acks.flow import Flow
from streams.engine.acks.producer import Producer
from streams.engine.faust.changelog import Changelogs, Row
from streams.engine.faust.consumer import PatchedConsumer, PatchedTransport
from streams.engine.faust.state import PatchedStore, PatchedTable
from streams.engine.life.progress import ProgressLog
from streams.engine.life.pulse import Pulse, end_process, ending_on_error

log = structlog.get_logger()

DRAIN_AT_REVOKE = 3.0
CONFIRM = 0.5
"""Seconds until the broker is asked again whether an assignment holds."""
STOP = 28.0
"""Seconds after which a stop ends however far it is: its broker may be gone."""


class PatchedRecovery(Recovery):
    """Reads changelogs in batches, and seeks before any source partition is resumed.

    Faust resumes first; what is read in between counts as acknowledged and is
    lost. Where nothing was committed, it stays wherever the consumer has read
    to. It also goes on when a newer generation has already begun.
    """

    async def _resume_streams(self, generation_id: int = 0) -> None:
        await self.on_recovery_completed(generation_id)

    async def on_recovery_completed(self, generation_id: int = 0) -> None:
        """Seek, load, and only then resume."""
        self._set_recovery_ended()
        app = cast("PatchedApp", self.app)
        sources = {tp for tp in app.consumer.assignment() if not self._is_changelog_tp(tp)}
        if self._is_stale(generation_id):
            return
        if sources:
            await self._wait(self._seek(app, sources))
        await self._wait(self._load(app, sources))
        await self._wait(self._confirm(app, generation_id))
        if self._is_stale(generation_id):
            return
        await self._resume(app, sources)

    async def _build_offsets(
        self, consumer: Any, tps: set[TP], destination: Any, title: str
    ) -> None:
        """Read what is lacking of the changelogs, and leave nothing for Faust to read.

        What is ahead of its changelog, which must be another one by now, begins anew. So
        does what lacks so much that deletions of rows that it has may be gone.
        """
        changelogs = cast("PatchedApp", self.app).changelogs
        last = {tp: self.active_highwaters[tp] for tp in tps}
        with ending_on_error("the tables could not be compared with their changelogs"):
            for tp in await _of_no_use(changelogs, destination, last):
                where = f"it is at {destination[tp]}, the changelog at {last[tp]}"
                self._store(tp).discard(tp.partition, where)
                destination[tp] = None
        await super()._build_offsets(consumer, tps, destination, title)
        self._progress = ProgressLog("tables are recovered from their changelogs")
        with ending_on_error("the tables could not be recovered"):
            await changelogs.read(destination, last, self._write)

    async def _wait(self, coro: Any, timeout: Any = None) -> None:  # noqa: ASYNC109 - as Faust has it
        """Wait as long as it takes, for the watchdog looks on.

        Faust gives up after a while, and goes on as if it had been done.
        """
        await super()._wait(coro)

    def _write(self, tp: TP, rows: Sequence[Row], offset: int) -> None:
        self._store(tp).write(tp.partition, rows, offset)
        self._progress.add(len(rows))

    def _store(self, tp: TP) -> PatchedStore:
        return cast("PatchedTable", self.tp_to_table[tp]).data

    def _is_stale(self, generation_id: int) -> bool:
        newer = self.app.consumer_generation_id != generation_id
        return newer or self.signal_recovery_start.is_set()

    async def _load(self, app: "PatchedApp", sources: set[TP]) -> None:
        """Build the stage's memory; Faust would swallow an error and go on without it."""
        with ending_on_error("the tables could not be loaded"):
            await app.flow.load(_positions(app, sources))

    async def _seek(self, app: "PatchedApp", sources: set[TP]) -> None:
        """Stand where the group has committed, else at the beginning.

        Raises IllegalStateError where another assignment has come meanwhile; Faust begins
        anew with that one.
        """
        with ending_on_error("the committed offsets could not be read", IllegalStateError):
            async with asyncio.timeout(app.conf.broker_request_timeout):
                await app.consumer.perform_seek()
                position = cast("PatchedConsumer", app.consumer)._read_offset
                if unset := [tp for tp in sources if not position[tp]]:
                    await app.consumer.seek_wait(await app.consumer.earliest_offsets(*unset))

    async def _confirm(self, app: "PatchedApp", generation_id: int) -> None:
        """Be sure that the partitions are ours still; a start may have stood still for long."""
        consumer = cast("PatchedConsumer", app.consumer)
        while not self._is_stale(generation_id):
            app.pulse.start()
            if await consumer.is_member():
                return
            await asyncio.sleep(CONFIRM)

    async def _resume(self, app: "PatchedApp", sources: set[TP]) -> None:
        app.flow.open(_positions(app, sources))
        app.consumer.resume_partitions(sources)
        self.completed.set()
        app.flow_control.resume()
        app.consumer.resume_flow()
        await app._fetcher.maybe_start()
        self.tables.on_actives_ready()
        self.tables.on_standbys_ready()
        app.on_rebalance_end()
        app.metrics.recovered(monotonic() - app.assigned_at)
        log.info("ready", group=app.conf.id, partitions=sorted(app.flow.partitions))


async def _of_no_use(
    changelogs: Changelogs, offsets: Mapping[TP, int | None], last: Mapping[TP, int]
) -> set[TP]:
    known = {tp: offset for tp in last if (offset := offsets[tp]) is not None}
    lacking = {tp: offset for tp, offset in known.items() if offset < last[tp]}
    ahead = {tp for tp, offset in known.items() if offset > last[tp]}
    return ahead | await changelogs.outdated(lacking, int(time() * 1000))


def _positions(app: "PatchedApp", sources: Iterable[TP]) -> dict[TP, int]:
    """Where the consumer stands after the seek."""
    position = cast("PatchedConsumer", app.consumer)._read_offset
    return {tp: position[tp] or 0 for tp in sources}


class PatchedTables(TableManager):
    """Faust's tables with our recovery."""

    @property
    def recovery(self) -> Recovery:
        """Give our recovery instead of Faust's."""
        if self._recovery is None:
            self._recovery = PatchedRecovery(self.app, self, beacon=self.beacon, loop=self.loop)
        return self._recovery

    async def on_start(self) -> None:
        """Have the topics subscribed to at once: Faust waits a second for tables declared late."""
        await self._update_channels()
        await self.recovery.start()


class PatchedApp(App):
    """Drains and commits before it lets partitions go.

    Faust waits for every event taken, which lets one slow host freeze the
    group, and forgets what was acknowledged but not committed.
    """

    assigned_at = 0.0
    changelogs: Changelogs
    drain: float
    lull: float
    flow: Flow
    metrics: StageMetrics
    outputs: Producer
    pulse: Pulse

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Take what Faust's takes; set the attributes above before use."""
        super().__init__(*args, **kwargs)
        self._letting_go = asyncio.Lock()

    def _new_transport(self) -> Any:
        return PatchedTransport(self.conf.broker_consumer, self)

    async def _on_partitions_assigned(self, assigned: set[TP], generation_id: int = 0) -> None:
        self.assigned_at = monotonic()
        await super()._on_partitions_assigned(assigned, generation_id)

    async def _on_partitions_revoked(self, revoked: set[TP]) -> None:
        await self._let_go(DRAIN_AT_REVOKE)
        await super()._on_partitions_revoked(revoked)

    async def finish(self) -> None:
        """Finish what is at work and commit it, in STOP seconds at most."""
        late = Timer(STOP, end_process, ["it could not stop in time; the rest is read again"])
        late.daemon = True
        late.start()
        await self._let_go(self.drain)

    async def _let_go(self, patience: float) -> None:
        """Nothing of ours may arrive at the changelog once another worker owns it."""
        async with self._letting_go:
            if self.flow.is_open:
                await self.flow.close(patience)
                await self.outputs.flush()
                await self.consumer.commit()
