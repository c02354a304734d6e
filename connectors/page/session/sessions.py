"""Sessions in a signed cookie, and the tokens of their forms."""

import hmac
import json
import secrets
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Callable

from aiohttp import web
from cachetools import TTLCache

from connectors.access.keys import ApiKey, ApiKeys
from connectors.access.roles import Role
from connectors.openid.members import IssuerUser
from connectors.serving.forwarded import TrustedProxies

LIFETIME_S = 12 * 3600
"""Seconds until the next sign-in."""
MEMBER_LIFETIME_S = 4 * 3600
"""The same for an account of the issuer, whose existence is checked no earlier."""
MEMBER = "~"
"""The prefix of the session of an account; no id of a key has this prefix."""
MAX_SUBJECT = 256
"""Characters of an account's id; by OpenID Connect at most 255."""
MAX_ENDED = 10_000
"""The most ended sessions remembered; expired sessions need no memory."""

COOKIE = "vokter_session"
SECURE_COOKIE = f"__Host-{COOKIE}"
"""By TLS; browsers take this name from this host alone, and by TLS alone."""


class SessionCookies:
    """Reads and sets the cookie."""

    def __init__(self, proxies: TrustedProxies, *, always_secure: bool = False) -> None:
        """``proxies`` are trusted about TLS, if not all requests have TLS."""
        self._proxies = proxies
        self._always_secure = always_secure

    def read(self, request: web.Request) -> str:
        """Return the session of a request, empty without a session.

        The other name is for a page without TLS; on a page with TLS, somebody else could have set
        the cookie.
        """
        found = request.cookies.get(SECURE_COOKIE, "")
        if found or self._always_secure or self._proxies.is_secure(request):
            return found
        return request.cookies.get(COOKIE, "")

    def set(
        self, request: web.Request, response: web.Response, value: str, lifetime: int = LIFETIME_S
    ) -> None:
        """Set the cookie, for ``lifetime`` seconds."""
        secure = self.is_secure(request)
        response.set_cookie(
            SECURE_COOKIE if secure else COOKIE,
            value,
            max_age=lifetime,
            httponly=True,
            samesite="Strict",
            secure=secure,
        )

    def remove(self, request: web.Request, response: web.Response) -> None:
        """Remove the cookie of each name sent by the browser."""
        for name in {COOKIE, SECURE_COOKIE} & request.cookies.keys():
            secure = name == SECURE_COOKIE
            response.del_cookie(name, httponly=True, samesite="Strict", secure=secure)

    def is_secure(self, request: web.Request) -> bool:
        """Whether the browser speaks TLS: the proxy says so, or the origin of a form."""
        origin = request.headers.get("Origin", "")
        by_tls = self._always_secure or self._proxies.is_secure(request)
        return by_tls or origin.startswith("https:")


class Sessions:
    """Begins, finds and ends sessions; nothing but ended ones is kept.

    A session is valid as long as its key: the session names the key, and the signature covers the
    key's hash, manager and role.
    """

    def __init__(
        self,
        signing_key: bytes,
        keys: ApiKeys,
        clock: Callable[[], float],
        policy: str | None = None,
    ) -> None:
        """``clock`` returns epoch seconds.

        The ``policy`` has the rules for sessions of accounts; without a policy they have none.
        """
        self._policy = policy
        self._secret = hmac.digest(signing_key, b"sessions of the page", "sha256")
        self._keys = keys
        self._clock = clock
        self._ended: TTLCache[str, bool] = TTLCache(MAX_ENDED, LIFETIME_S, timer=clock)

    def begin(self, key: ApiKey) -> str:
        """Return the cookie's value for a new session with a key."""
        session = self._new(key.id, LIFETIME_S)
        return f"{session}.{self._signed(session, key)}"

    def begin_for(self, member: IssuerUser) -> str:
        """Return the cookie's value for a new session of an account."""
        text = json.dumps([member.subject[:MAX_SUBJECT], member.manager, member.role])
        who = MEMBER + urlsafe_b64encode(text.encode()).decode().rstrip("=")
        session = self._new(who, MEMBER_LIFETIME_S)
        return f"{session}.{self._signed(session, None)}"

    def find(self, cookie: str) -> ApiKey | None:
        """Return the key of the session in a cookie, None if invalid."""
        session, _, signature = cookie.rpartition(".")
        who, _, rest = session.partition(".")
        is_member = who.startswith(MEMBER) and self._policy is not None
        key = None if is_member else self._keys.with_id(who)
        if (key is None and not is_member) or cookie in self._ended:
            return None
        signed = self._signed(session, key).encode()
        if not hmac.compare_digest(signed, _encoded(signature)):
            return None
        is_over = int(rest.partition(".")[0]) <= self._clock()
        return None if is_over else key or _of_member(who)

    def end(self, cookie: str) -> None:
        """End a session, which no other process of the API learns."""
        if self.find(cookie) is not None:
            self._ended[cookie] = True

    def form_token(self, cookie: str) -> str:
        """Return the token in the forms of a session, of no session with an empty cookie."""
        return self._signature(f"form:{cookie}")

    def is_form_token(self, cookie: str, token: str) -> bool:
        """Whether a form comes from a page of this session."""
        return hmac.compare_digest(self.form_token(cookie).encode(), _encoded(token))

    def _new(self, who: str, lifetime: int) -> str:
        return f"{who}.{int(self._clock()) + lifetime}.{secrets.token_urlsafe(12)}"

    def _signed(self, session: str, key: ApiKey | None) -> str:
        if key is None:
            return self._signature(f"member:{session}:{self._policy}")
        return self._signature(f"session:{session}:{key.sha256}:{key.role}:{key.manager}")

    def _signature(self, text: str) -> str:
        digest = hmac.digest(self._secret, _encoded(text), "sha256")
        return urlsafe_b64encode(digest).decode().rstrip("=")


def _of_member(who: str) -> ApiKey:
    """Return the key of an account, from a signed session."""
    text = urlsafe_b64decode(who.removeprefix(MEMBER) + "=" * (-len(who.removeprefix(MEMBER)) % 4))
    subject, manager, role = json.loads(text)
    return ApiKey(f"{MEMBER}{subject}", "", manager, role=Role(role))


def _encoded(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")
