"""The register's memory of a partition of its table."""

from collections import Counter
from collections.abc import Iterator
from itertools import islice

from schemas.codec import wire
from schemas.records.pages import is_pages
from schemas.records.percolations import Interest, TermFilter
from schemas.records.subscriptions import Subscription
from schemas.records.table_rows import NotifiedThrough, Registration
from streams.agents.match.patience.memory import WAITING, WaitingMemory
from streams.agents.match.register.ends import Ends
from streams.agents.match.register.registrations import (
    NOTHING,
    NOTIFIED,
    Registrations,
    active,
    by_age,
    shared_registration,
)
from streams.matching.change_words import ChangeWords
from streams.matching.index.subscription_index import IndexByReach
from streams.matching.terms.interests import Interests, has_any
from streams.values.ranked_keys import RankedKeys
from streams.values.steps import Steps

INTEREST = b"\0interest\0"
"""The beginning of the key of a row with a manager's interest."""
TERM_FILTER = b"\0terms\0"
"""The beginning of the key of a row with a filter of a manager's terms."""
NO_REGISTRATIONS = NOTIFIED, WAITING, INTEREST, TERM_FILTER
"""The beginnings of the keys of rows without registrations."""
DAY = 24 * 3600 * 1000
SWEEP = 2
"""The most registrations deleted by a sweep, so no request waits for many."""
INDEXED = 64
"""Registrations of a URL from which an index is faster than examining each."""


