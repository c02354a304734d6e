"""The sender of a request through a reverse proxy, and its use of TLS."""

from collections.abc import Sequence
from ipaddress import IPv4Network, IPv6Network, ip_address, ip_network

from aiohttp import web

Network = IPv4Network | IPv6Network


class TrustedProxies:
    """Reads the headers of a reverse proxy, from trusted addresses alone.

    Anybody else may write anything there, so without a trusted proxy they are ignored.
    """

    def __init__(self, networks: Sequence[str]) -> None:
        """Trust the proxies with an address in these networks."""
        self._networks: list[Network] = [ip_network(each) for each in networks]

    def address(self, request: web.Request) -> str:
        """Return the address of a request: the last address other than a trusted proxy's."""
        found = request.remote or "127.0.0.1"
        hops = ",".join(request.headers.getall("X-Forwarded-For", [])).split(",")
        for hop in reversed(hops):
            if not self._trusts(found) or not _is_address(hop.strip()):
                break
            found = hop.strip()
        return found

    def is_secure(self, request: web.Request) -> bool:
        """Whether the visitor speaks TLS, as far as a trusted proxy says so."""
        schemes = ",".join(request.headers.getall("X-Forwarded-Proto", [])).split(",")
        return self._trusts(request.remote or "") and schemes[-1].strip().lower() == "https"

    def _trusts(self, address: str) -> bool:
        if not _is_address(address):
            return False
        found = ip_address(address.partition("%")[0])
        mapped = getattr(found, "ipv4_mapped", None)
        return any((mapped or found) in network for network in self._networks)


def _is_address(text: str) -> bool:
    try:
        ip_address(text.partition("%")[0])
    except ValueError:
        return False
    return True
