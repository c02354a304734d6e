"""Carries out a plan: kills, rebalances, outages."""

import asyncio
import sqlite3
from collections.abc import Callable
from contextlib import closing
from functools import partial

from aiokafka.admin import AIOKafkaAdminClient
from aiokafka.errors import KafkaError

from connectors.kafka.groups import describe_group
from infra.broker import LocalBroker
from streams.settings import Settings
from streams.topics import group_id
from streams.wiring.connections import kafka_access
from tests.chaos.crew import Crew
from tests.chaos.plan import Act
from tests.harness.cut_off import Proxy
from tests.harness.waiting import TIMEOUT_S, eventually

REBALANCES = ("PreparingRebalance", "CompletingRebalance")
STAYS = 8.0
"""Seconds until the worker that caused a rebalance by joining is stopped."""


class Havoc:
    """Does what a plan says, when it says."""

    def __init__(
        self,
        broker: LocalBroker,
        proxy: Proxy,
        settings: Settings,
        crew: Crew,
        say: Callable[[str], None],
    ) -> None:
        self.in_rebalance = 0
        self._broker = broker
        self._proxy = proxy
        self._settings = settings
        self._crew = crew
        self._say = say

    async def carry_out(self, acts: list[Act]) -> None:
        """Do all acts at their times, and wait for their ends."""
        begun = asyncio.get_running_loop().time()
        async with asyncio.TaskGroup() as doing:
            for act in acts:
                await asyncio.sleep(begun + act.at - asyncio.get_running_loop().time())
                doing.create_task(self._do(act))

    async def _do(self, act: Act) -> None:
        match act.what:
            case "kill":
                self._say(f"kill {act.who}, back in {act.away:.1f} s")
                await self._crew.kill(act.who, act.away)
            case "freeze":
                name = self._crew.living(act.who)
                self._say(f"stop {name} for {act.away:g} s (SIGSTOP)")
                await self._crew.freeze(name, act.away)
            case "broker":
                await self._without_broker(act.away)
            case "store":
                await self._without_store(act.away)
            case "cut-off":
                await self._without_coordinator(act.away)
            case "rebalance":
                await self._in_rebalance(act.who)

    async def _without_broker(self, away: float) -> None:
        self._say(f"kill the broker, back in {away:g} s")
        await asyncio.to_thread(self._broker.kill)
        await asyncio.sleep(away)
        await asyncio.to_thread(self._broker.start)
        self._say("the broker is back")

    async def _without_store(self, away: float) -> None:
        """Hold the write lock, as a tool that was left in a transaction does."""
        path = self._settings.store_url.removeprefix("sqlite:")
        self._say(f"lock the store for {away:g} s")
        connect = partial(sqlite3.connect, isolation_level=None, check_same_thread=False)
        with closing(connect(path, timeout=TIMEOUT_S)) as other:
            await asyncio.to_thread(other.execute, "BEGIN IMMEDIATE")
            await asyncio.sleep(away)
            other.execute("ROLLBACK")
        self._say("the store is free")

    async def _without_coordinator(self, away: float) -> None:
        self._say(f"cut the second workers off from their coordinator for {away:g} s")
        self._proxy.cut()
        await asyncio.sleep(away)
        self._proxy.heal()
        self._say("the coordinator can be reached again")

    async def _in_rebalance(self, stage: str) -> None:
        """Start a third worker, and kill another one while partitions are reassigned."""
        newcomer = f"{stage}-3"
        self._say(f"{newcomer} joins")
        self._crew.join(newcomer)
        state = await self._rebalancing(stage)
        victim = self._crew.living(stage)
        self._say(f"kill {victim} in its rebalance ({state})")
        await self._crew.kill(victim, away=1.0)
        self.in_rebalance += 1
        await asyncio.sleep(STAYS)
        self._say(f"{newcomer} leaves")
        await self._crew.leave(newcomer)

    async def _rebalancing(self, stage: str) -> str:
        """Wait until the group of a stage is in a rebalance, and return its state."""
        admin = AIOKafkaAdminClient(**kafka_access(self._settings).client())
        await eventually(partial(_started, admin), "the broker answers")
        name = group_id(self._settings.topic_prefix, stage)

        async def found() -> str | None:
            try:
                state = (await describe_group(admin, name)).state
            except KafkaError:  # the broker may be the one that was killed
                return None
            return state if state in REBALANCES else None

        try:
            return await eventually(found, f"a rebalance of {stage}")
        finally:
            await admin.close()


async def _started(admin: AIOKafkaAdminClient) -> bool:
    try:
        await admin.start()
    except KafkaError:
        return False
    return True
