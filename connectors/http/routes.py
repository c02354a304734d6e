"""The ways to the sites: directly, or through a proxy that the deployment names."""

from collections.abc import Callable, Mapping
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass

from aiohttp import ClientResponse, ClientSession, ClientTimeout
from yarl import URL

from connectors.http.aiohttp_limits import enforce_limits
from connectors.http.egress import EgressGuard
from connectors.http.errors import FetchFailed
from connectors.http.get_client import GetClient
from connectors.http.get_response import GetResponse
from connectors.http.limits import Limits
from connectors.http.redirects import Hop
from connectors.http.robots import Robots
from connectors.http.session import guarded_session, user_agent

KEEPALIVE_S = 4.0
"""If the server closes a connection first, a GET is repeated on a new one."""
MAX_HEADERS = 1_000
BUFFER = 2**14
"""Bytes to buffer; few, because a server may send each byte as a chunk."""


@dataclass(frozen=True, slots=True)
class Route:
    """One way to the sites; ``robots`` is None where robots.txt is ignored.

    ``gets`` makes the requests with GET: Vokter's client, or aiohttp where there is a proxy. A
    POST is never repeated, so it goes through ``once``: a connection that was used before may
    be closed by its server at the moment in which the request is sent.
    """

    guard: EgressGuard
    robots: Robots | None
    gets: GetClient | ClientSession
    once: ClientSession

    def request(
        self, hop: Hop, headers: Mapping[str, str]
    ) -> AbstractAsyncContextManager[ClientResponse | GetResponse]:
        """Make the request of a hop, with these headers."""
        session = self.gets if hop.method == "GET" else self.once
        if isinstance(session, GetClient):
            return session.get(hop.url, headers)
        url = URL(hop.url, encoded=True)
        return session.request(
            hop.method, url, headers=headers, data=hop.body, allow_redirects=False
        )


class Routes:
    """The routes of a deployment by the name of their proxy; the direct one has an empty name."""

    def __init__(self, guards: Mapping[str, EgressGuard]) -> None:
        """Each route has its own guard."""
        self._guards = guards
        self._routes: dict[str, Route] = {}

    def open(
        self,
        limits: Limits,
        contact: str | None,
        robots: Callable[[str], Robots | None],
    ) -> None:
        """Open the sessions; ``robots`` returns the rules for what goes through a proxy."""
        for name, guard in self._guards.items():
            is_direct = guard.proxy is None
            gets = (direct_client if is_direct else proxied_client)(guard, limits, contact)
            once = _session(guard, limits, contact, keepalive=0.0)
            self._routes[name] = Route(guard, robots(name), gets, once)

    async def close(self) -> None:
        """Close the sessions."""
        for route in self._routes.values():
            await route.gets.close()
            await route.once.close()

    def of(self, proxy: str) -> Route:
        """Return the route through a proxy; raises FetchFailed if the deployment has none."""
        if proxy not in self._routes:
            names = ", ".join(filter(None, self._routes)) or "no proxies"
            raise FetchFailed(f"there is no proxy {proxy!r}; VOKTER_PROXIES names {names}")
        return self._routes[proxy]

    def delay(self, host: str) -> float:
        """Return the seconds that a host wants between two requests, by whichever route."""
        rules = (route.robots for route in self._routes.values())
        return max((each.delay(host) for each in rules if each is not None), default=0.0)


def direct_client(guard: EgressGuard, limits: Limits, contact: str | None) -> GetClient:
    """Return the client for GET where there is no proxy."""
    return GetClient(guard, limits, user_agent(contact), KEEPALIVE_S)


def proxied_client(guard: EgressGuard, limits: Limits, contact: str | None) -> ClientSession:
    """Return the client for GET through a proxy."""
    return _session(guard, limits, contact, KEEPALIVE_S)


def _session(
    guard: EgressGuard, limits: Limits, contact: str | None, keepalive: float
) -> ClientSession:
    session = guarded_session(
        guard,
        ClientTimeout(total=None, connect=limits.connect),
        contact,
        keepalive=keepalive,
        auto_decompress=False,  # its decoders know no end of a coding
        read_bufsize=BUFFER,
        max_line_size=limits.head,
        max_field_size=limits.head,
        max_headers=MAX_HEADERS,
    )
    enforce_limits(session, limits)
    return session
