"""Hosts that were slow last time."""

from collections import OrderedDict

from streams.agents.fetch.politeness.slow_pages import SLOW_VISIT_S

_REMEMBERED = 100_000


class SlowHosts:
    """The hosts that were slow last time; the last so many of them.

    >>> hosts = SlowHosts()
    >>> hosts.note("example.org", took=30.0)
    >>> "example.org" in hosts
    True
    """

    def __init__(self) -> None:
        """Start without any."""
        self._hosts: OrderedDict[str, None] = OrderedDict()

    def __contains__(self, host: str) -> bool:
        return host in self._hosts

    def note(self, host: str, took: float) -> None:
        """Note how long (s) the last visit to a host took."""
        self._hosts.pop(host, None)
        if took >= SLOW_VISIT_S:
            self._hosts[host] = None
            if len(self._hosts) > _REMEMBERED:
                self._hosts.popitem(last=False)
