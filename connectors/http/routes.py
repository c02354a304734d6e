"""The ways to the sites: directly, or through a proxy that the deployment names."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from aiohttp import ClientSession, ClientTimeout

from connectors.http.egress import EgressGuard
from connectors.http.errors import FetchFailed
from connectors.http.limits import Limits, enforce_limits
from connectors.http.robots import Robots
from connectors.http.session import guarded_session

KEEPALIVE_S = 4.0
"""If the server closes a connection first, aiohttp repeats the GET on a new one."""
MAX_HEADERS = 1_000
BUFFER = 2**14
"""Bytes to buffer; few, because a server may send each byte as a chunk."""


@dataclass(frozen=True, slots=True)
class Route:
    """One way to the sites; ``robots`` is None where robots.txt is ignored.

    A POST is never repeated, so it goes through ``once``: a connection that was used before
    may be closed by its server at the moment in which the request is sent.
    """

    guard: EgressGuard
    robots: Robots | None
    kept_alive: ClientSession
    once: ClientSession

    def session(self, method: str) -> ClientSession:
        """Return the session for a request of a method."""
        return self.kept_alive if method == "GET" else self.once


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
            sessions = (_session(guard, limits, contact, wait) for wait in (KEEPALIVE_S, 0.0))
            self._routes[name] = Route(guard, robots(name), *sessions)

    async def close(self) -> None:
        """Close the sessions."""
        for route in self._routes.values():
            await route.kept_alive.close()
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
