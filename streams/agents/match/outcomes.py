"""Turn decisions into messages and table rows, and let crawl know of them."""

from collections.abc import Iterator

import structlog

from schemas.records.backfills import BackfillEnded
from schemas.records.crawls import LinksFound, PageSeen
from schemas.records.log_ids import repeatable, trail
from schemas.records.subscription_facts import Cancelled, Expired, SubscriptionFact
from schemas.records.subscriptions import Subscription
from schemas.records.topics import CRAWLS, HISTORY_REQUESTS, SUBSCRIPTIONS
from schemas.records.urls import without_userinfo
from streams.agents.match.register.decisions import Decision
from streams.agents.match.register.granting import asked_for_backfill
from streams.agents.match.register.memory import RegisterMemory
from streams.agents.match.register.registrations import NOTHING
from streams.values.judging import send_of
from streams.values.outcome import Outcome, Put, Send

log = structlog.get_logger()

STEP = 1_000
"""Registrations per step."""


def apply_decision(decision: Decision, memory: RegisterMemory, now: int) -> Outcome:
    """Put a decision into memory, and return the messages and rows.

    With each stored row, rows ended more than a day before ``now`` (epoch ms) are deleted, a few at
    a time.
    """
    puts: list[Put] = []
    for row in decision.rows:
        memory.put(*row)
        puts.append(Put(*row))
    if puts:
        puts += [Put(key, None) for key in memory.sweep(now)]
    fact = decision.fact
    if fact is not None:
        url = without_userinfo(fact.url)  # a rejected one may be any text
        log.info("decided", answer=type(fact).__name__, url=url, **trail(fact), **repeatable(fact))
    sends = [] if fact is None else [Send(SUBSCRIPTIONS.name, fact.url, fact)]
    if decision.notification is not None:
        sends.append(send_of(decision.notification))
    if (granted := decision.backfill) is not None:
        sends.append(Send(HISTORY_REQUESTS.name, granted.subscription.manager, granted))
    if decision.put is not None and isinstance(fact, Cancelled | Expired):
        _, after = decision.put
        if asked_for_backfill(after, fact.subscription):
            # In the partition of its grant.
            ended = BackfillEnded(fact.subscription)
            sends.append(Send(HISTORY_REQUESTS.name, fact.manager, ended))
    return Outcome(tuple(sends), tuple(puts))


def pass_on_crawl(
    before: Subscription | None, after: Subscription | None, fact: SubscriptionFact | None
) -> tuple[Send, ...]:
    """Pass the state of a crawl subscription, now or before, to crawl, from a fact.

    The topic is the links', which follow from the fact: messages on two topics have no order.
    """
    crawls = any(
        each.coverage is None and each.options.crawl is not None
        for each in (before, after)
        if each is not None
    )
    is_news = crawls and before != after
    return (Send(CRAWLS.name, fact.url, fact),) if is_news and fact is not None else ()


def pass_on_links(found: LinksFound, memory: RegisterMemory) -> Iterator[Outcome]:
    """Pass the links of a page to each crawl over the page."""
    for number, key in enumerate(list(memory.of(found.url)), 1):
        if number % STEP == 0:
            yield Outcome()
        # It may have ended meanwhile, or be paused: as it is now counts.
        each = memory.of(found.url).get(key, NOTHING).subscription
        if each is None or not each.links_since:
            continue
        if (each.watch, each.view_id) == (found.watch, found.view):
            coverage = each.coverage
            seen = PageSeen(
                crawl=each.id if coverage is None else coverage.id,
                root=each.url if coverage is None else coverage.root,
                url=found.url,
                links=found.links,
                sources=found.sources,
                signature=found.signature,
                at=found.at,
            )
            yield Outcome((Send(CRAWLS.name, seen.root, seen),))
