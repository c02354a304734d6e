"""The pace at which a host can serve the pages of a manager: commands need not come faster."""

from collections import Counter
from collections.abc import Iterator

from schemas.records.table_rows import Scheduled
from schemas.records.urls import host
from schemas.records.watches import Watch

FASTEST_VISIT_MS = 5
"""A visit takes no less time, even of a host that needs no pause."""
NOBODY = ("",)
"""The managers of a watch that names none."""


class HostPaces:
    """The time that each host needs for one visit to all pages that a manager watches there.

    A host serves one page at a time. A page that is commanded again before the others had their
    turn still waits in fetch, so the command says nothing new there. But it has to be written and
    read, and all that is due at other hosts comes after it.

    >>> paces = HostPaces(pause_s=1.0)
    >>> pages = [Scheduled(f"https://a.test/{n}", Watch("w", 60), since=0) for n in range(300)]
    >>> for page in pages:
    ...     paces.replace(None, page)
    >>> paces.interval_of(pages[0])  # their host needs 300 s for all of them
    240
    """

    def __init__(self, pause_s: float = 0.0) -> None:
        """Start without pages; after a visit, a host is left alone for ``pause_s`` at least."""
        self._visit_ms = max(FASTEST_VISIT_MS, round(pause_s * 1000))
        self._round_ms = Counter[str]()
        """The time for all pages of a manager and host."""

    def replace(self, before: Scheduled | None, after: Scheduled | None) -> None:
        """Count a page as it is now, and no longer as it was before."""
        if before is not None:
            for key in _keys(before):
                self._round_ms[key] -= self._ms(before.watch)
                if not self._round_ms[key]:
                    del self._round_ms[key]
        if after is not None:
            for key in _keys(after):
                self._round_ms[key] += self._ms(after.watch)

    def interval_of(self, scheduled: Scheduled) -> int:
        """Return the seconds between two commands to fetch a page that is counted.

        The interval of its watch is doubled while the host needs at least twice as long for the
        pages of each of its managers: so a host never waits for a command. The slots of a doubled
        interval are slots of the interval, too.
        """
        interval = scheduled.watch.interval
        round_ms = min(self._round_ms[key] for key in _keys(scheduled))
        while interval * 2000 < round_ms:
            interval *= 2
        return interval

    def clear(self) -> None:
        """Forget all pages."""
        self._round_ms.clear()

    def _ms(self, watch: Watch) -> int:
        """Return the least time of a visit; a paused page has none.

        With a longest interval, most visits may be left out, so the host needs no pause for them.
        """
        if watch.paused:
            return 0
        return self._visit_ms if watch.max_interval is None else FASTEST_VISIT_MS


def _keys(scheduled: Scheduled) -> Iterator[str]:
    """Return the keys of a page: its host for each of its managers."""
    of = host(scheduled.url)
    return (f"{of} {manager}" for manager in scheduled.watch.managers or NOBODY)
