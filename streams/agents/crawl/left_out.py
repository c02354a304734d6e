"""The links that a crawl does not follow: for a bound, or as the register has no room."""

from collections.abc import Iterable
from itertools import count

MAX_NAMED = 1_000
"""Links of a crawl named with the bound that left them out: there may be no end of them."""


class LeftOut:
    """Links of one crawl, as many as are named."""

    def __init__(self) -> None:
        self._named = set[str]()
        """Links that were left out by a bound, as the register knows."""
        self._refusals = count(1)
        self._refused = dict[str, int]()
        """Pages that the register has refused, in this order."""

    def name(self, url: str) -> bool:
        """Return whether the register is to know that a bound leaves a link out: once for each."""
        is_new = url not in self._named and len(self._named) < MAX_NAMED
        if is_new:
            self._named.add(url)
        return is_new

    def refuse(self, url: str) -> None:
        """Note a page for which the register has no room."""
        self._refused[url] = next(self._refusals)
        if len(self._refused) > MAX_NAMED:
            del self._refused[next(iter(self._refused))]

    def forget(self, url: str) -> None:
        """Forget a page: it is covered."""
        self._named.discard(url)
        self._refused.pop(url, None)

    def forget_named(self) -> None:
        """Forget the links that a bound left out: another one may."""
        self._named.clear()

    def refused_last(self, links: Iterable[str]) -> Iterable[str]:
        """Return links, those that the register has refused last, the latest at the end."""
        refused = self._refused
        return sorted(links, key=lambda url: refused.get(url, 0)) if refused else links
