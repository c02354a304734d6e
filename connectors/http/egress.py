"""The egress guard: every outgoing connection passes here, whatever led to it.

The check is made on the address of each socket, when it is opened: a check of
the URL alone would miss redirects, IP literals and names that change between
two look-ups.
"""

import socket
from errno import EACCES

from aiohttp import AddrInfoType, TCPConnector
from aiohttp.abc import AbstractResolver, ResolveResult

from connectors.http.resolver import ThreadedResolver
from schemas.egress_policy import EgressPolicy


class AddressRefused(PermissionError):
    """A connection to this address is not allowed."""


class EgressGuard:
    """Lets sockets go where the rules of ``reach`` allow it, and nowhere else."""

    def __init__(self, reach: EgressPolicy, proxy: str | None = None) -> None:
        """Take the deployment's rules.

        With a ``proxy`` (URL), all connections are made by it, and it is the one that
        must refuse what a name leads to; here only URLs are checked.
        """
        self._reach = reach
        self.proxy = proxy

    def check(self, address: str, port: int) -> None:
        """Raise AddressRefused unless an IP address and port may be connected to."""
        refusal = self._reach.refusal(address, port)
        if refusal is not None:
            raise AddressRefused(EACCES, refusal)

    def check_url(self, url: str) -> None:
        """Raise AddressRefused for a canonical URL that is known to lead nowhere allowed."""
        refusal = self._reach.url_refusal(url)
        if refusal is not None:
            raise AddressRefused(EACCES, refusal)

    def socket(self, info: AddrInfoType) -> socket.socket:
        """Open the socket for one result of ``getaddrinfo``; the connector's factory."""
        family, kind, protocol, _, address = info
        self.check(str(address[0]), int(address[1]))
        return socket.socket(family, kind, protocol)

    def connector(self, keepalive: float) -> TCPConnector:
        """A connector whose every connection passes this guard, and rests for ``keepalive`` s.

        It has no limit of its own: waiting for a place in it would count
        against the time a host has to answer. Needs a running loop.
        """
        if self.proxy is not None:
            return TCPConnector(limit=0, keepalive_timeout=keepalive)
        return TCPConnector(
            limit=0,
            keepalive_timeout=keepalive,
            socket_factory=self.socket,
            resolver=_Resolver(self),
        )


class _Resolver(AbstractResolver):
    """Refuses a name as a whole when one of its addresses is refused.

    The connector would else pass over that address and take the next one.
    """

    def __init__(self, guard: EgressGuard) -> None:
        self._guard = guard
        self._names = ThreadedResolver()

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_INET
    ) -> list[ResolveResult]:
        found = await self._names.resolve(host, port, family)
        for each in found:
            self._guard.check(each["host"], port)
        return found

    async def close(self) -> None:
        await self._names.close()
