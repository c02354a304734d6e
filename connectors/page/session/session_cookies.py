"""The cookie of a session: which one is read, and how it is set."""

from aiohttp import web

from connectors.page.session.sessions import LIFETIME_S
from connectors.serving.forwarded import TrustedProxies

COOKIE = "vokter_session"
SECURE_COOKIE = f"__Host-{COOKIE}"
"""By TLS; browsers take this name from this host alone, and by TLS alone."""


class SessionCookies:
    """Reads and sets the cookie."""

    def __init__(self, proxies: TrustedProxies, *, always_secure: bool = False) -> None:
        """``proxies`` say who speaks TLS, if it is not known that all do."""
        self._proxies = proxies
        self._always_secure = always_secure

    def read(self, request: web.Request) -> str:
        """Return the session of a request, empty without one.

        The other name is for a page without TLS; by TLS, somebody else could have set it.
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
        """Remove the cookie of each name that the browser sent."""
        for name in {COOKIE, SECURE_COOKIE} & request.cookies.keys():
            secure = name == SECURE_COOKIE
            response.del_cookie(name, httponly=True, samesite="Strict", secure=secure)

    def is_secure(self, request: web.Request) -> bool:
        """Whether the browser speaks TLS: the proxy says so, or the origin of a form."""
        origin = request.headers.get("Origin", "")
        by_tls = self._always_secure or self._proxies.is_secure(request)
        return by_tls or origin.startswith("https:")
