"""A recipient: a webhook or channel as one manager names it."""

from collections.abc import Callable
from typing import NamedTuple

from schemas.records.channels import channel_name
from schemas.records.subscriptions import Receiver


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

    @property
    def is_channel(self) -> bool:
        """Whether it is a channel, or else a webhook."""
        return channel_name(self.client_url) is not None

    @classmethod
    def of_key(cls, key: bytes) -> "Recipient":
        """Return the recipient of a row."""
        client_url, _, manager = key.decode().partition("\0")
        return cls(manager, client_url)


class Served(NamedTuple):
    """The receivers that a stage notifies, and whether they may have to answer a challenge."""

    includes: Callable[[Receiver], bool]
    are_challenged: bool


def is_channel(receiver: Receiver) -> bool:
    """Return whether a receiver is a channel.

    >>> is_channel(Receiver("channel:team")), is_channel(Receiver(session="my-reader"))
    (True, False)
    """
    return channel_name(receiver.client_url) is not None


def is_webhook(receiver: Receiver) -> bool:
    """Return whether a receiver is a webhook."""
    return receiver.client_url is not None and not is_channel(receiver)


WEBHOOKS = Served(is_webhook, are_challenged=True)
"""Those that deliver notifies."""
CHANNELS = Served(is_channel, are_challenged=False)
"""Those that announce notifies."""
