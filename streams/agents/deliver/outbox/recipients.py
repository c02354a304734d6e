"""A recipient: a webhook or channel of a manager."""

from collections.abc import Callable
from typing import NamedTuple, TypeVar

from schemas.records.channels import channel_name

K = TypeVar("K")
V = TypeVar("V")

FAILING, PROOF = "failing", "proof"
"""The kinds of rows of a recipient: its failures, its confirmation."""
DAY = "day"
"""The kind of a subscription's row: the number of its notifications of the day."""


def day_key(subscription: str) -> bytes:
    """Return the key of a subscription's row of its day."""
    return f"{DAY} {subscription}".encode()


def pop_oldest(rows: dict[K, V], most: int, is_old: Callable[[V], bool]) -> K | None:
    """Remove and return the key of the first row if it is old, or one of more than ``most``.

    >>> pop_oldest({"first": 1, "second": 9}, 5, is_old=lambda at: at < 3)
    'first'
    """
    oldest = next(iter(rows), None)
    if oldest is None or not (is_old(rows[oldest]) or len(rows) > most):
        return None
    del rows[oldest]
    return oldest


class Recipient(NamedTuple):
    """A client URL of a manager.

    Anybody can name anybody's webhook. So the state, the queue and the failures of a receiver are
    kept for each manager.

    >>> key = Recipient("news-desk", "https://example.org/hook").key(FAILING)
    >>> Recipient.of_key(key).manager
    'news-desk'
    """

    manager: str
    client_url: str

    def key(self, kind: str) -> bytes:
        """Return the key of its row of a kind. A canonical URL has no NUL, a manager may."""
        return f"{kind} {self.client_url}\0{self.manager}".encode()

    @property
    def is_channel(self) -> bool:
        """Whether the recipient is a channel, or else a webhook.

        >>> Recipient("news-desk", "channel:team").is_channel
        True
        """
        return channel_name(self.client_url) is not None

    @classmethod
    def of_key(cls, key: bytes) -> "Recipient":
        """Return the recipient of a row."""
        client_url, _, manager = key.decode().partition(" ")[2].partition("\0")
        return cls(manager, client_url)
