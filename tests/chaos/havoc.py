"""Carries out a plan: kills, rebalances, outages."""

import asyncio
import json
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from random import Random
from signal import SIGCONT, SIGSTOP

from aiokafka.admin import AIOKafkaAdminClient
from aiokafka.errors import KafkaError

from connectors.kafka.groups import describe_group
from schemas.records.topics import ATTEMPTS, FETCHES
from streams.effects.connections import kafka_access
from streams.settings import Settings
from streams.values.agent import group_id
from tests.chaos.crew import Crew
from tests.chaos.plan import Act, What
from tests.chaos.rules import ModelProcess
from tests.chaos.stores import Store
from tests.chaos.strangers import Strangers
from tests.harness.cluster import Cluster, Member, full_disk
from tests.harness.cut_off import of_anybody, of_members
from tests.harness.load import Watcher
from tests.harness.recreation import recreate_topics
from tests.harness.waiting import eventually

REBALANCES = ("PreparingRebalance", "CompletingRebalance")
REPEATED = (FETCHES, ATTEMPTS)
"""Topics of which a timer sends again what is lost with them."""
IN_SYNC_S = 10.0
"""Seconds after which a broker that was away is in sync again, and another one may be away."""
STAYS = 8.0
"""Seconds until the worker that caused a rebalance by joining is stopped."""


