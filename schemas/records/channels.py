"""Channels: receivers other than webhooks, such as a mailbox or a chat room."""

import re
from dataclasses import dataclass
from typing import Literal, get_args

from schemas.records.credentials import NAME
from schemas.records.urls import canonical

SCHEME = "channel:"
CHANNEL = re.compile(f"{SCHEME}{NAME.pattern}")
"""The name of a channel where the URL of a webhook may stand."""

Period = Literal["daily", "weekly"]
PERIODS: tuple[Period, ...] = get_args(Period)
DEFAULT_HOUR = 8
"""Of a digest: before most people begin to read."""
WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")


@dataclass(frozen=True, slots=True)
class Digest:
    """When the notifications of a channel are sent together.

    At an ``hour`` (0 to 23) of a time zone (by its IANA name) each day, or each week on a
    ``weekday`` (0 is Monday).
    """

    period: Period
    hour: int = DEFAULT_HOUR
    timezone: str = "UTC"
    weekday: int = 0


SMTP_ACCEPTED = 250
"""The reply of a mail server to an accepted message (RFC 5321); no status of HTTP."""


def answer_name(client_url: str | None, status: int) -> str:
    """Return the name of an answer to a client URL, for people.

    >>> answer_name("channel:mail", 250), answer_name("https://example.org/hook", 204)
    ('SMTP 250', 'HTTP 204')
    """
    is_mail = channel_name(client_url) is not None and status == SMTP_ACCEPTED
    return f"{'SMTP' if is_mail else 'HTTP'} {status}"


def channel_name(client_url: str | None) -> str | None:
    """Return the name of the channel of a client URL, None for a webhook.

    >>> channel_name("channel:team"), channel_name("https://example.org/hook")
    ('team', None)
    """
    if client_url is None or CHANNEL.fullmatch(client_url) is None:
        return None
    return client_url.removeprefix(SCHEME)


def channel_url(name: str) -> str:
    """Return the client URL of a channel.

    >>> channel_url("team")
    'channel:team'
    """
    return f"{SCHEME}{name}"


def canonical_receiver(client_url: str) -> str | None:
    """Return a client URL in its canonical form, None if neither webhook nor channel.

    >>> canonical_receiver("HTTPS://example.org"), canonical_receiver("channel:team")
    ('https://example.org/', 'channel:team')
    """
    return client_url if CHANNEL.fullmatch(client_url) else canonical(client_url)
