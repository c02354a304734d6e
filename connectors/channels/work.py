"""Work for the sending processes, and their answers, in JSON.

A compromised process must not choose the input for its parent's unpickling.
"""

from dataclasses import dataclass

from msgspec import json

from connectors.languages.texts import ENGLISH
from schemas.records.notifications import Notification


@dataclass(frozen=True, slots=True)
class Egress:
    """The values of an ``EgressPolicy``, which says where a process may connect to.

    Without ``webhooks``, a webhook's address by another name is forbidden.
    """

    networks: tuple[str, ...] = ()
    ports: tuple[int, ...] = ()
    own: tuple[int, ...] = ()
    webhooks: bool = True


@dataclass(frozen=True, slots=True)
class Links:
    """Links of a message to Vokter's page, all empty if there is none to link to.

    ``news`` shows the notification, ``shown`` are the visible links, each with its label (in
    English), and ``stop`` ends the watch by a POST of a mail program (RFC 8058).
    """

    news: str = ""
    shown: tuple[tuple[str, str], ...] = ()
    stop: str = ""


NO_LINKS = Links()


@dataclass(frozen=True, slots=True)
class Dated:
    """A notification of a digest, its time in the time zone of the channel, and its links."""

    notification: Notification
    at: str
    links: Links = NO_LINKS


@dataclass(frozen=True, slots=True)
class Work:
    """Send a notification or a digest to an address; without any, check the address.

    ``title`` and ``body`` are templates, empty for our own texts. ``links`` are the links of the
    single notification. ``language`` is the tag of our texts.
    """

    address: str
    egress: Egress
    notification: Notification | None = None
    title: str = ""
    body: str = ""
    digest: tuple[Dated, ...] = ()
    links: Links = NO_LINKS
    language: str = ENGLISH.tag


@dataclass(frozen=True, slots=True)
class Answer:
    """The result of work: ``reason`` is empty after a success, and has no address.

    ``status`` is a server's answer by HTTP or SMTP, ``retry_after`` (s) its wish for the next
    attempt.
    """

    reason: str = ""
    status: int | None = None
    retry_after: int | None = None


_WORK, _ANSWER = json.Decoder(Work), json.Decoder(Answer)


def encode(message: Work | Answer) -> bytes:
    """Write a message."""
    return json.encode(message)


def decode_work(message: bytes) -> Work:
    """Read the work of a process."""
    return _WORK.decode(message)


def decode_answer(message: bytes) -> Answer:
    """Read the answer of a process; raises msgspec.DecodeError for anything else."""
    return _ANSWER.decode(message)
