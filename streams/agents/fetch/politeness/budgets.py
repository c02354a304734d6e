"""Stretches the visits that pages are worth, so that they keep to a budget."""

from collections import defaultdict

HOUR_S = 3600


class VisitBudgets:
    """The visits a second that the pages of a worker ask for, by host and in all.

    >>> budgets = VisitBudgets(of_host=60)
    >>> for page in range(3):
    ...     budgets.ask(f"https://example.org/{page}", "example.org", seconds=60)
    >>> budgets.stretch("example.org")  # 180 visits an hour are asked for
    3.0
    """

    def __init__(self, of_host: float | None = None, of_partition: float | None = None) -> None:
        """Begin without pages; ``partitions`` is how many the worker has.

        The limits are visits an hour of pages with a longest interval, None for none.
        """
        self.partitions = 1
        self._of_host, self._of_partition = of_host, of_partition
        self._asked: dict[str, float] = {}
        self._hosts: defaultdict[str, float] = defaultdict(float)
        self._sum = 0.0

    def ask(self, url: str, host: str, seconds: float | None) -> None:
        """Note that a page is worth a visit in so many seconds; None: it asks for none any more."""
        if self._of_host is None and self._of_partition is None:
            return
        asked = 0.0 if seconds is None else 1 / seconds
        change = asked - self._asked.pop(url, 0.0)
        if asked:
            self._asked[url] = asked
        self._hosts[host] += change
        self._sum += change
        if seconds is None and self._hosts[host] < 1e-12:
            del self._hosts[host]

    def stretch(self, host: str) -> float:
        """Return by what the intervals of a host's pages are multiplied, at least 1."""
        factors = [1.0]
        if self._of_host is not None:
            factors.append(self._hosts.get(host, 0.0) * HOUR_S / self._of_host)
        if self._of_partition is not None and self.partitions:
            factors.append(self._sum * HOUR_S / (self._of_partition * self.partitions))
        return max(factors)

    def clear(self) -> None:
        """Forget all pages."""
        self._asked.clear()
        self._hosts.clear()
        self._sum = 0.0
