"""What one visit sends of credentials to whom, and what the site renews of them."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from connectors.credentials.cookies import cookie_header, renewed_cookies
from schemas.credentials import Credentials, SealedCredentials, origin


class Login:
    """The credentials of one visit, which begins with the request of a canonical ``url``.

    A header is sent to the origin that it is for, and to no other. A cookie is sent where its
    domain and path say, but after a redirect never from https to http, and never to another
    port than the site's or a default one: cookies themselves know no ports.
    """

    def __init__(
        self,
        row: SealedCredentials,
        credentials: Credentials,
        url: str,
        clock: Callable[[], float],
    ) -> None:
        """Use what was decrypted of a ``row``; ``clock`` returns epoch seconds."""
        self.row = row
        self.credentials = credentials
        self._url = url
        self._clock = clock
        self._answers: list[tuple[str, Sequence[str]]] = []

    @property
    def was_renewed(self) -> bool:
        """Whether the site has set cookies in this visit."""
        return bool(self._answers)

    def headers(self, url: str) -> Mapping[str, str]:
        """Return what to send with the request of a canonical URL, by names in title case."""
        if self.credentials.origin:
            is_theirs = origin(url) == self.credentials.origin
            return {name.title(): value for name, value in self.credentials.headers if is_theirs}
        if not self._takes_cookies(url):
            return {}
        cookies = cookie_header(self.credentials.cookies, url, self._clock())
        return {"Cookie": cookies} if cookies else {}

    def note(self, url: str, set_cookies: Sequence[str]) -> None:
        """Note the headers ``Set-Cookie`` of the answer from a URL."""
        if set_cookies and not self.credentials.origin and self._takes_cookies(url):
            self._answers.append((url, set_cookies))
            self.credentials = self._renewed(self.credentials, self._answers[-1:])

    def renew(self, credentials: Credentials) -> Credentials:
        """Return credentials with the cookies that the site has set in this visit."""
        return self._renewed(credentials, self._answers)

    def _renewed(
        self, credentials: Credentials, answers: Sequence[tuple[str, Sequence[str]]]
    ) -> Credentials:
        cookies = credentials.cookies
        for url, lines in answers:
            cookies = renewed_cookies(cookies, url, lines, self._clock())
        return replace(credentials, cookies=cookies)

    def _takes_cookies(self, url: str) -> bool:
        if origin(url) == origin(self._url):
            return True
        if self._url.startswith("https:") and not url.startswith("https:"):
            return False
        # The canonical form of a URL has no default port.
        return _port(url) in ("", _port(self._url))


def _port(url: str) -> str:
    name = origin(url).rpartition("/")[2]
    return name.rpartition(":")[2] if ":" in name.rpartition("]")[2] else ""
