"""What a stage declares: what it reads, its tables, and how it is built."""

from collections.abc import Callable, Iterable, Mapping
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from prometheus_client import CollectorRegistry

from connectors.kafka.access import Access
from connectors.registry.codec import Codec
from streams.engine.acks.capacity import MAX_BYTES
from streams.engine.runners.stages import BatchedStage, OrderedStage, PoolStage
from streams.values.outcome import Outcome, Publish, Send
from streams.values.topics import DEPLOYMENT, Topic

if TYPE_CHECKING:
    from streams.engine.traces.spans import Tracing

MESSAGES_PER_YIELD = 50
"""Many events need no waiting of their own, and a lane decides at once on what has come."""
LINGER_MS = 5
"""Waiting a little for others spares a tenth of all CPU under load."""


@dataclass(frozen=True, slots=True)
class Tools:
    """What a stage is built with: a way to publish, the partition count, a metrics registry.

    ``tracing`` is None if no traces are wanted.
    """

    publish: Publish
    partitions: int
    registry: CollectorRegistry
    tracing: "Tracing | None" = None


@dataclass(frozen=True, slots=True)
class TableSpec:
    """A table by its name; rows expire after ``ttl`` seconds, or never."""

    name: str
    ttl: int | None = None


def _nothing(_: object) -> Mapping[str, int]:
    return {}


@dataclass(frozen=True, slots=True)
class Worker:
    """A stage as a process: what it reads, its tables, how it is built.

    Exactly one of ``ordered``, ``pool`` and ``batched`` builds the stage. ``timer`` decides each
    second for an owned partition of the stage at a time (epoch ms): that of an ordered stage
    returns an outcome, that of a pool yields what to send.
    ``max_in_flight`` events are at work at a time; their messages have about
    ``max_in_flight_bytes`` together at most. Of a pool's events, ``max_in_progress`` are begun
    and not yet durable at a time, without those that wait for the world; None for all. All that
    is on the topic ``first`` at an assignment is done before anything else of its partition is
    read. At a stop or a revoke, the events at work have ``drain_s`` to finish; the rest is read
    again. A poll for messages is followed by a pause of ``poll_pause_s``, so that more come at
    once, and outputs wait for others for ``linger_ms``, 0 where a notification would wait with
    them. After ``messages_per_yield`` messages the event loop begins the work that they ask for.
    ``sizes`` counts the entries in the stage's memory, by kind. Of what cannot be read on topics
    that are ``reported_elsewhere`` other stages make dead letters.

    Example:
        >>> Worker("copy", reads=(CHANGES,), ordered=lambda tools: CopyStage())  # doctest: +SKIP
    """

    name: str
    reads: tuple[Topic, ...]
    ordered: Callable[[Tools], OrderedStage] | None = None
    pool: Callable[[Tools], AbstractAsyncContextManager[PoolStage]] | None = None
    batched: Callable[[Tools], AbstractAsyncContextManager[BatchedStage]] | None = None
    tables: tuple[TableSpec, ...] = ()
    timer: Callable[[Any, int, int], Outcome | Iterable[Send]] | None = None
    max_in_flight: int = 1000
    max_in_flight_bytes: int = MAX_BYTES
    max_in_progress: int | None = None
    first: Topic | None = None
    drain_s: float = 5.0
    poll_pause_s: float = 0.0
    messages_per_yield: int = MESSAGES_PER_YIELD
    linger_ms: int = LINGER_MS
    sizes: Callable[[Any], Mapping[str, int]] = _nothing
    reported_elsewhere: tuple[Topic, ...] = ()


@dataclass(frozen=True, slots=True)
class Member:
    """A worker as a member of its stage's group, with the folder of its state.

    Its ``id`` is unique in the group and stays the same over restarts (Kafka's static
    membership): a worker that is back within the session timeout takes up its partitions
    at once.
    """

    worker: Worker
    folder: Path
    id: str


@dataclass(frozen=True, slots=True)
class Cluster:
    """Where a process runs: the access to the brokers, and what all its stages share.

    Metrics are served on the address ``metrics``, which is noted in the folder ``noted``.
    ``codec`` is started.
    """

    access: Access
    prefix: str
    partitions: int
    metrics: str
    noted: Path
    codec: Codec

    @property
    def deployment(self) -> str:
        """The full name of the topic that says how many partitions there are."""
        return self.prefix + DEPLOYMENT.name
