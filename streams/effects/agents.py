"""The agents as members of their groups: each is built by the module of its name here."""

from collections.abc import Callable, Mapping
from functools import partial
from importlib import import_module
from pathlib import Path

from connectors.registry.codec import Codec
from streams.app import reported_elsewhere
from streams.effects.connections import kafka_access
from streams.engine.life.membership import SessionTimes
from streams.engine.members import Cluster, Member
from streams.settings import Settings
from streams.values.agent import Agent, group_id


def member(
    settings: Settings, agent: Agent, folder: Path, member_id: str, drop_id: Callable[[], None]
) -> Member:
    """Return a worker of an agent as a member of its group."""
    # Imported for that agent alone: what it is built of takes 4 to 12 MB.
    build = import_module(f"{__package__}.{agent.name}").build
    elsewhere = reported_elsewhere(agent)
    return Member(agent, partial(build, settings), folder, member_id, drop_id, elsewhere)


def cluster(settings: Settings, codec: Codec, session: SessionTimes) -> Cluster:
    """Return where a process of workers runs."""
    return Cluster(
        access=kafka_access(settings),
        prefix=settings.topic_prefix,
        partitions=settings.partitions,
        retention_ms=settings.retention_ms,
        metrics=settings.metrics,
        noted=settings.metrics_folder,
        codec=codec,
        session=session,
    )


def consumer_groups(
    prefix: str, agents: Mapping[str, Agent]
) -> dict[str, tuple[str, tuple[str, ...]]]:
    """Return the group of each agent, and the full names of its topics."""
    return {
        name: (group_id(prefix, name), tuple(prefix + topic.name for topic in agent.reads))
        for name, agent in agents.items()
    }
