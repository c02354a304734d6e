"""A request to the register, and all that bears on its decision."""

from dataclasses import dataclass
from functools import cached_property

from schemas.records.requests import ClientRequest
from schemas.records.table_rows import Registration
from streams.agents.match.register.registrations import NOTHING, Registrations
from streams.agents.match.register.requests import Target
from streams.values.ids import content_id


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a request was first read; ``timestamp`` in epoch ms."""

    partition: int
    offset: int
    timestamp: int


@dataclass(frozen=True)
class RequestCase:
    """A request to decide, with its request id set, and all that bears on it.

    ``keywords`` are the valid ones of a Subscribe; ``registrations`` are all of its URL, by
    ``row_key``.
    """

    request: ClientRequest
    target: Target
    origin: Origin
    keywords: tuple[str, ...]
    registrations: Registrations

    @property
    def at(self) -> int:
        """The time of the decision (epoch ms), never before an earlier one of this URL."""
        return max(self.origin.timestamp, self.registrations.latest)

    @cached_property
    def key(self) -> bytes:
        """The table key of the registration that the request is about."""
        return row_key(self.target)

    @cached_property
    def known(self) -> Registration:
        """What is registered before the request."""
        return self.registrations.get(self.key, NOTHING)


def row_key(target: Target) -> bytes:
    """Return the table key of a registration: its URL, then manager and receiver.

    The URL comes first so that all registrations of a document are found together.
    """
    receiver = target.receiver
    who = content_id(target.manager, receiver.client_url, receiver.session)
    return f"{target.url}\0{who}".encode()
