"""crawl: follows the links of the pages that crawls cover, and has the pages watched.

Partitioned by the document of the crawl. What it decides are commands to the register, which
makes a page that is covered a subscription like others: so the ticker, fetch and match need not
know why a page is watched, and a page that several cover is fetched once.
"""

from collections.abc import Iterator

import structlog

from schemas.records.crawls import PageSeen, Uncover
from schemas.records.requests import Cover
from schemas.records.subscription_facts import Cancelled, Expired, PageRemoved, Subscribed
from schemas.records.subscriptions import Subscription
from schemas.records.table_rows import Crawl
from schemas.records.topics import SUBSCRIPTION_REQUESTS
from streams.agents.crawl.coverage import CATCH_UP_MS, CrawlCoverage, Move, Moves
from streams.agents.crawl.memory import CrawlMemory, crawl_key, page_key
from streams.values.outcome import Event, Outcome, Put, Send

log = structlog.get_logger()


class CrawlProcessor:
    """The agent that decides what crawls cover, for all partitions of a worker."""

    def __init__(self) -> None:
        self._memories: dict[int, CrawlMemory] = {}

    def begin(self, partition: int) -> None:
        """Start a partition with an empty memory."""
        self._memories[partition] = CrawlMemory()

    def load(self, partition: int, key: bytes, value: bytes) -> None:
        """Load a row of the table into memory."""
        self._memories[partition].load(key, value)

    def released(self) -> None:
        """Drop the memory of all partitions."""
        self._memories.clear()

    def sizes(self) -> dict[str, int]:
        """Count the items in memory, for the gauges."""
        crawls = [each for memory in self._memories.values() for each in memory.crawls.values()]
        return {"crawls": len(crawls), "pages": sum(len(each.pages) for each in crawls)}

    def tick(self, partition: int, now: int) -> Outcome:
        """Let one crawl follow links that wait, the next one at the next tick."""
        crawls = self._memories[partition].crawls
        behind = [crawl for crawl in crawls.values() if crawl.is_behind]
        if not behind:
            return Outcome()
        crawl = behind[now // CATCH_UP_MS % len(behind)]
        moves = _carried_out(crawl.tick(), crawl)
        return Outcome(line=crawl.subscription.id, rest=moves)

    def decide(self, event: Event) -> Outcome:
        """Follow a crawl's subscription, or the links of a page that it covers."""
        memory = self._memories[event.partition]
        match event.fact:
            case Subscribed(subscription=subscription):
                crawl, moves = subscription.id, _subscribed(subscription, memory)
            case Cancelled(subscription=crawl):
                moves = _ended(crawl, memory, "its crawl was cancelled")
            case Expired(subscription=crawl, reason=reason):
                moves = _ended(crawl, memory, f"its crawl has ended: {reason}")
            case PageRemoved(crawl=crawl):
                moves = _refused(event.fact, memory)
            case PageSeen(crawl=crawl):
                moves = _seen(event.fact, memory)
            case _:
                raise TypeError(f"crawl does not read facts of type {type(event.fact).__name__}")
        return Outcome(line=crawl, rest=moves)


def _subscribed(subscription: Subscription, memory: CrawlMemory) -> Iterator[Outcome]:
    crawl = memory.crawls.get(subscription.id)
    if subscription.options.crawl is None:
        yield from _ended(subscription.id, memory, "its subscription crawls no more")
        return
    key, row = crawl_key(subscription.id), Crawl(subscription)
    if crawl is None:
        crawl = memory.begin(subscription)
        yield Outcome(puts=(Put(key, row),))
        yield from _carried_out(crawl.begin(), crawl)
    else:
        yield from _carried_out(crawl.follow_subscription(subscription), crawl)
        yield Outcome(puts=(Put(key, row),))
    log.info("crawls", url=subscription.url, subscription=subscription.id, pages=len(crawl.pages))


def _seen(found: PageSeen, memory: CrawlMemory) -> Iterator[Outcome]:
    crawl = memory.crawls.get(found.crawl)
    if crawl is not None:
        before = len(crawl.pages)
        yield from _carried_out(crawl.see(found), crawl)
        log.debug("followed", url=found.url, new=len(crawl.pages) - before)


def _refused(fact: PageRemoved, memory: CrawlMemory) -> Iterator[Outcome]:
    crawl = memory.crawls.get(fact.crawl)
    if crawl is not None:
        yield from _carried_out(crawl.refuse(fact.url, fact.reason), crawl)


def _ended(crawl_id: str, memory: CrawlMemory, reason: str) -> Iterator[Outcome]:
    crawl = memory.crawls.get(crawl_id)
    if crawl is not None:
        yield from _carried_out(crawl.end(reason), crawl)
        del memory.crawls[crawl_id]
        yield Outcome(puts=(Put(crawl_key(crawl_id), None),))


def _carried_out(moves: Moves, crawl: CrawlCoverage) -> Iterator[Outcome]:
    for move in moves:
        yield Outcome() if move is None else _outcome(move, crawl.subscription)


def _outcome(move: Move, subscription: Subscription) -> Outcome:
    """Return what a move sends, and its row, which is written once that was sent."""
    puts = () if move.is_left_out else (Put(page_key(subscription.id, move.url), move.page),)
    if move.is_watched is None:
        return Outcome(puts=puts)
    command: Cover | Uncover
    if move.is_watched:
        assert move.page is not None, "a page that is watched has a row"
        command = Cover(move.url, move.page.coverage, subscription, move.is_news)
    else:
        command = Uncover(
            url=move.url,
            crawl=subscription.id,
            manager=subscription.manager,
            reason=move.reason,
            mirror_of=move.page.mirror_of if move.page is not None else "",
            is_news=move.is_news,
            since=move.since,
            until=move.until,
            is_left_out=move.is_left_out,
        )
    return Outcome((Send(SUBSCRIPTION_REQUESTS.name, move.url, command),), puts)
