"""What the agents meet outside: documents, and receivers."""

from dataclasses import dataclass, field

from schemas.codec.body import body
from schemas.records.answers import PageQuery, Reading, Response, WebhookResponse
from schemas.records.notifications import Notification
from tests.model.cluster import Cluster

WORDS = ("alpha", "beta", "gamma")
Words = frozenset[str]
GONE = 410


class Unreachable(Exception):
    """A document that cannot be fetched."""


def text(words: Words) -> str:
    """Write words in their places among others that never change."""
    return "\n".join(f"place {number} {w if w in words else ''}" for number, w in enumerate(WORDS))


def read_words(text: str) -> Words:
    """Return the words of a text."""
    return frozenset(text.split()) & frozenset(WORDS)


@dataclass
class Document:
    """A document on the web. ``failed`` counts its failures since it was last read."""

    words: Words = frozenset()
    fails: bool = False
    failed: int = 0
    edition: int = 1


class Web:
    """All documents; every other one has an ETag."""

    def __init__(self, urls: tuple[str, ...]) -> None:
        self.documents = {url: Document() for url in urls}

    async def get(self, query: PageQuery) -> Response:
        """Answer a conditional request."""
        document = self.documents[query.url]
        if document.fails:
            document.failed += 1
            raise Unreachable
        document.failed = 0
        own = f'"{document.edition}"' if query.url.endswith("tagged") else None
        if own is not None and own == query.etag:
            return Response(304, etag=own)
        return Response(200, text(document.words).encode(), "text/plain", own)

    def change(self, url: str, words: Words) -> None:
        """Change a document, perhaps to what it said before."""
        self.documents[url].words = words
        self.documents[url].edition += 1

    def turn_over(self, url: str) -> None:
        """Change a document to all that it did not say."""
        self.change(url, frozenset(WORDS) - self.documents[url].words)


def read(content: bytes, header: str | None, chosen: str | None) -> Reading:
    """Read a document."""
    return Reading(content.decode(), chosen or header or "text/plain")


@dataclass(frozen=True, slots=True)
class Post:
    """One POST as a receiver saw it, and whether it took it."""

    client: str
    id: str
    content: bytes
    taken: bool


@dataclass
class Receivers:
    """All receivers; the next ``refusals`` POSTs are answered 500, those of ``gone`` ones 410."""

    cluster: Cluster
    posts: list[Post] = field(default_factory=list)
    refusals: int = 0
    gone: set[str] = field(default_factory=set)

    def behave(self, client: str, answers: str) -> None:
        """Let a receiver go or come back, or the next POSTs be refused."""
        match answers:
            case "gone":
                self.gone.add(client)
            case "back":
                self.gone.discard(client)
            case _:
                self.refusals += 2 if "twice" in answers else 1

    async def post(self, client: str, notification: Notification) -> WebhookResponse:
        """Accept a POST, or refuse it."""
        self.cluster.step()
        status = self._status(client)
        self.posts.append(Post(client, notification.id, body(notification), status < 300))
        self.cluster.step()
        return WebhookResponse(status, "" if status < 300 else f"answered {status}")

    def _status(self, client: str) -> int:
        if client in self.gone:
            return GONE
        if self.refusals > 0:
            self.refusals -= 1
            return 500
        return 204