class Havoc:
    """Does what a plan says, when it says."""

    def __init__(
        self,
        random: Random,
        cluster: Cluster,
        store: Store,
        settings: Settings,
        *,
        crew: Crew,
        strangers: Strangers,
        model: ModelProcess,
        watchers: Sequence[Watcher],
        say: Callable[[str], None],
    ) -> None:
        self.in_rebalance = 0
        self._random = random
        self._cluster = cluster
        self._store = store
        self._settings = settings
        self._crew = crew
        self._strangers = strangers
        self._model = model
        self._watchers = watchers
        self._say = say
        # One at a time: of three, two must be in sync, and topics are created on all.
        self._broker_is_taken = asyncio.Lock()
        # One that is killed cannot be stopped meanwhile.
        self._store_is_taken = asyncio.Lock()

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
            "freeze broker": self._with_frozen_broker,
            "isolate broker": self._with_isolated_broker,
            "fill broker": self._with_full_broker,
            "isolate workers": self._with_isolated_workers,
            "fill worker": self._with_full_worker,
            "store": self._without_store,
            "hold store": self._with_held_store,
            "open": self._with_open_transaction,
            "twin": self._with_twin,
            "cut-off": self._without_coordinator,
            "rebalance": self._in_rebalance,
            "overdue": self._without_ticker,
            "abort": self._abort,
            "compress": self._compress,
            "recreate": self._recreate,
            "hostile": self._with_large_page,
            "endless": self._with_endless_site,
            "crowd": self._with_crowd,
            "kill model": self._without_model,
            "stop model": self._with_stopped_model,
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
            node, member = self._any_broker()
            self._say(f"kill broker {node}, back in {act.away:g} s")
            await asyncio.to_thread(member.kill)
            await asyncio.sleep(act.away)
            await asyncio.to_thread(member.start)
        self._say(f"broker {node} is back")

    async def _with_frozen_broker(self, act: Act) -> None:
        async with self._broker_is_taken:
            node, member = self._any_broker()
            self._say(f"stop broker {node} for {act.away:g} s (SIGSTOP)")
            member.signal(SIGSTOP)
            await asyncio.sleep(act.away)
            member.signal(SIGCONT)
            await asyncio.sleep(IN_SYNC_S)
        self._say(f"broker {node} goes on")

    async def _with_isolated_broker(self, act: Act) -> None:
        async with self._broker_is_taken:
            node, _ = self._any_broker()
            self._say(f"cut broker {node} off from clients and other brokers for {act.away:g} s")
            with self._cluster.isolated(node):
                await asyncio.sleep(act.away)
            await asyncio.sleep(IN_SYNC_S)
        self._say(f"broker {node} can be reached again")

    async def _with_full_broker(self, act: Act) -> None:
        """A broker ends when it cannot write; its supervisor starts it once there is space."""
        async with self._broker_is_taken:
            node, member = self._any_broker()
            self._say(f"fill the disk of broker {node} for {act.away:g} s")
            with member.full():
                await asyncio.sleep(act.away)
            ended = "has ended" if not member.is_running else "runs"
            await asyncio.to_thread(member.kill)
            await asyncio.to_thread(member.start)
        self._say(f"the disk of broker {node} has space, it {ended}; started")

    async def _with_full_worker(self, act: Act) -> None:
        name = self._crew.living(act.who)
        self._say(f"fill the disk of {name} for {act.away:g} s")
        with full_disk(self._crew.pid(name)):
            await asyncio.sleep(act.away)
        self._say(f"the disk of {name} has space")

    async def _with_isolated_workers(self, act: Act) -> None:
        self._say(f"cut the second workers off from all brokers for {act.away:.0f} s")
        with self._cluster.held_from_second(of_anybody):
            await asyncio.sleep(act.away)
        self._say("the second workers can reach the brokers again")

    def _any_broker(self) -> tuple[int, Member]:
        return self._random.choice(list(self._cluster.members.items()))

    async def _without_store(self, act: Act) -> None:
        async with self._store_is_taken:
            self._say(f"{self._store.loss} for {act.away:g} s")
            await self._store.away(act.away)
        self._say("the store is there again")

    async def _with_held_store(self, act: Act) -> None:
        async with self._store_is_taken:
            self._say(f"{self._store.hold} for {act.away:g} s")
            await self._store.held(act.away)
        self._say("the store goes on")

    async def _with_open_transaction(self, act: Act) -> None:
        self._say(f"leave a transaction with requests open for {act.away:g} s")
        await self._strangers.abort_cancels(self._watchers[::7], act.away)
        self._say("the transaction was aborted")

    async def _with_twin(self, act: Act) -> None:
        """Start a third worker with the member id of another one, as from a copied folder."""
        agent, newcomer = act.who, f"{act.who}-3"
        self._say(f"{newcomer} joins with the member id of another {agent} worker")
        home = self._settings.data_dir / "state" / agent
        note = json.loads((home / "1" / "member.json").read_text("utf-8"))
        (home / "3").mkdir(exist_ok=True)
        note["folder"] = str(home / "3")
        (home / "3" / "member.json").write_text(json.dumps(note), "utf-8")
        self._crew.join(newcomer)
        await asyncio.sleep(STAYS)
        self._say(f"{newcomer} leaves")
        await self._crew.leave(newcomer)

    async def _without_ticker(self, act: Act) -> None:
        self._say(f"kill both workers of ticker for {act.away:g} s: every page is overdue")
        for name in ("ticker", "ticker-2"):
            await self._crew.kill(name, act.away)

    async def _with_large_page(self, _: Act) -> None:
        self._say("watch a page of 4.8 MB in 16 ways")
        await self._strangers.replace_large_page()
        self._say("all its words were replaced")

    async def _with_endless_site(self, act: Act) -> None:
        self._say(f"crawl a site without an end for {act.away:g} s")
        await self._strangers.crawl_endless_site(act.away)
        self._say("the crawl was cancelled")

    async def _with_crowd(self, act: Act) -> None:
        self._say(f"watch {self._store.crowd} pages of one host for {act.away:g} s")
        await self._strangers.watch_crowd(act.away, self._store.crowd)
        self._say("none of them is watched any more")

    async def _without_model(self, act: Act) -> None:
        self._say(f"kill the model, back in {act.away:g} s")
        await self._model.killed(act.away)
        self._say("the model is back")

    async def _with_stopped_model(self, act: Act) -> None:
        self._say(f"stop the model for {act.away:g} s (SIGSTOP)")
        await self._model.stopped(act.away)
        self._say("the model goes on")

    async def _without_coordinator(self, act: Act) -> None:
        self._say(f"cut the second workers off from their coordinator for {act.away:g} s")
        with self._cluster.held_from_second(of_members):
            await asyncio.sleep(act.away)
        self._say("the coordinator can be reached again")

    async def _in_rebalance(self, act: Act) -> None:
        """Start a third worker, and kill another one while partitions are reassigned."""
        agent, newcomer = act.who, f"{act.who}-3"
        self._say(f"{newcomer} joins")
        self._crew.join(newcomer)
        state = await self._rebalancing(agent)
        victim = self._crew.living(agent)
        self._say(f"kill {victim} in its rebalance ({state})")
        await self._crew.kill(victim, away=1.0)
        self.in_rebalance += 1
        await asyncio.sleep(STAYS)
        self._say(f"{newcomer} leaves")
        await self._crew.leave(newcomer)

    async def _rebalancing(self, agent: str) -> str:
        """Wait until the group of an agent is in a rebalance, and return its state."""
        admin = AIOKafkaAdminClient(**kafka_access(self._settings).client())
        await eventually(partial(_started, admin), "the broker answers")
        name = group_id(self._settings.topic_prefix, agent)

        async def found() -> str | None:
            try:
                state = (await describe_group(admin, name)).state
            except KafkaError:  # the broker may be the one that was killed
                return None
            return state if state in REBALANCES else None

        try:
            return await eventually(found, f"a rebalance of {agent}")
        finally:
            await admin.close()


async def _started(admin: AIOKafkaAdminClient) -> bool:
    try:
        await admin.start()
    except KafkaError:
        return False
    return True
