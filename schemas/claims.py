"""What all workers of a deployment share: its store and its signing key."""

from dataclasses import dataclass

from schemas.kinds import Time


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
