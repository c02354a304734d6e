"""Token buckets: the rate of calls of each caller."""

from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass

MAX_BUCKETS = 10_000
"""The most buckets remembered; the least recently used is dropped."""


@dataclass(slots=True)
class _Bucket:
    """A token bucket: the calls of a minute may come at once; then they come evenly."""

    left: float
    at: float

    def refill(self, per_minute: int, now: float) -> float:
        """Add the tokens of the time since; return the seconds until the next token."""
        rate = per_minute / 60
        self.left = min(per_minute, self.left + (now - self.at) * rate)
        self.at = now
        return max(0.0, (1 - self.left) / rate)


class CallRates:
    """Counts the calls of each name, such as a key's id, in this process.

    >>> rates = CallRates(lambda: 0.0)
    >>> rates.take("key", per_minute=1), rates.take("key", per_minute=1)
    (0.0, 60.0)
    """

    def __init__(self, clock: Callable[[], float]) -> None:
        """``clock`` is monotonic, in seconds."""
        self._clock = clock
        self._buckets: OrderedDict[str, _Bucket] = OrderedDict()

    def wait(self, name: str, per_minute: int) -> float:
        """Return the seconds to wait for the next call, without counting a call."""
        now = self._clock()
        bucket = self._buckets.setdefault(name, _Bucket(per_minute, now))
        self._buckets.move_to_end(name)
        if len(self._buckets) > MAX_BUCKETS:
            self._buckets.popitem(last=False)
        return bucket.refill(per_minute, now)

    def take(self, name: str, per_minute: int) -> float:
        """Count a call, or return the seconds to wait after too many calls."""
        seconds = self.wait(name, per_minute)
        if not seconds:
            self._buckets[name].left -= 1
        return seconds
