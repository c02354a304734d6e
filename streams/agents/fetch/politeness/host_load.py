"""How much is asked of a host, compared with what it can answer."""

MEASURED_S = 60.0
"""Seconds after which a load says something: pages that fall due together are no load."""
HALVED_AFTER_S = 600.0


class HostLoad:
    """What was asked of a host and what it answered, the last ten minutes above all.

    >>> load = HostLoad(now=0.0)
    >>> for _ in range(120):
    ...     load.asked(60.0)
    >>> for _ in range(60):
    ...     load.served(1.0)
    >>> load.value(60.0)
    2.0
    """

    def __init__(self, now: float) -> None:
        """Begin to measure; times are in seconds."""
        self._since = now
        self._asked = 0.0
        self._served = 0.0
        self._seconds = 0.0

    def asked(self, now: float) -> None:
        """Count a visit that has become due."""
        if now - self._since > HALVED_AFTER_S:
            self._since = now - (now - self._since) / 2
            self._asked, self._served = self._asked / 2, self._served / 2
            self._seconds /= 2
        self._asked += 1

    def served(self, seconds: float) -> None:
        """Count a visit that occupied the host for so long, its pause included."""
        self._served += 1
        self._seconds += seconds

    def value(self, now: float) -> float:
        """Return the seconds of visits that are asked of the host per second.

        More than 1 is more than it can answer. 0 before there is enough to say.
        """
        elapsed = now - self._since
        if elapsed < MEASURED_S or not self._served:
            return 0.0
        return self._asked * self._seconds / self._served / elapsed