class RegisterMemory:
    """All registrations of a partition, by URL and then by table key."""

    def __init__(self) -> None:
        self.additions = 0
        """The number of added URLs."""
        self._urls: dict[str, Registrations] = {}
        self._keys: dict[str, bytes] = {}
        self._indexes: dict[str, IndexByReach] = {}
        self._ends = Ends()
        self.leases = RankedKeys[bytes]()
        """The ends (epoch ms) of subscriptions without renewal, and of the stopped."""
        self._covered: Counter[str] = Counter()
        self._notified: dict[str, NotifiedThrough] = {}
        self.waiting = WaitingMemory()
        """The waiting changes."""
        self.interests = Interests()
        """Managers with subscriptions to several pages; each partition knows all of them."""

    def __len__(self) -> int:
        """The number of subscriptions."""
        return len(self._keys)

    def of(self, url: str) -> Registrations:
        """Return all registrations of a URL."""
        return self._urls[url] if url in self._urls else Registrations()

    def urls(self) -> list[str]:
        """Return the URLs with registrations."""
        return list(self._urls)

    def added_since(self, additions: int) -> list[str]:
        """Return the URLs added after so many additions.

        Others are among them if some of those were forgotten since.
        """
        # A dict keeps the order in which its keys were added.
        return list(islice(reversed(self._urls), self.additions - additions))

    def registration(self, key: bytes) -> Registration:
        """Return the registration under a table key, an empty registration if there is none."""
        rows = self._urls.get(_url(key))
        return NOTHING if rows is None else rows.get(key, NOTHING)

    def key(self, subscription: str) -> bytes | None:
        """Return the table key of a present subscription, by its id."""
        return self._keys.get(subscription)

    def covered(self, manager: str) -> int:
        """Count the pages of a manager's crawls, each once for each crawl."""
        return self._covered[manager]

    def current(self, subscription: Subscription) -> Subscription | None:
        """Return the present state of a subscription, None if forgotten."""
        if subscription.ended:
            return subscription
        registrations = self.of(subscription.url)
        if (key := self._keys.get(subscription.id)) is not None:
            return registrations[key].subscription
        ended = registrations.ended_after(0)
        return next((each for each in ended if each.id == subscription.id), None)

    def concerned(self, url: str, words: ChangeWords, at: int) -> Steps[list[Subscription]]:
        """Return the possible subscriptions of a URL for a change, oldest first.

        Only subscriptions not ended ``at`` a time (epoch ms). All matches are among them; a
        ``Matcher`` decides about each. Subscriptions replaced or ended since the first step are
        unchanged here: ``current`` follows them.
        """
        ended, index = self.of(url).ended_after(at), self._indexes.get(url)
        if index is not None:
            return by_age([*ended, *(yield from index.find_steps(words))])
        found = active(self.of(url).values())
        return by_age([*ended, *found]) if ended else found

    def notified(self, url: str) -> NotifiedThrough | None:
        """Return how far the changes of a URL were matched, None if no row says so."""
        return self._notified.get(url)

    def note(self, url: str, notified: NotifiedThrough) -> tuple[bytes, NotifiedThrough | None]:
        """Remember the progress of the changes of a URL, and return its row.

        Without registrations there is nobody to notify again, and no row.
        """
        if url not in self._urls:
            return NOTIFIED + url.encode(), None
        self._notified[url] = notified
        return NOTIFIED + url.encode(), notified

    def note_interest(self, interest: Interest) -> Iterator[tuple[bytes, Interest | None]]:
        """Remember the interest of a manager, and yield its rows."""
        self.interests.put(interest)
        yield interest_key(interest), interest if has_any(interest) else None
        if interest.filter_made is None and self.interests.drop_filter(interest):
            yield filter_key(interest), None

    def load(self, key: bytes, value: bytes) -> None:
        """Load a row of the table."""
        if key.startswith(NOTIFIED):
            url = key.removeprefix(NOTIFIED).decode()
            self._notified[url] = wire.decode(value, NotifiedThrough)
        elif key.startswith(WAITING):
            self.waiting.load(key, value)
        elif key.startswith(INTEREST):
            self.interests.put(wire.decode(value, Interest))
        elif key.startswith(TERM_FILTER):
            self.interests.put_filter(wire.decode(value, TermFilter))
        else:
            self.put(key, shared_registration(wire.decode(value, Registration)))

    def put(self, key: bytes, registration: Registration) -> None:
        """Replace a registration."""
        url = _url(key)
        if url not in self._urls:
            self._urls[url] = Registrations()
            self.additions += 1
        known = self._urls[url].get(key, NOTHING)
        old, new = known.subscription, registration.subscription
        self._urls[url].put(key, registration)
        if old is not None and self._keys.get(old.id) == key:  # else it was renamed
            del self._keys[old.id]
        if new is not None:
            self._keys[new.id] = key
        if not is_pages(url):  # percolate has an index of those
            self._index(url, old, new)
        self._count_covered(old, -1)
        self._count_covered(new, 1)
        if (end := _end_by_time(registration)) is None:
            self.leases.drop(key)
        else:
            self.leases.put(key, (end,))
        self._ends.drop(known.manager, key)
        if new is None and registration.ending is None:
            self._ends.put(registration.manager, key, registration.at)

    def sweep(self, now: int) -> tuple[bytes, ...]:
        """Forget a few registrations ended more than a day ago; return the keys of rows.

        They are kept for a day because a request may be repeated, and until their end is published;
        of a manager with very many the oldest are forgotten sooner.
        """
        gone: list[bytes] = []
        while len(gone) < SWEEP and (key := self._ends.due(now - DAY)) is not None:
            url = _url(key)
            rows = self.of(url)
            self._ends.drop(rows[key].manager, key)
            gone.append(key)
            rows.drop(key)
            if not rows:
                del self._urls[url]
                self._indexes.pop(url, None)
                if self._notified.pop(url, None) is not None:
                    gone.append(NOTIFIED + url.encode())
                gone += self.waiting.forget(url)
        return tuple(gone)

    def _count_covered(self, page: Subscription | None, by: int) -> None:
        if page is None or page.coverage is None:
            return
        self._covered[page.manager] += by
        if not self._covered[page.manager]:
            del self._covered[page.manager]

    def _index(self, url: str, old: Subscription | None, new: Subscription | None) -> None:
        index = self._indexes.get(url)
        if index is None:
            if len(self._urls[url]) >= INDEXED:
                self._indexes[url] = IndexByReach(active(self._urls[url].values()))
        elif new is not old:
            if old is not None:
                index.remove(old)
            if new is not None:
                index.add(new)


def _end_by_time(registration: Registration) -> int | None:
    """Return when a subscription ends unless it is asked for again (epoch ms); None for never."""
    known = registration.subscription
    if known is not None and known.stopped:
        return known.undo_until
    lease = None if known is None else known.options.lease
    return None if lease is None else registration.at + lease * 1000


def interest_key(interest: Interest) -> bytes:
    """Return the table key of an interest."""
    return INTEREST + f"{interest.partition}\0{interest.manager}".encode()


def filter_key(of: Interest | TermFilter) -> bytes:
    """Return the table key of the filter of a manager's terms in a partition."""
    return TERM_FILTER + f"{of.partition}\0{of.manager}".encode()


def _url(key: bytes) -> str:
    return key.partition(b"\0")[0].decode()
