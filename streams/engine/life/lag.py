"""How far a worker is, by what the broker says of its group and its topics."""

import asyncio
from collections.abc import Sequence
from typing import cast

from aiokafka.admin import AIOKafkaAdminClient
from faust.types import TP

from connectors.kafka.access import Access
from streams.engine.acks.log_reader import LogReader
from streams.engine.faust.patches import PatchedApp, PatchedTables
from streams.engine.life.watchdog import Standing

PATIENCE = 5.0
"""Seconds in which the broker must show a message that is there."""


class Standings:
    """Asks the broker, on connections of our own; none of Faust's books is believed."""

    def __init__(self, access: Access, app: PatchedApp, holes: LogReader) -> None:
        """Take the way to the brokers; connects when asked first."""
        self._access = access
        self._app = app
        self._holes = holes
        self._admin: AIOKafkaAdminClient | None = None

    async def look(self) -> dict[TP, Standing]:
        """Give the standing of each input partition; raises KafkaError or OSError.

        While the tables are recovered, that must go on. While the memory is
        built from them nothing is asked: it takes as long as it takes.
        """
        flow, recovery = self._app.flow, cast("PatchedTables", self._app.tables).recovery
        if flow.is_open:
            return await self._behind(flow.inputs)
        if not recovery.in_recovery:
            return {}
        offsets = recovery.active_offsets.items()
        return {tp: Standing(offset or 0, behind=1) for tp, offset in offsets}

    async def stop(self) -> None:
        """Disconnect."""
        if self._admin is not None:
            await self._admin.close()

    async def is_waiting(self, place: TP) -> bool:
        """Whether a message waits there; a transaction's end is an offset without one."""
        standing = (await self._behind([place]))[place]
        try:
            async with asyncio.timeout(PATIENCE):
                await self._holes.first_from(place.topic, place.partition, standing.committed)
        except TimeoutError:
            return False
        return True

    async def _behind(self, places: Sequence[TP]) -> dict[TP, Standing]:
        admin = await self._started()
        known = await admin.list_consumer_group_offsets(self._app.conf.id)
        bounds = await self._holes.all_bounds(places)
        found = {}
        for place, (first, end) in bounds.items():
            committed = max(first, known[place].offset if place in known else 0)
            signs = self._app.flow.signs[place.partition]
            found[place] = Standing(committed, end - committed, signs)
        return found

    async def _started(self) -> AIOKafkaAdminClient:
        if self._admin is None:
            admin = AIOKafkaAdminClient(**self._access.client())
            await admin.start()
            self._admin = admin
        return self._admin
