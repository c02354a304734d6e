"""A channel in the form of its owner and of the store: an address of Apprise, and options."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from msgspec import json

from connectors.channels import digest_option
from connectors.channels.digest_option import digest_text, parse_digest
from connectors.channels.kinds import shown_address
from connectors.channels.templates import TemplateFailed, check_template
from connectors.credentials.errors import CredentialsUnusable, InvalidCredentials
from connectors.languages.texts import LANGUAGES
from schemas.records.channels import Digest
from schemas.records.credentials import CHANNEL_KIND, Credentials

TEXTS = ("address", "title", "body", "language")
FIELDS = (*TEXTS, *digest_option.FIELDS)
MAX_ADDRESS = 4_000
"""Characters."""
_ADDRESS = re.compile(r"([a-z][a-z0-9+.-]{0,30})://[!-~]+", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Channel:
    """The address of messages, and the templates of title and body; empty for our own texts.

    The address may have a password, so is in no ``repr``. With a ``digest`` they are sent together.
    ``language`` is the tag of our texts, empty for the deployment's.
    """

    address: str = field(repr=False)
    title: str = ""
    body: str = ""
    digest: Digest | None = None
    language: str = ""

    @property
    def credentials(self) -> Credentials:
        """The channel in its stored form: of the address only the service is shown."""
        shown = shown_address(self.address)
        values = {name: getattr(self, name) for name in TEXTS}
        if self.digest is not None:
            shown += f", {digest_text(self.digest)}"
            values["digest"] = json.encode(self.digest).decode()
        secrets = tuple(each for each in values.items() if each[1])
        return Credentials(CHANNEL_KIND, shown, secrets=secrets)


def channel_of(credentials: Credentials) -> Channel:
    """Return the stored channel; raises CredentialsUnusable for other credentials."""
    if credentials.kind != CHANNEL_KIND:
        raise CredentialsUnusable(f"it is no channel, but {credentials.kind}")
    values = dict(credentials.secrets)
    digest = values.pop("digest", None)
    return Channel(**values, digest=json.decode(digest, type=Digest) if digest else None)


def parse_channel(given: Any) -> Channel:
    """Read a channel from JSON: an address, or an object of FIELDS.

    Raises InvalidCredentials, which never quotes the address.

    >>> parse_channel("ntfy://news-desk-7f3a").credentials.origin
    'ntfy'
    """
    values = {"address": given} if isinstance(given, str) else given
    if not isinstance(values, Mapping) or not set(values) <= set(FIELDS):
        raise InvalidCredentials(f"channel: an address, or {', '.join(FIELDS)}, are expected")
    texts = {name: values[name] for name in TEXTS if name in values}
    if not all(isinstance(each, str) for each in texts.values()):
        raise InvalidCredentials(f"channel: {', '.join(TEXTS)} are strings")
    channel = Channel(**{"address": "", **texts}, digest=parse_digest(values))
    if len(channel.address) > MAX_ADDRESS or _ADDRESS.fullmatch(channel.address) is None:
        raise InvalidCredentials(
            "channel: an address of Apprise is expected, such as mailto://user:password@host"
        )
    if channel.language and channel.language not in LANGUAGES:
        raise InvalidCredentials(
            f"channel: language: {', '.join(LANGUAGES)} are known, not {channel.language[:80]!r}"
        )
    for name in ("title", "body"):
        try:
            check_template(getattr(channel, name))
        except TemplateFailed as error:
            raise InvalidCredentials(f"channel: {name}: {error}") from None
    return channel
