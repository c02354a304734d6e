"""Carries out a plan: kills, rebalances, outages."""

import asyncio
import sqlite3
from collections.abc import Awaitable, Callable, Sequence
from contextlib import closing
from functools import partial

from aiokafka.admin import AIOKafkaAdminClient
from aiokafka.errors import KafkaError

from connectors.kafka.groups import describe_group
from infra.broker import LocalBroker
from streams.settings import Settings
from streams.topics import ATTEMPTS, FETCHES, TICKS, group_id
from streams.wiring.connections import kafka_access
from tests.chaos.crew import Crew
from tests.chaos.plan import Act, What
from tests.chaos.strangers import Strangers
from tests.harness.cut_off import Proxy
from tests.harness.load import Watcher
from tests.harness.recreation import recreate_topics
from tests.harness.waiting import TIMEOUT_S, eventually

REBALANCES = ("PreparingRebalance", "CompletingRebalance")
REPEATED = (TICKS, FETCHES, ATTEMPTS)
"""Topics of which a timer sends again what is lost with them."""
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
        strangers: Strangers,
        watchers: Sequence[Watcher],
        say: Callable[[str], None],
    ) -> None:
        self.in_rebalance = 0
        self._broker = broker
        self._proxy = proxy
        self._settings = settings
        self._crew = crew
        self._strangers = strangers
        self._watchers = watchers
        self._say = say
        # Topics cannot be created while the broker is away.
        self._broker_is_taken = asyncio.Lock()

    async def carry_out(self, acts: list[Act]) -> None:
        """Do all acts at their times, and wait for their ends."""
        begun = asyncio.get_running_loop().time()
        async with asyncio.TaskGroup() as doing:
            for act in acts:
                await asyncio.sleep(begun + act.at - asyncio.get_running_loop().time())
                doing.create_task(self._do(act))

    async def _do(self, act: Act) -> None:
        doing: dict[What, Callable[[Act], Awaitable[None]]] = {
            "kill": self._kill,
            "freeze": self._freeze,
            "broker": self._without_broker,
            "store": self._without_store,
            "cut-off": self._without_coordinator,
            "rebalance": self._in_rebalance,
            "overdue": self._without_schedule,
            "abort": self._abort,
            "compress": self._compress,
            "recreate": self._recreate,
            "hostile": self._with_large_page,
        }
        await doing[act.what](act)

    async def _kill(self, act: Act) -> None:
        self._say(f"kill {act.who}, back in {act.away:.1f} s")
        await self._crew.kill(act.who, act.away)

    async def _freeze(self, act: Act) -> None:
        name = self._crew.living(act.who)
        self._say(f"stop {name} for {act.away:g} s (SIGSTOP)")
        await self._crew.freeze(name, act.away)

    async def _abort(self, _: Act) -> None:
        self._say("abort a transaction that cancels subscriptions")
        await self._strangers.abort_cancels(self._watchers[::7])

    async def _compress(self, _: Act) -> None:
        self._say("send compressed messages to every topic")
        await self._strangers.send_compressed()

    async def _recreate(self, _: Act) -> None:
        async with self._broker_is_taken:
            self._say(f"delete and create {', '.join(topic.name for topic in REPEATED)}")
            await recreate_topics(self._settings, REPEATED)
        self._say("the topics are there again")

    async def _without_broker(self, act: Act) -> None:
        async with self._broker_is_taken:
            self._say(f"kill the broker, back in {act.away:g} s")
            await asyncio.to_thread(self._broker.kill)
            await asyncio.sleep(act.away)
            await asyncio.to_thread(self._broker.start)
        self._say("the broker is back")

    async def _without_store(self, act: Act) -> None:
        """Hold the write lock, as a tool that was left in a transaction does."""
        path = self._settings.store_url.removeprefix("sqlite:")
        self._say(f"lock the store for {act.away:g} s")
        connect = partial(sqlite3.connect, isolation_level=None, check_same_thread=False)
        with closing(connect(path, timeout=TIMEOUT_S)) as other:
            await asyncio.to_thread(other.execute, "BEGIN IMMEDIATE")
            await asyncio.sleep(act.away)
            other.execute("ROLLBACK")
        self._say("the store is free")

    async def _without_schedule(self, act: Act) -> None:
        self._say(f"kill both workers of schedule for {act.away:g} s: every page is overdue")
        for name in ("schedule", "schedule-2"):
            await self._crew.kill(name, act.away)

    async def _with_large_page(self, _: Act) -> None:
        self._say("watch a page of 4.8 MB in 16 ways")
        await self._strangers.replace_large_page()
        self._say("all its words were replaced")

    async def _without_coordinator(self, act: Act) -> None:
        self._say(f"cut the second workers off from their coordinator for {act.away:g} s")
        self._proxy.cut()
        await asyncio.sleep(act.away)
        self._proxy.heal()
        self._say("the coordinator can be reached again")

    async def _in_rebalance(self, act: Act) -> None:
        """Start a third worker, and kill another one while partitions are reassigned."""
        stage, newcomer = act.who, f"{act.who}-3"
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
