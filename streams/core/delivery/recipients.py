"""A recipient: a webhook as one manager names it."""

from typing import NamedTuple


class Recipient(NamedTuple):
    """A client URL that a manager has named.

    Anybody can name anybody's webhook. So what is known of a receiver, what waits for it and
    how it fails is kept for each manager.

    >>> Recipient.of_key(Recipient("news-desk", "https://example.org/hook").key).manager
    'news-desk'
    """

    manager: str
    client_url: str

    @property
    def key(self) -> bytes:
        """The key of its rows. A canonical URL has no NUL, a manager may have one."""
        return f"{self.client_url}\0{self.manager}".encode()

    @classmethod
    def of_key(cls, key: bytes) -> "Recipient":
        """Return the recipient of a row."""
        client_url, _, manager = key.decode().partition("\0")
        return cls(manager, client_url)
