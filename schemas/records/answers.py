"""The answers of servers and receivers, which connectors return and agents decide on."""

from collections.abc import Awaitable, Callable, Collection
from dataclasses import dataclass
from typing import Literal

from schemas.records.numbers import NumberReading
from schemas.records.page_requests import PLAIN_REQUEST, PageRequest

PARTIAL_CONTENT = 206

FailureKind = Literal["page", "no_answer", "no_lookup", "no_route", "ours"]
"""Causes of a failed request.

``page``: to the page alone. ``no_answer``: to its host or our connection. ``no_lookup``,
``no_route``: more likely to our connection. ``ours``: to this process.
"""


@dataclass(frozen=True, slots=True)
class Response:
    """The answer of a document's server; ``retry_after`` is in seconds from now.

    ``body`` is read only for a 2xx, or another asked status; ``max_age`` is its freshness (s), None
    if not to be respected. ``url`` is the end of redirects, ``picture`` a JPEG of the page, if
    asked for and taken. ``language`` (ISO 639-1) is from Content-Language, empty without a header.
    """

    status: int
    body: bytes = b""
    content_type: str | None = None
    etag: str | None = None
    last_modified: str | None = None
    retry_after: int | None = None
    max_age: int | None = None
    url: str = ""
    picture: bytes | None = None
    language: str = ""


def status_failure(status: int, accepted: Collection[int]) -> str | None:
    """Return why the status of a response forbids reading, None if readable.

    A 2xx is read, and the ``accepted`` statuses; a part of a page is not, as the whole was asked
    for.

    >>> status_failure(404, ()), status_failure(404, (404,))
    ('HTTP 404', None)
    """
    if status in accepted or (200 <= status < 300 and status != PARTIAL_CONTENT):
        return None
    return "HTTP 206 (a part of the page)" if status == PARTIAL_CONTENT else f"HTTP {status}"


class ViewMissing(Exception):
    """A page was read, but has nothing of its view; the message is for people."""


@dataclass(frozen=True, slots=True)
class PageQuery:
    """A request to a page's server: a canonical URL, and its method.

    ``etag`` and ``last_modified`` are the validators of the last response, None without any; a
    response with any of ``statuses`` has a body like a 2xx.
    """

    url: str
    etag: str | None = None
    last_modified: str | None = None
    statuses: Collection[int] = ()
    request: PageRequest = PLAIN_REQUEST


GetPage = Callable[[PageQuery], Awaitable[Response]]
"""Requests a page."""


@dataclass(frozen=True, slots=True)
class LookedUp:
    """An IP address of a webhook, or the ``reason`` for which there is none.

    Where a proxy looks names up, the host name takes the place of the address. No answer of a name
    server (``is_unanswered``) leaves open whether there is an address.
    """

    address: str
    reason: str = ""
    is_unanswered: bool = False


@dataclass(frozen=True, slots=True)
class WebhookResponse:
    """The result of a POST to a webhook.

    ``status`` is None without an answer; ``reason`` says why the notification was not delivered,
    and is empty after a delivery. ``retry_after`` is in seconds, ``start`` how the body of the
    answer began.
    """

    status: int | None
    reason: str = ""
    retry_after: int | None = None
    start: str = ""

    @property
    def delivered(self) -> bool:
        """Whether the receiver accepted the notification: any 2xx."""
        return self.status is not None and 200 <= self.status < 300


@dataclass(frozen=True, slots=True)
class Heading:
    """The line of a document's text at ``start`` is a heading; level 1 is outermost.

    The heading ends before ``end``; None: at the end of the text.
    """

    start: int
    level: int
    end: int | None = None


@dataclass(frozen=True, slots=True)
class Reading:
    """A document's text, and the content type of its reader.

    ``title`` is a line of at most 300 characters, empty if the document has none; ``headings`` are
    in the order of the text. ``confidence`` (0 to 1) is how much of the least certain quote is the
    same, None if no quote selects a part. ``language`` (ISO 639-1) is the declared language, empty
    without a declaration. ``number`` is the one that the text says, if the view reads a number.
    ``reader`` names what read it, with its version.
    """

    text: str
    content_type: str
    title: str = ""
    headings: tuple[Heading, ...] = ()
    confidence: float | None = None
    language: str = ""
    number: NumberReading | None = None
    reader: str = ""


@dataclass(frozen=True, slots=True)
class ModelQuery:
    """A question to a language model: ``instructions`` of ours, and ``data`` of a page.

    The answer is to be an object of a JSON ``schema`` with a ``name``.
    """

    name: str
    instructions: str
    data: str
    schema: str


@dataclass(frozen=True, slots=True)
class ModelReply:
    """The text of a model, and the tokens that it took; ``error`` says why it wrote nothing.

    With ``is_away`` other questions would get no answer now, either.
    """

    text: str
    tokens: int
    error: str = ""
    is_away: bool = False


AskModel = Callable[[ModelQuery], Awaitable[ModelReply]]
"""Asks a language model; an error is returned, not raised."""
