"""Choose the connections to close when a server has too many."""

import resource
from collections import Counter
from ipaddress import IPv6Address, ip_address
from typing import Generic, TypeVar

Connection = TypeVar("Connection")

MAX_CONNECTIONS = 1000
MAX_PER_ADDRESS = 200


class ConnectionLimits(Generic[Connection]):
    """The open connections of a server, and which of them wait for a request.

    >>> limits = ConnectionLimits(most=2, most_per_address=2)
    >>> limits.admit("first", "192.0.2.1"), limits.admit("second", "192.0.2.2")
    (None, None)
    >>> limits.admit("third", "192.0.2.3")
    'first'
    """

    def __init__(self, most: int, most_per_address: int) -> None:
        """Begin without a connection."""
        self._most = most
        self._most_per_address = most_per_address
        self._addresses: dict[Connection, str | None] = {}
        self._waiting: dict[Connection, None] = {}
        self._of_address: Counter[str] = Counter()

    def __len__(self) -> int:
        return len(self._addresses)

    @property
    def addresses(self) -> set[str]:
        """The addresses with a connection."""
        return set(self._of_address)

    def admit(self, connection: Connection, address: str | None) -> Connection | None:
        """Count a new connection, and return a connection to close, if there are too many.

        The connection with the longest wait is closed, of the same address if over its limit; the
        new connection itself if none waits. Without an ``address`` only the number of all counts.
        """
        loser = None
        if address is not None and self._of_address[address] >= self._most_per_address:
            own = (each for each in self._waiting if self._addresses[each] == address)
            loser = next(own, connection)
        elif len(self._addresses) >= self._most:
            loser = next(iter(self._waiting), connection)
        if loser is not None:
            self.forget(loser)
        if loser is not connection:
            self._addresses[connection] = address
            if address is not None:
                self._of_address[address] += 1
            self._waiting[connection] = None
        return loser

    def serve(self, connection: Connection) -> None:
        """Keep a connection, because its request is being handled."""
        self._waiting.pop(connection, None)

    def served(self, connection: Connection) -> None:
        """Note the wait of a connection for its next request."""
        if connection in self._addresses:
            self._waiting[connection] = None

    def forget(self, connection: Connection) -> None:
        """Drop a closed connection."""
        self._waiting.pop(connection, None)
        address = self._addresses.pop(connection, None)
        if address is not None:
            self._of_address[address] -= 1
            if not self._of_address[address]:
                del self._of_address[address]


def max_connections() -> int:
    """Return how many connections this process may have: at most half of its files."""
    files, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return MAX_CONNECTIONS if files == resource.RLIM_INFINITY else min(MAX_CONNECTIONS, files // 2)


def owner(host: str) -> str | None:
    """Return an address as its owner is counted: of IPv6, the first 64 bits.

    None for this machine: a local reverse proxy connects for all users.

    >>> owner("2001:db8::1:2:3"), owner("192.0.2.1"), owner("127.0.0.1")
    ('2001:db8::', '192.0.2.1', None)
    """
    address = ip_address(host.partition("%")[0])
    mapped = address.ipv4_mapped if isinstance(address, IPv6Address) else None
    if (mapped or address).is_loopback:
        return None
    if isinstance(address, IPv6Address) and mapped is None:
        return str(IPv6Address(int(address) >> 64 << 64))
    return str(address)
