"""Addresses and ports to which an outgoing request may go.

A request for a subscription is refused by the same rules as the connection would be.
"""

from collections.abc import Container, Iterable
from contextlib import suppress
from functools import lru_cache
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network

from schemas.records.urls import host

Address = IPv4Address | IPv6Address
Network = IPv4Network | IPv6Network

# IANA's special-purpose registries, and addresses that clouds use. ``is_global`` of the
# standard library calls several of these global, and differs between versions of Python.
_SPECIAL_V4 = tuple(
    map(
        IPv4Network,
        (
            "0.0.0.0/8",  # this network
            "10.0.0.0/8",  # private
            "100.64.0.0/10",  # carrier-grade NAT
            "127.0.0.0/8",  # loopback
            "168.63.129.16/32",  # a cloud's metadata
            "169.254.0.0/16",  # link-local, most clouds' metadata
            "172.16.0.0/12",  # private
            "192.0.0.0/24",  # protocol assignments
            "192.0.2.0/24",  # documentation
            "192.31.196.0/24",  # AS112
            "192.52.193.0/24",  # AMT
            "192.88.99.0/24",  # 6to4 relays
            "192.168.0.0/16",  # private
            "192.175.48.0/24",  # AS112
            "198.18.0.0/15",  # benchmarking
            "198.51.100.0/24",  # documentation
            "203.0.113.0/24",  # documentation
            "224.0.0.0/4",  # multicast
            "240.0.0.0/4",  # reserved, broadcast
        ),
    )
)
_GLOBAL_V6 = IPv6Network("2000::/3")
_SPECIAL_V6 = tuple(
    map(
        IPv6Network,
        (
            "2001::/23",  # protocol assignments, Teredo among them
            "2001:db8::/32",  # documentation
            "2002::/16",  # 6to4
            "2620:4f:8000::/48",  # AS112
            "3fff::/20",  # documentation
        ),
    )
)
_USUAL_PORTS = {80, 443}
_LOWEST_FREE_PORT = 1024
_REMEMBERED = 10_000
# Before a host name is looked up, only the port can be checked.
_ANY_PUBLIC = "1.1.1.1"


class EgressPolicy:
    """The rules of a deployment: public addresses, and its exceptions.

    >>> EgressPolicy().refusal("192.168.0.1", 443)
    'address 192.168.0.1 is private or reserved: not allowed'
    """

    def __init__(
        self, networks: Iterable[str] = (), ports: Iterable[int] = (), own: Container[int] = ()
    ) -> None:
        """Allow private ``networks`` (CIDR) and ``ports`` below 1024.

        The deployment's ``own`` ports are refused at private addresses. Raises ValueError for an
        invalid network.
        """
        self._networks: tuple[Network, ...] = tuple(map(ip_network, networks))
        self._ports = _USUAL_PORTS | set(ports)
        self._own = own
        self._known = lru_cache(_REMEMBERED)(self._end_refusal)

    def refusal(self, address: str, port: int, name: str | None = None) -> str | None:
        """Return why an IP address and a port must not be connected to, None if they may.

        The reason shows the ``name`` of the address, if given: clients must not learn the addresses
        of internal names.
        """
        final = ip_address(address)
        if isinstance(final, IPv6Address):
            final = final.ipv4_mapped or final
        public = is_public(final)
        if not public and not any(final in network for network in self._networks):
            return f"address {name or final} is private or reserved: not allowed"
        if port < _LOWEST_FREE_PORT and port not in self._ports:
            return f"port {port}: only 80, 443 and those from {_LOWEST_FREE_PORT} are allowed"
        if not public and port in self._own:
            return f"port {port} is this deployment's own: not allowed"
        return None

    def url_refusal(self, url: str, name: str | None = None) -> str | None:
        """Return why a canonical URL must not be requested, as far as known without a look-up.

        The reason shows the ``name`` instead of the URL's address, if given.
        """
        place = host(url)
        end, colon, port = place.rpartition(":")
        if not colon or place.endswith("]"):
            end, port = place, "443" if url.startswith("https:") else "80"
        return self._known(end.strip("[]"), int(port), name)

    def _end_refusal(self, end: str, port: int, name: str | None) -> str | None:
        address = _ANY_PUBLIC
        if end.rstrip(".").rpartition(".")[2] == "localhost":  # RFC 6761, section 6.3
            address = "127.0.0.1"
        with suppress(ValueError):
            address = str(ip_address(end))
        return self.refusal(address, port, name)


def is_public(address: Address) -> bool:
    """Return whether an address belongs to the open internet."""
    if isinstance(address, IPv4Address):
        return not any(address in network for network in _SPECIAL_V4)
    return address in _GLOBAL_V6 and not any(address in network for network in _SPECIAL_V6)


def is_private_refusal(reason: str) -> bool:
    """Whether a refusal is for a private address, which VOKTER_ALLOW_PRIVATE may allow.

    >>> is_private_refusal(EgressPolicy().refusal("10.0.0.1", 443) or "")
    True
    """
    return "is private or reserved" in reason
