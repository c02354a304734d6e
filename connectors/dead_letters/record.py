"""A dead letter: an unchanged message, and headers with its origin and failure."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum, auto
from typing import Self

from aiokafka import ConsumerRecord

ERRORS = "__connect.errors."
"""Header names are those of Kafka Connect's dead letter queues (KIP-298)."""
CUT = "vokter-cut"
"""Header of a cut dead letter: the original size in bytes."""

Headers = tuple[tuple[str, bytes | None], ...]


Origin = tuple[str, int, int]
"""Topic (without prefix), partition and offset of the failed message."""


class LetterRefusal(Enum):
    """Causes for which dead letters cannot be put back."""

    FOREIGN = auto()
    NO_PARTITION = auto()
    CUT = auto()
    GONE = auto()
    OTHER = auto()
    FORMER_PARTITION = auto()


class DeadLetterError(LookupError):
    """The dead letter is gone, or cannot be put back; the text says why."""

    def __init__(self, text: str, cause: LetterRefusal | None = None) -> None:
        """``cause`` is the cause of an impossible replay."""
        super().__init__(text)
        self.cause = cause


@dataclass(frozen=True, slots=True)
class DeadLetter:
    """A dead letter; ``at`` in epoch ms.

    ``key``, ``value`` and ``headers`` are the failed message's; ``errors`` are the headers of its
    agent, without the prefix. ``whole`` is False if the message was too large to be kept, or had
    neither key nor value.
    """

    partition: int
    offset: int
    at: int
    key: bytes | None
    value: bytes | None
    headers: Headers
    errors: Mapping[str, str]
    whole: bool

    @classmethod
    def of(cls, message: ConsumerRecord) -> Self:
        """Parse a message of the topic of dead letters.

        The agent's headers begin with the *last* header of its first name: the message may have
        headers of the same names, if already a dead letter elsewhere.
        """
        names = [name for name, _ in message.headers]
        wanted = f"{ERRORS}topic"
        first = next((i for i in reversed(range(len(names))) if names[i] == wanted), len(names))
        added, found = message.headers[first:], message.headers[:first]
        errors = {n.removeprefix(ERRORS): (v or b"").decode("utf-8", "replace") for n, v in added}
        whole = not (found and found[-1][0] == CUT)
        return cls(
            partition=message.partition,
            offset=message.offset,
            at=message.timestamp,
            key=message.key,
            value=message.value,
            headers=tuple(found if whole else found[:-1]),
            errors=errors,
            whole=whole,
        )

    @property
    def size(self) -> int:
        """Bytes of the message, without the headers of its agent."""
        headers = sum(len(name.encode()) + len(content or b"") for name, content in self.headers)
        return len(self.key or b"") + len(self.value or b"") + headers

    @property
    def id(self) -> str:
        """``PARTITION:OFFSET`` on the topic of dead letters."""
        return f"{self.partition}:{self.offset}"

    @property
    def origin(self) -> Origin | None:
        """Topic (without prefix), partition and offset of the message; None if missing."""
        try:
            return (
                self.errors["topic"],
                int(self.errors["partition"]),
                int(self.errors["offset"]),
            )
        except (KeyError, ValueError):
            return None

    @property
    def origin_topic(self) -> str:
        """The topic of the message, ``?`` if unknown."""
        return self.origin[0] if self.origin else "?"

    @property
    def agent(self) -> str:
        """The agent, or the manager, of the failure."""
        return self.errors.get("stage", "")

    @property
    def reason(self) -> str:
        """The reason for which the message was given up."""
        return self.errors.get("exception.message", "")
