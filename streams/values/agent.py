"""The declaration of an agent: its inputs, decisions, tables and outputs."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Literal

from schemas.records.topics import Topic
from streams.values.outcome import Send

MAX_IN_FLIGHT_BYTES = 16 * 1024 * 1024
"""A decoded message takes several times as much memory as its bytes."""
MESSAGES_PER_YIELD = 50
"""Many events need no waiting of their own, and a lane decides at once on what has come."""
LINGER_MS = 5
"""Waiting a little for others spares a tenth of all CPU under load."""

COMMON_PROCESS = "agents"
"""The process of `vokter up` for agents without another one."""

Runner = Literal["ordered", "pool", "batched"]
"""An ordered agent decides on the events of a partition in sequence, from its memory alone. A pool
handles the events of many keys at once. A batched agent writes many events at once."""


def group_id(prefix: str, agent: str) -> str:
    """Return the consumer group of an agent."""
    return prefix + agent


def changelog_topic(prefix: str, agent: str, table: str) -> str:
    """Return the changelog topic of an agent's table.

    Example:
        >>> changelog_topic("vokter.", "match", "subscriptions")
        'vokter.match-subscriptions-changelog'
    """
    return f"{group_id(prefix, agent)}-{table}-changelog"


@dataclass(frozen=True, slots=True)
class Table:
    """A table: its name, its kinds of records, and the lifetime of its rows.

    Rows expire ``kept_s`` seconds after they were written, or never. With ``after_retention`` these
    seconds begin when retention has deleted the subject of a row.
    """

    name: str
    rows: tuple[type[Any], ...]
    kept_s: int | None = None
    after_retention: bool = False

    def ttl_s(self, retention_ms: int) -> int | None:
        """Return the seconds after which a row expires; None if none does."""
        if self.kept_s is None or not self.after_retention:
            return self.kept_s
        return retention_ms // 1000 + self.kept_s


@dataclass(frozen=True, slots=True)
class Agent:
    """A stateful stream app: a consumer group with tables, of as many workers as are started.

    ``streams.effects.NAME`` builds its processor. The agent ``does`` something for users, in a few
    words, and writes the next topic of a change first; dead letters are possible, too. ``key``
    names the partitioning of its input messages. All events on the topic ``first`` at an assignment
    are done before anything else of the partition is read. An agent with ``timer_s`` decides also
    in this interval, for each partition of its worker.

    A deployment works without an ``is_optional`` agent. An agent ``aside`` handles only some
    changes. On several cores the agents of `vokter up` share a ``process`` by its name, on one core
    all do, but an agent ``apart`` shares its process with no other. An agent which ``has_store``
    needs the store from its start.

    ``max_in_flight`` events are at work at a time; their messages have about
    ``max_in_flight_bytes`` together at most. Of a pool's events, ``max_in_progress`` are begun and
    not yet durable at a time, without those in wait for the world; None for all. At a stop or a
    revoke, the events at work have ``drain_s`` to finish; the rest is read again. A poll for
    messages is followed by a pause of ``poll_pause_s``, so more come at once, and a few outcomes
    wait for others for ``linger_ms``, 0 if a notification would wait with them. After
    ``messages_per_yield`` messages the event loop begins their work. Outputs made durable together
    are ``joined`` before: fewer messages may say the same.
    """

    name: str
    does: str
    runner: Runner
    reads: tuple[Topic, ...]
    key: str
    writes: tuple[Topic, ...] = ()
    first: Topic | None = None
    tables: tuple[Table, ...] = ()
    timer_s: float | None = None
    is_optional: bool = False
    aside: bool = False
    apart: bool = False
    process: str = COMMON_PROCESS
    has_store: bool = False
    max_in_flight: int = 1000
    max_in_flight_bytes: int = MAX_IN_FLIGHT_BYTES
    max_in_progress: int | None = None
    drain_s: float = 5.0
    poll_pause_s: float = 0.0
    messages_per_yield: int = MESSAGES_PER_YIELD
    linger_ms: int = LINGER_MS
    joined: Callable[[Iterable[Send]], Iterable[Send]] = iter
