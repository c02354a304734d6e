"""Wait until no worker of a deployment runs, and note how far each of them came."""

import asyncio
from collections.abc import Callable, Iterable

from aiokafka import AIOKafkaConsumer
from aiokafka.admin import AIOKafkaAdminClient

from connectors.kafka.groups import all_partitions, describe_group
from schemas.records.claims import CommittedOffsets
from streams.app import AGENTS
from streams.values.agent import group_id

STOP_TIMEOUT_S = 120.0
LOOK_EVERY_S = 1.0


class StillRunning(Exception):
    """Workers do not stop; the text names them, and the remedy."""


async def await_stopped(
    admin: AIOKafkaAdminClient, prefix: str, say: Callable[[str], None]
) -> None:
    """Wait until no agent has a worker in its group; raises StillRunning."""
    said = ""
    try:
        async with asyncio.timeout(STOP_TIMEOUT_S):
            # ASYNC110: other processes have no event to wait for
            while running := await _running(admin, prefix):
                if (line := ", ".join(running)) != said:
                    say(f"Waiting for the workers to stop: {line}")
                    said = line
                await asyncio.sleep(LOOK_EVERY_S)
    except TimeoutError:
        raise StillRunning(
            f"These workers have not stopped within {STOP_TIMEOUT_S:g} s: {said}. Nothing has "
            "been changed yet. Stop them, and run the same command again; or run it with the "
            "present number of partitions, and the others go on as before."
        ) from None


async def _running(admin: AIOKafkaAdminClient, prefix: str) -> list[str]:
    groups = [(agent, await describe_group(admin, group_id(prefix, agent))) for agent in AGENTS]
    return [agent for agent, group in groups if group.members]


async def committed_offsets(
    admin: AIOKafkaAdminClient, consumer: AIOKafkaConsumer, prefix: str, partitions: int
) -> tuple[CommittedOffsets, ...]:
    """Return how far each agent has come in each topic; raises KafkaError."""
    found = []
    for name, agent in AGENTS.items():
        committed = (await describe_group(admin, group_id(prefix, name))).committed
        for topic in agent.reads:
            places = all_partitions([prefix + topic.name], partitions)
            begins = await consumer.beginning_offsets(places)
            # What retention deleted before it was read cannot be read any more.
            offsets = tuple(max(committed.get(tp, 0), begins[tp]) for tp in places)
            found.append(CommittedOffsets(name, topic.name, offsets))
    return tuple(found)


async def await_alone(admin: AIOKafkaAdminClient, group: str, timeout_s: float) -> bool:
    """Return whether a group has a single member; a killed member counts for some seconds."""
    for _ in range(int(timeout_s)):
        if (await describe_group(admin, group)).members == 1:
            return True
        await asyncio.sleep(LOOK_EVERY_S)
    return False


def topics_of(committed: Iterable[CommittedOffsets]) -> dict[str, dict[str, tuple[int, ...]]]:
    """Return by topic how far each agent has come."""
    found: dict[str, dict[str, tuple[int, ...]]] = {}
    for each in committed:
        found.setdefault(each.topic, {})[each.agent] = each.offsets
    return found
