"""Claims: store, signing key and partitions, which all workers of a deployment share."""

from dataclasses import dataclass

from schemas.records.field_types import Count, Name, Time


@dataclass(frozen=True, slots=True)
class StoreClaimed:
    """All workers of this deployment use one store; ``place`` says where it is.

    ``replaces`` says that it took another one's place on purpose.
    """

    store: str
    place: str
    at: Time
    replaces: bool


@dataclass(frozen=True, slots=True)
class KeyClaimed:
    """Webhooks are signed with the key of this fingerprint.

    ``replaces`` says that it took another one's place on purpose.
    """

    fingerprint: str
    replaces: bool
    at: Time


@dataclass(frozen=True, slots=True)
class CommittedOffsets:
    """The offsets that an agent had committed in a topic, in the order of the partitions.

    ``topic`` is without its prefix.
    """

    agent: Name
    topic: Name
    offsets: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Partitioned:
    """All topics have so many ``partitions``, and had ``former`` before.

    Until it ``is_done`` no worker may run. What they had ``committed`` is noted once all have
    stopped, and before anything is changed. ``begun`` (epoch ms) is the id of the move.
    """

    partitions: Count
    former: Count
    begun: Time
    committed: tuple[CommittedOffsets, ...] = ()
    is_done: bool = False
