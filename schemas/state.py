"""What the stages keep in their tables; each has an Avro record, as facts do."""

from dataclasses import dataclass

from schemas.facts import Notification, Subscription, Watch


@dataclass(frozen=True, slots=True)
class Applied:
    """The last request of one ``subscription-requests`` partition that was decided."""

    partition: int
    offset: int


@dataclass(frozen=True, slots=True)
class RequestAnswer:
    """How a request was answered; ``code`` 0 for yes, else the REST code.

    ``action`` is the name of the request's record.
    """

    request_id: str
    action: str
    code: int
    subscription: str


@dataclass(frozen=True, slots=True)
class Registration:
    """All that the register knows of one (manager, document, client).

    ``subscription`` is None while there is none; ``applied`` and ``answers``
    make a replayed or repeated request find its first answer.
    """

    subscription: Subscription | None
    applied: tuple[Applied, ...]
    answers: tuple[RequestAnswer, ...]
    at: int


@dataclass(frozen=True, slots=True)
class Scheduled:
    """The watch of a URL, and since when (epoch ms) it has been due."""

    url: str
    watch: Watch
    since: int


@dataclass(frozen=True, slots=True)
class TickedThrough:
    """The time (epoch ms) up to which a partition's due fetches were commanded."""

    time: int


@dataclass(frozen=True, slots=True)
class Queued:
    """A notification that waits for its next attempt, at ``due`` (epoch ms) or later.

    ``place`` is the offset of its notification, by which those of one client
    and document keep their order. ``redelivery`` is the offset of the command
    that asked for it again, None where nobody did.
    """

    notification: Notification
    attempts: int
    due: int
    place: int
    redelivery: int | None


@dataclass(frozen=True, slots=True)
class FailingClient:
    """A receiver that has only failed since a time, and whether it is gone.

    ``last`` is when it failed last (epoch ms as well). ``since`` moves on by
    the time for which nobody asked it.
    """

    since: int
    gone: bool
    last: int


@dataclass(frozen=True, slots=True)
class Proof:
    """Whether a receiver has proved that it wants to be told.

    Until it is ``given``: since when (epoch ms) it is asked, how many challenges were
    ``made``, when the next is ``due``, and why the last failed.
    """

    given: bool
    since: int
    made: int
    due: int
    reason: str


@dataclass(frozen=True, slots=True)
class ChallengedHost:
    """When (epoch ms) the last challenges of a host were granted."""

    times: tuple[int, ...]


State = Registration | Scheduled | TickedThrough | Queued | FailingClient | Proof | ChallengedHost
