"""Who is signed in: sessions in a signed cookie, and the tokens of their forms."""

import hmac
import secrets
from base64 import urlsafe_b64encode
from collections.abc import Callable

from cachetools import TTLCache

from connectors.api.access.keys import ApiKey, ApiKeys

LIFETIME_S = 12 * 3600
"""Seconds after which one has to sign in again."""
MAX_ENDED = 10_000
"""Sessions that are remembered as ended; each needs no memory once it has expired."""


class Sessions:
    """Begins, finds and ends sessions; nothing but ended ones is kept.

    A session is valid as long as its key: it names the key, and the signature covers the
    key's hash, manager and role.
    """

    def __init__(self, signing_key: bytes, keys: ApiKeys, clock: Callable[[], float]) -> None:
        """``clock`` returns epoch seconds."""
        self._secret = hmac.digest(signing_key, b"sessions of the page", "sha256")
        self._keys = keys
        self._clock = clock
        self._ended: TTLCache[str, bool] = TTLCache(MAX_ENDED, LIFETIME_S, timer=clock)

    def begin(self, key: ApiKey) -> str:
        """Return the cookie's value for a new session with a key."""
        expires = int(self._clock()) + LIFETIME_S
        session = f"{key.id}.{expires}.{secrets.token_urlsafe(12)}"
        return f"{session}.{self._signed(session, key)}"

    def find(self, cookie: str) -> ApiKey | None:
        """Return the key of the session that a cookie is for, None if it is not valid."""
        session, _, signature = cookie.rpartition(".")
        key_id, _, rest = session.partition(".")
        expires = rest.partition(".")[0]
        key = self._keys.with_id(key_id)
        if key is None or cookie in self._ended:
            return None
        is_signed = hmac.compare_digest(self._signed(session, key).encode(), _encoded(signature))
        return key if is_signed and int(expires) > self._clock() else None

    def end(self, cookie: str) -> None:
        """End a session, which no other process of the API learns."""
        if self.find(cookie) is not None:
            self._ended[cookie] = True

    def form_token(self, cookie: str) -> str:
        """Return the token that the forms of a session have, of none with an empty cookie."""
        return self._signature(f"form:{cookie}")

    def is_form_token(self, cookie: str, token: str) -> bool:
        """Whether a form comes from a page of this session."""
        return hmac.compare_digest(self.form_token(cookie).encode(), _encoded(token))

    def _signed(self, session: str, key: ApiKey) -> str:
        return self._signature(f"session:{session}:{key.sha256}:{key.role}:{key.manager}")

    def _signature(self, text: str) -> str:
        digest = hmac.digest(self._secret, _encoded(text), "sha256")
        return urlsafe_b64encode(digest).decode().rstrip("=")


def _encoded(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")
