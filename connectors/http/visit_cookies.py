"""The cookies of one visit: sites set one in a redirect, and ask for it at the next request."""

from collections.abc import Callable, Mapping, Sequence

from connectors.credentials.cookies import Cookies, cookie_header, renewed_cookies


class VisitCookies:
    """Cookies that are sent by their own rules, and forgotten after the visit."""

    def __init__(self, clock: Callable[[], float]) -> None:
        """Begin without any; ``clock`` returns epoch seconds."""
        self._cookies: Cookies = ()
        self._clock = clock

    def headers(self, url: str) -> Mapping[str, str]:
        """Return the headers and cookies for the request of a canonical URL."""
        if not self._cookies:
            return {}
        sent = cookie_header(self._cookies, url, self._clock())
        return {"Cookie": sent} if sent else {}

    def note(self, url: str, set_cookies: Sequence[str]) -> None:
        """Note the headers ``Set-Cookie`` of the answer from a URL."""
        if set_cookies:
            self._cookies = renewed_cookies(self._cookies, url, set_cookies, self._clock())
