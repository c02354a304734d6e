"""What the sending processes are asked, and what they answer; each is a line of JSON."""

from dataclasses import dataclass

from msgspec import json

from schemas.records.notifications import Notification

SECONDS = 15
"""How long one piece of work may take."""
READY = b"\n"
"""What a process answers before all else, as soon as it can be asked."""
PROXY = "SENDING_PROXY"
"""Environment variable of a process: the URL of the proxy that makes all its connections."""
CPU_SECONDS = 1
"""How much of a processor it may take."""


@dataclass(frozen=True, slots=True)
class Egress:
    """Where a process may connect to: what an ``EgressPolicy`` is made of.

    Without ``webhooks``, an address may not be that of a webhook by another name.
    """

    networks: tuple[str, ...] = ()
    ports: tuple[int, ...] = ()
    own: tuple[int, ...] = ()
    webhooks: bool = True


@dataclass(frozen=True, slots=True)
class Dated:
    """A notification of a digest, and its time as people of the channel read it."""

    notification: Notification
    at: str


@dataclass(frozen=True, slots=True)
class Work:
    """Send a notification or a digest to an address; without one, say whether that is usable.

    ``title`` and ``body`` are templates, empty for our own texts.
    """

    address: str
    egress: Egress
    notification: Notification | None = None
    title: str = ""
    body: str = ""
    digest: tuple[Dated, ...] = ()


@dataclass(frozen=True, slots=True)
class Answer:
    """What became of it: ``reason`` is empty if it was done; no address is in it.

    ``status`` is what a server answered by HTTP or SMTP, ``retry_after`` (s) when it wants to be
    asked again.
    """

    reason: str = ""
    status: int | None = None
    retry_after: int | None = None


_WORK, _ANSWER = json.Decoder(Work), json.Decoder(Answer)


def encode(message: Work | Answer) -> bytes:
    """Write a message as a line."""
    return json.encode(message) + b"\n"


def decode_work(line: bytes) -> Work:
    """Read what a process is asked."""
    return _WORK.decode(line)


def decode_answer(line: bytes) -> Answer:
    """Read what a process answers; raises msgspec.DecodeError for what is none."""
    return _ANSWER.decode(line)
