"""Tokens in addresses, signed so no session is needed: of links with actions, and of feeds."""

import hmac
import json
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Callable
from typing import Any, Literal, NamedTuple

LINK_LIFETIME_S = 30 * 24 * 3600
"""Seconds for which a link is valid."""
MAX_TOKEN = 2_000
"""Characters of a link's token."""
SIGNED_PATH = "/link/"
"""The path of a signed link on the page, before its token."""
_SIGNATURE = 16
"""Bytes of the signature: nobody guesses 128 bits."""

LinkAction = Literal["mute", "pause", "stop"]


class LinkedAction(NamedTuple):
    """The action of a link, its watch, and its manager.

    A ``notification`` (its id) names the mute; other actions need none.
    """

    action: LinkAction
    manager: str
    subscription: str
    notification: str = ""


class TokenSigner:
    """Signs texts in addresses, for a single purpose, and reads them.

    >>> signer = TokenSigner(b"k" * 32, b"an example")
    >>> signer.read(signer.token("news-desk", "feed-1"))
    ['news-desk', 'feed-1']
    """

    def __init__(self, signing_key: bytes, purpose: bytes) -> None:
        """Derive the key of a purpose from the deployment's."""
        self._secret = hmac.digest(signing_key, purpose, "sha256")

    def token(self, *values: str | int) -> str:
        """Return a token for an address."""
        text = json.dumps(values, separators=(",", ":")).encode()
        return urlsafe_b64encode(self._signature(text) + text).decode().rstrip("=")

    def read(self, token: str) -> list[Any] | None:
        """Return the values of a token, None if not signed here."""
        if len(token) > MAX_TOKEN:
            return None
        try:
            signed = urlsafe_b64decode(token + "=" * (-len(token) % 4))
        except ValueError:
            return None
        signature, text = signed[:_SIGNATURE], signed[_SIGNATURE:]
        if not hmac.compare_digest(signature, self._signature(text)):
            return None
        values: list[Any] = json.loads(text)
        return values

    def _signature(self, text: bytes) -> bytes:
        return hmac.digest(self._secret, text, "sha256")[:_SIGNATURE]


class SignedLinks:
    """Signs the tokens of links, and reads them.

    >>> links = SignedLinks(b"k" * 32, lambda: 1_700_000_000.0)
    >>> links.read(links.token(LinkedAction("stop", "news-desk", "35ae")))
    LinkedAction(action='stop', manager='news-desk', subscription='35ae', notification='')
    """

    def __init__(self, signing_key: bytes, clock: Callable[[], float]) -> None:
        """``clock`` returns epoch seconds."""
        self._signer = TokenSigner(signing_key, b"links of messages, version 1")
        self._clock = clock

    def token(self, linked: LinkedAction) -> str:
        """Return the token of a link, for an address."""
        return self._signer.token(*linked, int(self._clock()) + LINK_LIFETIME_S)

    def read(self, token: str) -> LinkedAction | None:
        """Return the action of a token, None if not signed here or too old."""
        *values, until = self._signer.read(token) or [0]
        return None if until <= self._clock() else LinkedAction(*values)
