"""The waiting changes of a partition, by URL, view and patience."""

import json
from typing import NamedTuple

from schemas.codec import wire
from schemas.records.subscriptions import Options
from schemas.records.table_rows import Waiting

WAITING = b"\0waiting\0"
"""The beginning of the key of a row with waiting changes."""


class Patience(NamedTuple):
    """The time for which a change must stand: seconds, and visits; 0: no matter.

    >>> Patience(86_400, 0)
    Patience(seconds=86400, visits=0)
    """

    seconds: int = 0
    visits: int = 0


def patience_of(options: Options) -> Patience | None:
    """Return the patience of a subscription, None if there is none.

    >>> patience_of(Options(patience_visits=3))
    Patience(seconds=0, visits=3)
    """
    found = Patience(options.patience or 0, options.patience_visits or 0)
    return None if found == Patience() else found


class PatienceGroup(NamedTuple):
    """The subscriptions of a view with the same patience."""

    view: str
    patience: Patience


class WaitingMemory:
    """The rows with waiting changes."""

    def __init__(self) -> None:
        self._urls: dict[str, dict[PatienceGroup, Waiting]] = {}

    def __len__(self) -> int:
        """The number of waiting changes."""
        groups = (each for url in self._urls.values() for each in url.values())
        return sum(len(each.changes) for each in groups)

    def of(self, url: str) -> dict[PatienceGroup, Waiting]:
        """Return the waiting changes for the subscriptions of a URL."""
        return dict(self._urls.get(url, {}))

    def load(self, key: bytes, value: bytes) -> None:
        """Load a row of the table."""
        url, view, *patience = json.loads(key.removeprefix(WAITING))
        group = PatienceGroup(view, Patience(*patience))
        self._urls.setdefault(url, {})[group] = wire.decode(value, Waiting)

    def put(self, url: str, group: PatienceGroup, waiting: Waiting | None) -> bytes:
        """Replace the waiting changes, None without subscriptions; return the key of the row."""
        if waiting is None:
            self._urls.get(url, {}).pop(group, None)
        else:
            self._urls.setdefault(url, {})[group] = waiting
        if not self._urls.get(url):
            self._urls.pop(url, None)
        return _key(url, group)

    def forget(self, url: str) -> list[bytes]:
        """Forget a URL, and return the keys of its rows."""
        return [_key(url, group) for group in self._urls.pop(url, {})]


def _key(url: str, group: PatienceGroup) -> bytes:
    return WAITING + json.dumps([url, group.view, *group.patience]).encode()
