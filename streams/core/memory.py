"""What the register keeps in memory of one partition of its table."""

from collections import defaultdict
from heapq import heappop, heappush

from schemas import wire
from schemas.state import Registration
from streams.core.register import Registrations

DAY = 24 * 3600 * 1000
SWEEP = 2


class Registry:
    """All registrations of one partition, by URL and then by table key."""

    def __init__(self) -> None:
        """Start empty."""
        self._urls: defaultdict[str, dict[bytes, Registration]] = defaultdict(dict)
        self._ended: list[tuple[int, bytes]] = []

    def of(self, url: str) -> Registrations:
        """Give all registrations of a URL."""
        return self._urls.get(url, {})

    def load(self, key: bytes, value: bytes) -> None:
        """Take one row of the table."""
        self.put(key, wire.decode(value, Registration))

    def put(self, key: bytes, registration: Registration) -> None:
        """Replace a registration."""
        self._urls[_url(key)][key] = registration
        if registration.subscription is None:
            heappush(self._ended, (registration.at, key))

    def sweep(self, now: int) -> tuple[bytes, ...]:
        """Forget registrations that ended more than a day ago; give a few keys to delete.

        They are kept that long for the answers to repeated requests.
        """
        gone: list[bytes] = []
        while self._ended and self._ended[0][0] < now - DAY and len(gone) < SWEEP:
            at, key = heappop(self._ended)
            rows = self._urls.get(_url(key), {})
            known = rows.get(key)
            if known is not None and known.subscription is None and known.at == at:
                gone.append(key)
                del rows[key]
                if not rows:
                    del self._urls[_url(key)]
        return tuple(gone)


def _url(key: bytes) -> str:
    return key.partition(b"\0")[0].decode()
