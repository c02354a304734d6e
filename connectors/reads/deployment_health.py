"""The health of a deployment: the agents' consumer groups, the broker and the store."""

import asyncio
import hmac
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from aiokafka import AIOKafkaConsumer
from aiokafka.admin import AIOKafkaAdminClient
from aiokafka.errors import KafkaError

from connectors.kafka.groups import describe_group, end_offsets_of
from connectors.kafka.standstill import StandstillClock
from connectors.kafka.transactions import OPEN_AFTER_S, held_up_messages, open_transactions
from connectors.stores.ports import StoreHealth

STALLED_AFTER_S = 60.0
TIMEOUT_S = 5.0
OK, DOWN = "ok", "down"


@dataclass(frozen=True, slots=True)
class Deployment:
    """The parts to check: brokers (``host:port,…``), and the group and topics of each agent.

    ``id`` is the deployment's, by which ``vokter up`` recognises its own API.
    """

    id: str
    kafka: str
    partitions: int
    groups: Mapping[str, tuple[str, tuple[str, ...]]]


@dataclass(frozen=True, slots=True)
class Health:
    """The health: ``ok`` or the problem of each agent, and all problems, the store's too.

    ``kafka`` and ``store`` are addresses.
    """

    deployment: str
    kafka: str
    store: str
    agents: Mapping[str, str]
    problems: Sequence[str]

    @property
    def status(self) -> str:
        """Whether everything works."""
        return DOWN if self.problems else OK


@dataclass
class HealthReader:
    """Asks broker and store; ``clock`` is monotonic, in seconds.

    ``own`` returns a problem of this process, None if there is none.
    """

    deployment: Deployment
    store: StoreHealth
    admin: AIOKafkaAdminClient
    consumer: AIOKafkaConsumer
    clock: Callable[[], float]
    own: Callable[[], str | None]
    _commits: defaultdict[str, StandstillClock] = field(
        default_factory=lambda: defaultdict(StandstillClock)
    )
    _stable: StandstillClock = field(default_factory=StandstillClock)
    _check: "asyncio.Task[Health] | None" = None

    async def state(self) -> Health:
        """Return the health; simultaneous callers share a round of questions."""
        if self._check is None or self._check.done():
            self._check = asyncio.create_task(self._state())
        # Shared, because anybody may call this without a key, and it asks the broker much.
        return await asyncio.shield(self._check)

    async def _state(self) -> Health:
        problems = await self._store_problem()
        groups = self.deployment.groups
        states = await asyncio.gather(*(self._agent(*group) for group in groups.values()))
        agents = dict(zip(groups, states, strict=True))
        problems += [f"{name}: {state}" for name, state in agents.items() if state != OK]
        problems += [f"kafka: {each}" for each in await self._open_transactions()]
        problems += filter(None, [self.own()])
        id_, kafka, store = self.deployment.id, self.deployment.kafka, self.store.location
        return Health(id_, kafka, store, agents, problems)

    async def _store_problem(self) -> list[str]:
        try:
            async with asyncio.timeout(TIMEOUT_S):
                await self.store.ping()
        except TimeoutError:
            return [f"store: it cannot be written, or takes more than {TIMEOUT_S:g} s for it"]
        except OSError as error:
            return [f"store: {error!r}"]
        return []

    async def _open_transactions(self) -> Sequence[str]:
        """Return which topics a transaction of any producer holds up."""
        topics = sorted({topic for _, reads in self.deployment.groups.values() for topic in reads})
        try:
            async with asyncio.timeout(TIMEOUT_S):
                found = await held_up_messages(self.consumer, topics, self.deployment.partitions)
        except (KafkaError, OSError):  # the agents' states say so
            return ()
        now = self.clock()
        self._stable.note(now, found)
        return open_transactions(self._stable.ages(now), OPEN_AFTER_S)

    async def _agent(self, name: str, topics: tuple[str, ...]) -> str:
        try:
            async with asyncio.timeout(TIMEOUT_S):
                group = await describe_group(self.admin, name)
                end = await end_offsets_of(self.consumer, topics, self.deployment.partitions)
        except (KafkaError, OSError) as error:
            return f"the broker does not answer: {error!r}"
        missing = end.keys() - group.held
        if missing:
            return f"{group.state.lower()}, no worker has {len(missing)} of {len(end)} partitions"
        # A committed offset stands still while messages wait.
        now, commits = self.clock(), self._commits[name]
        offsets = {partition: group.committed.get(partition, 0) for partition in end}
        commits.note(now, {tp: (offset, end[tp] - offset) for tp, offset in offsets.items()})
        for partition, age in commits.ages(now).items():
            if age > STALLED_AFTER_S:
                return f"no commit for {age:.0f} s on {partition.topic}/{partition.partition}"
        return OK


def deployment_id(signing_key: bytes, kafka: str, store: str) -> str:
    """Return an id of a deployment, from which its brokers and its store cannot be guessed.

    >>> deployment_id(b"k" * 32, "127.0.0.1:9092", "store.db")
    'cb0fe8782394d9d9'
    """
    return hmac.digest(signing_key, f"deployment:{kafka}\n{store}".encode(), "sha256").hex()[:16]
