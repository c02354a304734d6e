"""Claims: store, signing key and partitions, which all workers of a deployment share."""

from dataclasses import dataclass

from schemas.records.field_types import Count, Name, Time


@dataclass(frozen=True, slots=True)
class StoreClaimed:
    """All workers of this deployment use the same store, at ``place``.

    ``replaces`` says whether another store was replaced on purpose.
    """

    store: str
    place: str
    at: Time
    replaces: bool


@dataclass(frozen=True, slots=True)
class KeyClaimed:
    """Webhooks are signed with the key of this fingerprint.

    ``replaces`` says whether another key was replaced on purpose.
    """

    fingerprint: str
    replaces: bool
    at: Time


@dataclass(frozen=True, slots=True)
class CommittedOffsets:
    """The offsets committed by an agent in a topic, in the order of the partitions.

    ``topic`` is without its prefix.
    """

    agent: Name
    topic: Name
    offsets: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Partitioned:
    """All topics have so many ``partitions``, and had ``former`` before.

    No worker may run until ``is_done``. The ``committed`` offsets are noted once all have stopped,
    and before any change. ``begun`` (epoch ms) is the id of the move.
    """

    partitions: Count
    former: Count
    begun: Time
    committed: tuple[CommittedOffsets, ...] = ()
    is_done: bool = False
