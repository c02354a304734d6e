"""What the world answered, as connectors give it and stages decide on it."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Response:
    """What a document's server answered; ``retry_after`` in seconds from now.

    ``body`` is read only for a 2xx; ``max_age`` is how long (s) it stays fresh, where
    that is to be respected.
    """

    status: int
    body: bytes = b""
    content_type: str | None = None
    etag: str | None = None
    last_modified: str | None = None
    retry_after: int | None = None
    max_age: int | None = None


@dataclass(frozen=True, slots=True)
class WebhookResponse:
    """What came of one POST to a webhook.

    ``status`` is None when there was no answer; ``reason`` says why it is no
    delivery, and is empty when it is one. ``retry_after`` is in seconds.
    """

    status: int | None
    reason: str = ""
    retry_after: int | None = None

    @property
    def delivered(self) -> bool:
        """Whether the receiver has taken the notification: any 2xx."""
        return self.status is not None and 200 <= self.status < 300


@dataclass(frozen=True, slots=True)
class Reading:
    """A document's text, and the content type that it was read as."""

    text: str
    content_type: str
