"""Crawl and match with a site that is read at once: what of a crawl needs no broker."""

from collections import deque
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import chain, count
from typing import Any

from schemas.codec import wire
from schemas.records.changes import DocumentChanged
from schemas.records.crawls import LinksFound
from schemas.records.notifications import Notification
from schemas.records.subscription_facts import PageAdded, PageRemoved, Rejected
from schemas.records.topics import CHANGES, SUBSCRIPTION_REQUESTS, SUBSCRIPTIONS
from schemas.records.waiting import ChangesWaiting
from schemas.records.watches import Watch
from streams.agents.crawl.agent import CrawlProcessor
from streams.agents.match.agent import MatchProcessor
from streams.agents.match.register.requests import Rules
from streams.app import CRAWL
from streams.values.outcome import Event, Outcome


@dataclass(frozen=True, slots=True)
class SitePage:
    """A page: what it links to and names, and the signature of its text."""

    links: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()
    signature: str = ""


_READ_BY_CRAWL = frozenset(topic.name for topic in CRAWL.reads)


def no_change(url: str, watch: Watch, view: str) -> DocumentChanged:
    """Return a change that says nothing, of a page that is watched."""
    return DocumentChanged(f"c{url}", url, watch.id, 1, 0, "text/html", "en", (), 5, view)


@dataclass
class CrawledSite:
    """The two agents, with a fetch that reads a page whenever a crawl wants its links."""

    site: Mapping[str, SitePage]
    now: int = 1_000
    rows: dict[bytes, Any] = field(default_factory=dict)
    watches: dict[str, Watch] = field(default_factory=dict)
    fetches: list[str] = field(default_factory=list)
    notifications: list[Notification] = field(default_factory=list)
    pages: dict[tuple[str, str], PageAdded | PageRemoved] = field(default_factory=dict)
    rejected: list[Rejected] = field(default_factory=list)
    events: deque[Event] = field(default_factory=deque)
    missed: list[Event] | None = None
    handled: int = 0
    carried_out: int = 0
    killed_after: int = -1
    rules: Rules = field(default_factory=lambda: Rules(1))

    def __post_init__(self) -> None:
        self.match = MatchProcessor(partition_of=lambda _: 0, rules=self.rules)
        self.match.begin(0)
        self._offsets = count(1)
        self._links_for: dict[str, int] = {}
        self.start_crawl()

    def start_crawl(self) -> None:
        """Start crawl from its table, as after a kill."""
        self.crawl = CrawlProcessor()
        self.crawl.begin(0)
        for key in sorted(self.rows):
            self.crawl.load(0, key, wire.encode(self.rows[key]))

    def send(self, topic: str, fact: Any) -> None:
        """Put a fact on a topic."""
        self.now += 1
        value = wire.encode(fact)
        offset = next(self._offsets)
        self.events.append(Event(topic, 0, offset, self.now, None, value, (), fact))

    def ask(self, *requests: Any) -> None:
        """Send requests, and let all that follows from them happen."""
        for request in requests:
            self.send(SUBSCRIPTION_REQUESTS.name, request)
        self.run()

    def run(self, most: int | None = None) -> None:
        """Handle events until there are none, or so many."""
        left = -1 if most is None else most
        while self.events and left:
            left -= 1
            self.handle(self.events.popleft())

    def handle(self, event: Event) -> None:
        """Let the agents that read its topic decide on one event."""
        self.handled += 1
        if event.topic in (SUBSCRIPTION_REQUESTS.name, CHANGES.name):
            self._carry_out(self.match.decide(event), {})
        if event.topic in _READ_BY_CRAWL and self.missed is not None:
            self.missed.append(event)
        elif event.topic in _READ_BY_CRAWL:
            self._handle_crawl(event)
        if event.topic == SUBSCRIPTIONS.name:
            self._follow(event.fact)

    def return_crawl(self) -> None:
        """Let crawl read what it has missed, each topic in its order, but one after another."""
        missed, self.missed = self.missed or [], None
        for event in sorted(missed, key=lambda event: event.topic):
            self.handle(event)
        self.run()

    def _handle_crawl(self, event: Event) -> None:
        """Let crawl decide, and once more from its table if it is killed between two parts."""
        if not self._carry_out(self.crawl.decide(event), self.rows, are_counted=True):
            self.start_crawl()
            self._carry_out(self.crawl.decide(event), self.rows)

    def read(self, url: str) -> None:
        """Read a page in each view in which a crawl wants its links."""
        watch = self.watches[url]
        for view in watch.views:
            page = self.site.get(url, SitePage())
            found = LinksFound(
                id=f"l{url}{self.now}",
                url=url,
                watch=watch.id,
                slot=self.now,
                links=page.links,
                sources=page.sources,
                signature=page.signature,
                at=self.now,
                view=view.id,
            )
            self.send(CHANGES.name, found)

    def _follow(self, fact: Any) -> None:
        if isinstance(fact, Rejected):
            self.rejected.append(fact)
        if isinstance(fact, PageAdded):
            self.pages[fact.coverage.id, fact.url] = fact
        if isinstance(fact, PageRemoved):
            self.pages[fact.crawl, fact.url] = fact
        if isinstance(fact, ChangesWaiting):
            return
        if fact.watch is None:
            self.watches.pop(fact.url, None)
            self._links_for.pop(fact.url, None)
            return
        self.watches[fact.url] = fact.watch
        wanted = max(view.links for view in fact.watch.views)
        if wanted > self._links_for.get(fact.url, 0):
            self._links_for[fact.url] = wanted
            self.fetches.append(fact.url)
            self.read(fact.url)

    def _carry_out(
        self, outcome: Outcome, rows: dict[bytes, Any], *, are_counted: bool = False
    ) -> bool:
        """Send and store, part by part; returns False if the agent is killed after one."""
        parts: Iterable[Outcome] = chain((outcome,), outcome.rest or ())
        for part in parts:
            if are_counted:
                if self.carried_out == self.killed_after:
                    self.killed_after = -1
                    return False
                self.carried_out += 1
            for send in part.sends:
                if isinstance(send.record, Notification):
                    self.notifications.append(send.record)
                else:
                    self.send(send.topic, send.record)
            for put in part.puts:
                if put.record is None:
                    rows.pop(put.key, None)
                else:
                    rows[put.key] = put.record
        return True

    def covered(self, crawl: str) -> set[str]:
        """Return the URLs of the pages that a crawl has added and not removed."""
        return {
            url
            for (own, url), fact in self.pages.items()
            if own == crawl and isinstance(fact, PageAdded)
        }
