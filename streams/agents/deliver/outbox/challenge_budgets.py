"""Limit the challenges: for a manager, for a host of the manager, and to an address."""

from collections.abc import Sequence
from dataclasses import dataclass
from ipaddress import ip_address, ip_network

from schemas.records.table_rows import GrantedChallenge

PER_HOST = 3
"""Challenges granted to a manager for a host name within an hour."""
PER_MANAGER = 200
"""Challenges granted to a manager within an hour: names cost nothing, with wildcards."""
PER_ADDRESS_AND_MANAGER = 20
PER_ADDRESS = 60
"""Challenges to a machine within an hour, under any name."""
GRANT_MS = 10 * 60_000
"""A challenge granted and not made within this time is not made any more."""
WINDOW_MS = 60 * 60_000 + GRANT_MS
"""The time for which a grant counts, so no hour sees more challenges than allowed."""
IPV6_SITE_BITS = 64
"""A machine has as many addresses as wanted in a network of this size."""


@dataclass(frozen=True, slots=True)
class Budget:
    """The ``most`` of these grants within an hour; ``reason`` is for people."""

    granted: Sequence[GrantedChallenge]
    most: int
    reason: str

    @property
    def free_at(self) -> int:
        """The time (epoch ms) of the next possible grant; 0 for now or a new budget."""
        return self.granted[-self.most].at + WINDOW_MS if len(self.granted) >= self.most else 0


def refusal(budgets: Sequence[Budget], now: int) -> tuple[str, int] | None:
    """Return why no challenge is granted now (epoch ms) and the next time; None if possible."""
    last = max(budgets, key=lambda budget: budget.free_at)
    return (last.reason, last.free_at) if last.free_at > now else None


def manager_budgets(granted: Sequence[GrantedChallenge], host: str) -> tuple[Budget, ...]:
    """Return the budgets of a manager, given all its grants, for a challenge of a host."""
    of_host = [each for each in granted if each.host == host]
    return (
        Budget(of_host, PER_HOST, f"its host is asked at most {PER_HOST} times an hour"),
        Budget(granted, PER_MANAGER, f"its manager may ask at most {PER_MANAGER} times an hour"),
    )


def address_budgets(granted: Sequence[GrantedChallenge], manager: str) -> tuple[Budget, ...]:
    """Return the budgets of an address, given all its grants, for a challenge of a manager."""
    own = [each for each in granted if each.manager == manager]
    reason = f"its address is asked at most {PER_ADDRESS_AND_MANAGER} times an hour for a manager"
    return (
        Budget(own, PER_ADDRESS_AND_MANAGER, reason),
        Budget(granted, PER_ADDRESS, f"its address is asked at most {PER_ADDRESS} times an hour"),
    )


def recent(granted: Sequence[GrantedChallenge], now: int) -> tuple[GrantedChallenge, ...]:
    """Return the grants still counting at a time (epoch ms)."""
    return tuple(each for each in granted if each.at > now - WINDOW_MS)


def machine(address: str) -> str:
    """Return the machine of an address: the address, or an IPv6 address's network.

    >>> machine("192.0.2.1"), machine("2001:db8::1:2")
    ('192.0.2.1', '2001:db8::/64')
    """
    try:
        parsed = ip_address(address)
    except ValueError:
        return address  # a proxy looks names up, so the name is all that is known
    if parsed.version == 4:
        return address
    return str(ip_network((parsed, IPV6_SITE_BITS), strict=False))
