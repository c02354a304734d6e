"""The egress guard: where an outgoing request may connect to.

The check is made on the address of each socket, when it is opened: a check of
the URL alone would miss redirects, IP literals and names that change between
two look-ups.
"""

import socket
from collections.abc import Iterable
from errno import EACCES
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network

from aiohttp import AddrInfoType, TCPConnector

Address = IPv4Address | IPv6Address
Network = IPv4Network | IPv6Network

# Shorter than any common server's, so that a connection is not reused just as
# the other side closes it.
KEEPALIVE_SECONDS = 2.0


class AddressRefused(PermissionError):
    """A connection to this address is not allowed."""


class EgressGuard:
    """Lets sockets go to global addresses and to the private networks named."""

    def __init__(self, allow_private: Iterable[str] = ()) -> None:
        """Take networks as CIDR text; ValueError for what is none."""
        self._allowed: tuple[Network, ...] = tuple(ip_network(text) for text in allow_private)

    def check(self, address: str) -> None:
        """Raise AddressRefused unless ``address``, an IP address, may be connected to."""
        final = _unwrapped(ip_address(address))
        if not _is_public(final) and not any(final in network for network in self._allowed):
            raise AddressRefused(EACCES, f"address {final} is private or reserved: not allowed")

    def socket(self, info: AddrInfoType) -> socket.socket:
        """Open the socket for one result of ``getaddrinfo``; the connector's factory."""
        family, kind, protocol, _, address = info
        self.check(str(address[0]))
        return socket.socket(family, kind, protocol)

    def connector(self) -> TCPConnector:
        """A connector whose every connection passes this guard.

        It has no limit of its own: waiting for a place in it would count
        against the time a host has to answer.
        """
        return TCPConnector(
            limit=0, keepalive_timeout=KEEPALIVE_SECONDS, socket_factory=self.socket
        )


def _unwrapped(address: Address) -> Address:
    mapped = address.ipv4_mapped if isinstance(address, IPv6Address) else None
    return mapped or address


def _is_public(address: Address) -> bool:
    return address.is_global and not (
        address.is_multicast or address.is_reserved or address.is_unspecified
    )
