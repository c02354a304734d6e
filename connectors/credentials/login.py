"""Credentials of a visit, by site, and their renewed parts."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from connectors.credentials.cookies import (
    Cookies,
    brought_cookies,
    cookie_header,
    is_of,
    renewed_cookies,
)
from connectors.credentials.errors import CredentialsUnusable
from connectors.credentials.input_formats import MAX_SIZE, is_under, local_size
from schemas.records.credentials import Credentials, LocalItem, SealedCredentials, origin
from schemas.records.urls import hostname

LocalItems = tuple[LocalItem, ...]


class Login:
    """The credentials of a visit, which begins with the request of a canonical ``url``.

    A header is sent to its origin, and to no other. A cookie is sent by its domain and path, but
    after a redirect never from https to http, and never to another port than the site's or a
    default port: cookies themselves know no ports.
    """

    def __init__(
        self,
        row: SealedCredentials,
        credentials: Credentials,
        url: str,
        clock: Callable[[], float],
    ) -> None:
        """Use the decrypted content of a ``row``; ``clock`` returns epoch seconds."""
        self.row = row
        self.credentials = credentials
        self._known = credentials.cookies
        self._url = url
        self._clock = clock
        self._answers: list[tuple[str, Sequence[str]]] = []
        self._brought: tuple[Cookies, Cookies] | None = None
        self._local: LocalItems = ()

    @property
    def was_renewed(self) -> bool:
        """Whether the site has set cookies, or local storage, in this visit."""
        return bool(self._answers or self._brought or self._local)

    def headers(self, url: str) -> Mapping[str, str]:
        """Return the headers for the request of a canonical URL, by names in title case."""
        if self.credentials.origin:
            is_theirs = origin(url) == self.credentials.origin
            return {name.title(): value for name, value in self.credentials.headers if is_theirs}
        if not self._takes_cookies(url):
            return {}
        cookies = cookie_header(self.credentials.cookies, url, self._clock())
        return {"Cookie": cookies} if cookies else {}

    def note(self, url: str, set_cookies: Sequence[str]) -> None:
        """Note the headers ``Set-Cookie`` of the answer from a URL.

        Only a host with cookies in the credentials sets some: another host, after a redirect, could
        fill the room for them, or set a cookie for a shared domain.
        """
        is_own = any(is_of(hostname(url), each) for each in self._known)
        if set_cookies and is_own and self._takes_cookies(url):
            self._answers.append((url, set_cookies))
            self.credentials = self._renewed(self.credentials, self._answers[-1:])

    def renew(self, credentials: Credentials) -> Credentials:
        """Return credentials with the cookies set by the site in this visit."""
        renewed = self._renewed(credentials, self._answers)
        if self._brought is not None:
            cookies = brought_cookies(renewed.cookies, *self._brought, self._clock())
            renewed = replace(renewed, cookies=cookies)
        changed = {each.origin for each in self._local}
        others = tuple(each for each in renewed.local if each.origin not in changed)
        local = others + self._local
        fits = local_size(local) <= MAX_SIZE
        return replace(renewed, local=local) if changed and fits else renewed

    def jar(self) -> Cookies:
        """Return the cookies for a browser, which sends them by domain, path and scheme alone.

        Cookies of a visit which begins with https never go to http.
        """
        is_secure = self._url.startswith("https:")
        cookies = () if self.credentials.origin else self.credentials.cookies
        return tuple(replace(each, secure=each.secure or is_secure) for each in cookies)

    def may_connect(self, host: str, port: int) -> bool:
        """Return whether a browser with the jar may connect to a port of a host.

        A browser sends cookies, also new cookies after a login, to any port; so the ports of other
        services are closed instead.
        """
        urls = [self._url, *self._form()]
        ports = {80, 443, *(int(_port(url) or 443) for url in urls)}
        return port in ports or not self._is_own(host)

    def may_send_plainly(self, host: str) -> bool:
        """Return whether cookies may go to a host without TLS.

        Sites set some in a visit without ``Secure``, which browsers then send in plain text.
        """
        is_secure = any(url.startswith("https:") for url in (self._url, *self._form()))
        return not (is_secure and self._is_own(host))

    def _form(self) -> list[str]:
        """Return where secrets are written, as a URL."""
        return [f"{self.credentials.origin}/"] if self.credentials.secrets else []

    def _is_own(self, host: str) -> bool:
        domains = [each.domain.strip("[]") for each in self.jar()]
        return any(is_under(host, each) for each in (*domains, *map(hostname, self._form())))

    def secret(self, name: str, page: str) -> str:
        """Return the secret to write into a page at a canonical URL; raises CredentialsUnusable."""
        given, credentials = dict(self.credentials.secrets), self.row.name
        if name not in given:
            raise CredentialsUnusable(f"credentials {credentials} have no secret {name}")
        if origin(page) != self.credentials.origin:
            theirs = self.credentials.origin
            raise CredentialsUnusable(
                f"credentials {credentials} are for {theirs}, and this page is of {origin(page)}"
            )
        return given[name]

    def bring(self, before: Cookies, after: Cookies, local: LocalItems) -> None:
        """Note which cookies a browser had before and after a visit, and its local storage.

        ``local`` is the storage of a site; a site without any in the credentials is ignored.
        """
        if set(before) != set(after):
            self._brought = before, after
        had = {each.origin for each in self.credentials.local}
        if local and local[0].origin in had and not set(local) <= set(self.credentials.local):
            self._local = local

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
