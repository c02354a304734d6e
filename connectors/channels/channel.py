"""A channel as its owner gives it and as it is stored: an address of Apprise, and templates."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from connectors.channels.templates import TemplateFailed, check_template
from connectors.credentials.errors import CredentialsUnusable, InvalidCredentials
from schemas.credentials import CHANNEL_KIND, Credentials

FIELDS = ("address", "title", "body")
MAX_ADDRESS = 4_000
"""Characters."""
_ADDRESS = re.compile(r"([a-z][a-z0-9+.-]{0,30})://[!-~]+", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Channel:
    """Where messages go, and the templates of their titles and bodies; empty for our own texts.

    The address may have a password in it, so it is in no ``repr``.
    """

    address: str = field(repr=False)
    title: str = ""
    body: str = ""

    @property
    def credentials(self) -> Credentials:
        """The channel as it is stored: of the address only the service's name is shown."""
        service = self.address.partition("://")[0].lower()
        values = ((name, getattr(self, name)) for name in FIELDS)
        return Credentials(CHANNEL_KIND, service, secrets=tuple(each for each in values if each[1]))


def channel_of(credentials: Credentials) -> Channel:
    """Return the channel that was stored; raises CredentialsUnusable if it is something else."""
    if credentials.kind != CHANNEL_KIND:
        raise CredentialsUnusable(f"it is no channel, but {credentials.kind}")
    return Channel(**dict(credentials.secrets))


def parse_channel(given: Any) -> Channel:
    """Read a channel from JSON: an address, or an object of FIELDS.

    Raises InvalidCredentials, which never quotes the address.

    >>> parse_channel("ntfy://news-desk-7f3a").credentials.origin
    'ntfy'
    """
    values = {"address": given} if isinstance(given, str) else given
    if not isinstance(values, Mapping) or not set(values) <= set(FIELDS):
        raise InvalidCredentials(f"channel: an address, or {', '.join(FIELDS)}, are expected")
    if not all(isinstance(each, str) for each in values.values()):
        raise InvalidCredentials(f"channel: {', '.join(FIELDS)} are strings")
    channel = Channel(**{"address": "", **values})
    if len(channel.address) > MAX_ADDRESS or _ADDRESS.fullmatch(channel.address) is None:
        raise InvalidCredentials(
            "channel: an address of Apprise is expected, such as mailto://user:password@host"
        )
    for name in ("title", "body"):
        try:
            check_template(getattr(channel, name))
        except TemplateFailed as error:
            raise InvalidCredentials(f"channel: {name}: {error}") from None
    return channel
