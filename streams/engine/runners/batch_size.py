"""The number of events of a write: fewer for a slow store, as long as fewer are of use."""

SLOW_S = 10.0
WANTED_S = 8.0
"""More events come as long as their write, if each takes as long, is done by then."""
GAIN = 1.5
"""The factor by which more events at a time must be written faster to go on with more."""


class BatchSize:
    """The size of the next write, at ``most``, by the durations of those before.

    A slow store gets fewer events at a time: a write that always exceeds a timeout would be
    repeated without end, and an end of the process would repeat more. If a store takes about as
    long for few events as for many, the number grows again.

    Example:
        >>> size = BatchSize(500)
        >>> size.wrote(500, 12.0)
        >>> size.now
        250
    """

    def __init__(self, most: int) -> None:
        """Begin with the most."""
        self.now = most
        self._most = most
        self._rate = 0.0
        """Events a second of the last slow write, 0 after any other."""
        self._grows = False

    def wrote(self, count: int, took_s: float) -> None:
        """Note a write of so many events."""
        if took_s > SLOW_S:
            rate = count / took_s
            if self._grows:
                self._grows = rate > self._rate * GAIN
            else:
                self._grows = count == 1 or rate * GAIN < self._rate
            self._rate = rate
            self._change(count)
        else:
            self._rate, self._grows = 0.0, False
            more = 2.0 if took_s * 2 < WANTED_S else WANTED_S / took_s
            self.now = min(max(self.now, round(count * more)), self._most)

    def failed(self, count: int, took_s: float) -> None:
        """Note a failed write of so many events."""
        self._rate, self._grows = 0.0, False
        if took_s > SLOW_S:
            self._change(count)

    def _change(self, count: int) -> None:
        wanted = count * 2 if self._grows else count // 2
        self.now = min(max(wanted, 1), self._most)
