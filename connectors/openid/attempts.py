"""Sign-ins under way, in a signed cookie of their browser."""

import hmac
import secrets
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Callable
from dataclasses import dataclass

from cachetools import TTLCache

from connectors.openid.errors import SignInRefused

LIFETIME_S = 600
"""Seconds to sign in at the issuer."""
MAX_USED = 10_000
"""The most used attempts remembered; expired attempts need no memory."""
_STALE = (
    "This sign-in was not begun in this browser, took longer than 10 minutes, or is over already. "
    "Begin again."
)


@dataclass(frozen=True, slots=True)
class SignInAttempt:
    """Binds an answer of the issuer to its browser; ``target`` is a path."""

    state: str
    nonce: str
    verifier: str
    target: str


class SignInAttempts:
    """Begins and finishes attempts; only used attempts are kept."""

    def __init__(self, signing_key: bytes, clock: Callable[[], float]) -> None:
        """``clock`` returns epoch seconds."""
        self._secret = hmac.digest(signing_key, b"sign-ins of the page", "sha256")
        self._clock = clock
        self._used: TTLCache[str, bool] = TTLCache(MAX_USED, LIFETIME_S, timer=clock)

    def begin(self, target: str) -> tuple[str, SignInAttempt]:
        """Return the cookie's value for a new attempt, and the attempt."""
        seed = secrets.token_urlsafe(24)
        where = urlsafe_b64encode(target.encode()).decode().rstrip("=")
        attempt = f"{seed}.{int(self._clock()) + LIFETIME_S}.{where}"
        return f"{attempt}.{self._derived('cookie', attempt)}", self._attempt(seed, target)

    def finish(self, cookie: str, state: str) -> SignInAttempt:
        """Return the attempt of an answer with a state, once; raises SignInRefused."""
        attempt, _, signature = cookie.rpartition(".")
        if not _is_same(self._derived("cookie", attempt), signature) or cookie in self._used:
            raise SignInRefused(_STALE)
        seed, expires, where = attempt.split(".")
        target = urlsafe_b64decode(where + "=" * (-len(where) % 4)).decode()
        found = self._attempt(seed, target)
        if not _is_same(found.state, state) or int(expires) <= self._clock():
            raise SignInRefused(_STALE)
        self._used[cookie] = True
        return found

    def _attempt(self, seed: str, target: str) -> SignInAttempt:
        state, nonce, verifier = (self._derived(use, seed) for use in ("state", "nonce", "code"))
        return SignInAttempt(state, nonce, verifier, target)

    def _derived(self, use: str, text: str) -> str:
        message = f"{use}:{text}".encode("utf-8", "surrogateescape")
        digest = hmac.digest(self._secret, message, "sha256")
        return urlsafe_b64encode(digest).decode().rstrip("=")


def _is_same(expected: str, given: str) -> bool:
    return hmac.compare_digest(expected.encode(), given.encode("utf-8", "surrogateescape"))
