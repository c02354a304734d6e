"""Credentials for requests of pages behind a login."""

import re
from dataclasses import dataclass, field
from typing import Annotated, Literal

from schemas.records.fields import About
from schemas.records.urls import host, hostname

MAX_NAME = 64
"""Characters of the name of credentials."""
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
NAMES = f"1 to {MAX_NAME} letters, digits, '.', '_' and '-'"
CredentialsName = Annotated[
    str,
    About(
        "Request the page with these credentials.",
        most=MAX_NAME,
        pattern=re.compile(f"(?:{NAME.pattern})?"),
        allowed=NAMES,
    ),
]
"""The name of credentials, empty for none."""

SecretName = Annotated[
    str, About(most=MAX_NAME, pattern=re.compile(f"(?:{NAME.pattern})?"), allowed=NAMES)
]
"""The name of the secret written by a step, empty for none."""

Kind = Literal["header", "basic", "cookies", "storage", "secrets", "channel", "feed"]
"""Kinds of credentials: headers, a user name and password, cookies, a browser's storage state,
secrets for the fields of a form, or a channel; or a feed with a token in its address."""
CHANNEL_KIND: Literal["channel"] = "channel"
FEED_KIND: Literal["feed"] = "feed"
NOT_FOR_PAGES = frozenset({CHANNEL_KIND, FEED_KIND})
"""The kinds with which no page is requested."""


@dataclass(frozen=True, slots=True)
class Cookie:
    """A cookie; ``expires`` (epoch s) is None without an end.

    With ``host_only`` the cookie is for the host ``domain`` alone, else for all names under the
    domain, too. Scripts of a page cannot see an ``http_only`` cookie.
    """

    name: str
    value: str = field(repr=False)
    domain: str
    path: str = "/"
    secure: bool = False
    host_only: bool = True
    expires: int | None = None
    http_only: bool = field(default=False, repr=False)


@dataclass(frozen=True, slots=True)
class LocalItem:
    """A site's local storage in a browser; ``origin`` is the site."""

    origin: str
    name: str
    value: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class Credentials:
    """Headers or ``secrets`` for an ``origin``, or cookies, each for its own domain and path.

    ``local`` is for browsers only. ``secrets`` (by name) are for browsers, too, or make up a
    channel or feed; the ``origin`` of a channel is the name of its service, of a feed its filter.

    The secrets are in no ``repr``, so in no log and no traceback.
    """

    kind: Kind
    origin: str = ""
    headers: tuple[tuple[str, str], ...] = field(default=(), repr=False)
    cookies: tuple[Cookie, ...] = field(default=(), repr=False)
    local: tuple[LocalItem, ...] = field(default=(), repr=False)
    secrets: tuple[tuple[str, str], ...] = field(default=(), repr=False)

    @property
    def sent_to(self) -> str:
        """Their destination, for people: an origin, or the domains of cookies."""
        if self.origin:
            return self.origin
        cookies = [each.domain.lstrip(".") for each in self.cookies]
        domains = dict.fromkeys(cookies + [hostname(f"{each.origin}/") for each in self.local])
        more = ", …" if len(domains) > MAX_SHOWN else ""
        return ", ".join(list(domains)[:MAX_SHOWN]) + more


MAX_SHOWN = 3
"""The most domains of cookies in a listing."""


@dataclass(frozen=True, slots=True)
class SealedCredentials:
    """Credentials as they are stored; ``sealed`` is encrypted, empty in a listing.

    ``set_at`` and ``used_at`` are in epoch ms. ``version`` counts the renewals by the site.
    """

    manager: str
    name: str
    kind: str
    sent_to: str
    set_at: int
    used_at: int | None = None
    version: int = 1
    sealed: bytes = field(default=b"", repr=False)


def origin(url: str) -> str:
    """Return scheme, host and port of a canonical URL.

    >>> origin("https://example.org:8443/giants?page=2")
    'https://example.org:8443'
    """
    return f"{url.partition(':')[0]}://{host(url)}"
