"""The places of hosts that are visited at a time."""

from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager

from streams.agents.fetch.politeness.fair_places import FairPlaces
from streams.agents.fetch.politeness.slow_hosts import SlowHosts

SLOW_SHARE = 10
"""One place for hosts that were slow last time, in addition to so many others."""


class HostPlaces:
    """As many places as hosts may be visited at a time.

    Hosts that were slow last time share a few, so that however many there are, the other
    places stay free for other hosts.
    """

    def __init__(self, at_once: int) -> None:
        """Offer ``at_once`` places, and a tenth more for slow hosts."""
        self._places = FairPlaces(at_once)
        self._slow_places = FairPlaces(max(1, at_once // SLOW_SHARE))
        self._slow_hosts = SlowHosts()

    @property
    def waiting(self) -> int:
        """The number of hosts that were not slow and wait for a place."""
        return len(self._places)

    def place(self, host: str, managers: Sequence[str]) -> AbstractAsyncContextManager[None]:
        """Wait for a place, and hold it."""
        places = self._slow_places if host in self._slow_hosts else self._places
        return places.place(host, managers)

    def note(self, host: str, seconds: float) -> None:
        """Note for how long a host was visited."""
        self._slow_hosts.note(host, seconds)
