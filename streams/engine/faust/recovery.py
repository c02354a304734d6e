"""Faust's recovery of tables, patched: it seeks before it resumes, and reads in batches."""

import asyncio
from collections.abc import Iterable, Sequence
from time import monotonic, time
from typing import TYPE_CHECKING, Any, cast

import structlog
from aiokafka import TopicPartition
from aiokafka.errors import IllegalStateError
from faust.tables.manager import TableManager
from faust.tables.recovery import Recovery
from faust.types import TP

from streams.engine.faust.changelog import ChangelogRow
from streams.engine.faust.consumer import PatchedConsumer
from streams.engine.faust.parts import AppParts
from streams.engine.faust.state import PatchedStore, PatchedTable
from streams.engine.life.loop_watch import ending_on_error
from streams.engine.life.progress import ProgressLog

if TYPE_CHECKING:
    from streams.engine.acks.commit_metadata import CommitMetadata

log = structlog.get_logger()

CONFIRM_PAUSE_S = 0.5
"""Seconds until the broker is asked again whether an assignment holds."""


class PatchedRecovery(Recovery):
    """Reads changelogs in batches, and seeks before any source partition is resumed.

    Faust resumes first; what is read in between counts as acknowledged and is lost. Where
    nothing was committed, it stays wherever the consumer has read to. It also goes on when
    a newer generation has already begun.
    """

    def __init__(self, app: Any, tables: Any, *, parts: AppParts, **kwargs: Any) -> None:
        super().__init__(app, tables, **kwargs)
        self._parts = parts
        self._assigned_at = 0.0
        self._metadata: dict[TopicPartition, CommitMetadata] = {}

    def begin(self) -> None:
        """Note that an assignment has come."""
        self._assigned_at = monotonic()

    def offsets(self) -> dict[TopicPartition, int | None]:
        """Return how far each changelog is, during a recovery only."""
        if not self.in_recovery:
            return {}
        return {TopicPartition(*tp): offset for tp, offset in self.active_offsets.items()}

    async def on_recovery_completed(self, generation_id: int = 0) -> None:
        """Seek, load, and only then resume."""
        self._set_recovery_ended()
        assigned = self._consumer.assignment()
        sources = {tp for tp in assigned if not self._is_changelog_tp(tp)}
        if self._is_stale(generation_id):
            return
        if sources:
            await self._wait(self._seek(sources))
        await self._wait(self._load(sources))
        await self._wait(self._confirm(generation_id))
        # Each of these may have taken long enough for another rebalance.
        if self._is_stale(generation_id):
            return
        await self._wait(self._open(sources))
        if self._is_stale(generation_id):
            return
        await self._resume(sources)

    async def _resume_streams(self, generation_id: int = 0) -> None:
        await self.on_recovery_completed(generation_id)

    async def _build_offsets(
        self, consumer: Any, tps: set[TP], destination: Any, title: str
    ) -> None:
        """Read what is lacking of the changelogs, and leave nothing for Faust to read.

        A copy that is ahead of its changelog, which must be another one by now, starts
        empty. So does one that lacks so much that it may have missed deletions.
        """
        changelogs = self._parts.changelogs
        last = {TopicPartition(*tp): self.active_highwaters[tp] for tp in tps}
        with ending_on_error("the tables could not be compared with their changelogs"):
            known = {tp: offset for tp in last if (offset := destination[tp]) is not None}
            lacking = {tp: offset for tp, offset in known.items() if offset < last[tp]}
            ahead = {tp for tp, offset in known.items() if offset > last[tp]}
            for tp in ahead | await changelogs.outdated(lacking, int(time() * 1000)):
                where = f"it is at {destination[tp]}, the changelog at {last[tp]}"
                self._store(tp).discard(tp.partition, where)
                destination[tp] = None
        # Faust raises offsets to the first that compaction has left; then we read from there.
        await super()._build_offsets(consumer, tps, destination, title)
        progress = ProgressLog("tables are recovered from their changelogs")

        def write(tp: TopicPartition, rows: Sequence[ChangelogRow], offset: int) -> None:
            self._store(tp).write(tp.partition, rows, offset)
            progress.add(len(rows))

        with ending_on_error("the tables could not be recovered"):
            await changelogs.read(destination, last, write)

    async def _wait(self, coro: Any, timeout: Any = None) -> None:  # noqa: ASYNC109 - Faust names it so
        """Wait as long as it takes; the watchdog notices a standstill.

        Faust stops waiting after a while, and goes on as if all were done.
        """
        await super()._wait(coro)

    def _store(self, tp: TopicPartition) -> PatchedStore:
        return cast("PatchedTable", self.tp_to_table[TP(*tp)]).data

    @property
    def _consumer(self) -> PatchedConsumer:
        return cast("PatchedConsumer", self.app.consumer)

    def _is_stale(self, generation_id: int) -> bool:
        """Whether this recovery is no longer wanted: a newer one is, or the process stops."""
        newer = self.app.consumer_generation_id != generation_id
        return newer or self.signal_recovery_start.is_set() or self.app.should_stop

    async def _load(self, sources: set[TP]) -> None:
        """Build the agent's memory; Faust would swallow an error and go on without it."""
        with ending_on_error("the tables could not be loaded"):
            await self._consumer.flow.load(self._positions(sources))

    async def _seek(self, sources: set[TP]) -> None:
        """Move to what the group has committed, or to the beginning where it has not.

        Raises IllegalStateError if another assignment has come meanwhile; Faust starts
        over with that one.
        """
        # Once in the group, because partitions are only added while nobody is.
        with ending_on_error("the deployment's partitions could not be looked up"):
            await self._parts.check()
        with ending_on_error("the committed offsets could not be read", IllegalStateError):
            async with asyncio.timeout(self.app.conf.broker_request_timeout):
                consumer, topic_ids = self._consumer, self._parts.acks.topic_ids
                await topic_ids.begin()
                await consumer.perform_seek()
                metadata = await consumer.last_metadata(sources)
                former = {tp for tp, found in metadata.items() if topic_ids.is_former(tp, found)}
                self._metadata = {tp: found for tp, found in metadata.items() if tp not in former}
                if unset := [tp for tp in sources if tp in former or not consumer._read_offset[tp]]:
                    await consumer.seek_wait(await consumer.earliest_offsets(*unset))

    async def _confirm(self, generation_id: int) -> None:
        """Be sure that the partitions are still ours; a start may have stood still for long."""
        membership = self._parts.loop_watch.membership
        while not self._is_stale(generation_id):
            asked_at = membership.now()
            if await self._consumer.is_member():
                membership.begin(asked_at)
                return
            await asyncio.sleep(CONFIRM_PAUSE_S)

    async def _open(self, sources: set[TP]) -> None:
        """Open the agent before anything is resumed: messages for a closed one are dropped."""
        if self.app.should_stop:
            return  # nobody would close it
        self._parts.acks.open(self._positions(sources), self._metadata)
        # From here on an end of the process counts.
        await self._consumer.force_commit()

    async def _resume(self, sources: set[TP]) -> None:
        app = self.app
        app.consumer.resume_partitions(sources)
        # From here on in Faust's own order; its services wait for these signals.
        self.completed.set()
        app.flow_control.resume()
        app.consumer.resume_flow()
        await cast("Any", app)._fetcher.maybe_start()
        self.tables.on_actives_ready()
        self.tables.on_standbys_ready()
        app.on_rebalance_end()
        self._parts.recovered(monotonic() - self._assigned_at)
        log.info("ready", group=app.conf.id, partitions=sorted(self._parts.acks.partitions))

    def _positions(self, sources: Iterable[TP]) -> dict[TopicPartition, int]:
        """Return where the consumer is after the seek."""
        return self._consumer.positions(TopicPartition(*tp) for tp in sources)


class PatchedTables(TableManager):
    """Faust's tables with our recovery."""

    def __init__(self, parts: AppParts, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._parts = parts

    @property
    def recovery(self) -> PatchedRecovery:
        """Our recovery instead of Faust's."""
        if self._recovery is None:
            self._recovery = PatchedRecovery(
                self.app, self, parts=self._parts, beacon=self.beacon, loop=self.loop
            )
        return cast("PatchedRecovery", self._recovery)

    async def on_start(self) -> None:
        """Subscribe to the topics at once: Faust waits a second for tables declared late."""
        await self._update_channels()
        await self.recovery.start()
