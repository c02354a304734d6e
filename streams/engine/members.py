"""The members of agents' groups, the tools that build them, and the cluster that they run in."""

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from prometheus_client import CollectorRegistry

from connectors.kafka.access import Access
from connectors.registry.codec import Codec
from schemas.records.topics import DEPLOYMENT, Topic
from streams.engine.life.membership import SessionTimes
from streams.values.agent import Agent
from streams.values.outcome import Publish

if TYPE_CHECKING:
    from streams.engine.traces.spans import Tracing


@dataclass(frozen=True, slots=True)
class Tools:
    """The tools that build an agent: a way to publish, the partition count, a metrics registry.

    ``tracing`` is None if no traces are wanted.
    """

    publish: Publish
    partitions: int
    registry: CollectorRegistry
    tracing: "Tracing | None" = None


Build = Callable[[Tools], AbstractAsyncContextManager[Any]]
"""Builds the processor of an agent, of the kind of its runner; closes what it uses at the end."""


@dataclass(frozen=True, slots=True)
class Member:
    """A worker of an agent as a member of its group, with the folder of its state.

    Its ``id`` is unique in the group and stays the same over restarts (Kafka's static
    membership): a worker that is back within the session timeout takes up its partitions
    at once. A worker that is put out of its group calls ``drop_id`` and starts again with another
    id, for two workers with one put each other out without end. Of what cannot be read on topics
    that are ``reported_elsewhere`` other agents make dead letters.
    """

    agent: Agent
    build: Build
    folder: Path
    id: str
    drop_id: Callable[[], None]
    reported_elsewhere: frozenset[Topic] = frozenset()


@dataclass(frozen=True, slots=True)
class Cluster:
    """The cluster of a process: the access to the brokers, and all that its agents share.

    Topics keep messages for ``retention_ms``. Metrics are served on the address ``metrics``, which
    is noted in the folder ``noted``. ``codec`` is started. The workers have a ``session`` in
    their groups.
    """

    access: Access
    prefix: str
    partitions: int
    retention_ms: int
    metrics: str
    noted: Path
    codec: Codec
    session: SessionTimes

    @property
    def deployment(self) -> str:
        """The full name of the topic that says how many partitions there are."""
        return self.prefix + DEPLOYMENT.name
