"""The egress guard, which checks every outgoing connection.

It checks the address of each socket when it is opened: a check of the URL alone would miss
redirects, IP literals and names that change their address between two look-ups.
"""

import os
import socket
from errno import EACCES

from aiohappyeyeballs import start_connection
from aiohttp import AddrInfoType, TCPConnector
from aiohttp.abc import AbstractResolver, ResolveResult

from connectors.http.resolver import ThreadedResolver
from schemas.records.egress_policy import EgressPolicy

_NEXT_ADDRESS_S = 0.25
"""Seconds after which the next address of a name is tried as well."""


class AddressRefused(PermissionError):
    """The egress policy does not allow a connection to this address."""


class ConnectFailed(OSError):
    """There is no connection to a server."""

    @classmethod
    def by(cls, error: OSError) -> "ConnectFailed":
        """Leave out the address, perhaps an internal one, that the text of an error shows."""
        words = os.strerror(error.errno) if error.errno else "connection failed"
        return cls(error.errno, words)


class EgressGuard:
    """Opens sockets to the addresses that a policy allows, and to no others.

    >>> guard = EgressGuard(EgressPolicy())
    >>> guard.check("1.1.1.1", 443)  # 127.0.0.1 would raise AddressRefused
    """

    def __init__(self, policy: EgressPolicy, proxy: str | None = None) -> None:
        """Enforce the deployment's policy.

        A ``proxy`` (URL) makes all connections and looks up all names, so that it has to
        refuse private addresses; then only URLs are checked here.
        """
        self._policy = policy
        self._resolver = _Resolver(self)
        self.proxy = proxy

    def check(self, address: str, port: int, name: str | None = None) -> None:
        """Raise AddressRefused unless the policy allows an IP address and port.

        The reason shows the ``name`` that led to the address, if there is one.
        """
        refusal = self._policy.refusal(address, port, name)
        if refusal is not None:
            raise AddressRefused(EACCES, refusal)

    def check_url(self, url: str) -> None:
        """Raise AddressRefused if a canonical URL alone shows that it is not allowed."""
        refusal = self._policy.url_refusal(url)
        if refusal is not None:
            raise AddressRefused(EACCES, refusal)

    def open_socket(self, info: AddrInfoType) -> socket.socket:
        """Open a socket for a result of ``getaddrinfo``; aiohttp's connector calls this."""
        family, kind, protocol, _, address = info
        self.check(str(address[0]), int(address[1]))
        return socket.socket(family, kind, protocol)

    async def addresses(self, host: str, port: int) -> list[str]:
        """Look up all addresses of a name; raises AddressRefused if one of them is refused.

        Raises OSError if there is none.
        """
        found = await self._resolver.resolve(host, port, socket.AF_UNSPEC)
        return list(dict.fromkeys(each["host"] for each in found))

    async def connected(self, host: str, port: int) -> socket.socket:
        """Connect to the first address of a name that accepts it (RFC 8305).

        These are the addresses that were checked: a second look-up could return another one.
        Raises AddressRefused, ConnectFailed, or the OSError of the look-up.
        """
        infos: list[AddrInfoType] = [
            (each["family"], socket.SOCK_STREAM, each["proto"], "", (each["host"], each["port"]))
            for each in await self._resolver.resolve(host, port, socket.AF_UNSPEC)
        ]
        try:
            return await start_connection(
                infos, happy_eyeballs_delay=_NEXT_ADDRESS_S, socket_factory=self.open_socket
            )
        except AddressRefused:
            raise
        except OSError as error:
            raise ConnectFailed.by(error) from None

    def connector(self, keepalive: float) -> TCPConnector:
        """Return a connector that checks every connection, and closes it after ``keepalive`` s.

        It does not limit the number of connections: waiting for a free one would count
        against the time that a host has to respond. Needs a running loop.
        """
        if self.proxy is not None:
            return TCPConnector(limit=0, keepalive_timeout=keepalive)
        return TCPConnector(
            limit=0,
            keepalive_timeout=keepalive,
            socket_factory=self.open_socket,
            resolver=self._resolver,
        )


class _Resolver(AbstractResolver):
    """Refuses a name if one of its addresses is refused.

    Otherwise the connector would skip that address and connect to the next one.
    """

    def __init__(self, guard: EgressGuard) -> None:
        self._guard = guard
        self._names = ThreadedResolver()

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_INET
    ) -> list[ResolveResult]:
        found = await self._names.resolve(host, port, family)
        for each in found:
            self._guard.check(each["host"], port, host)
        return found

    async def close(self) -> None:
        await self._names.close()
