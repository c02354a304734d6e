"""What match passes on to crawl: subscriptions that crawl, and the links of their pages."""

from collections.abc import Iterator

from schemas.records.crawls import MANAGER_IS_FULL, LinksFound, PageSeen, Uncover
from schemas.records.requests import Cover
from schemas.records.subscription_facts import PageRemoved, SubscriptionFact
from schemas.records.subscriptions import Subscription
from schemas.records.topics import CRAWLS
from streams.agents.match.register.memory import RegisterMemory
from streams.agents.match.register.registrations import NOTHING
from streams.values.outcome import Outcome, Send

STEP = 1_000
"""Registrations that are looked at in one step."""


def pass_on_links(found: LinksFound, memory: RegisterMemory) -> Outcome:
    """Let each crawl that covers a page know what it links to."""
    return Outcome(line=found.url, rest=_seen(found, memory))


def pass_on_crawl(
    before: Subscription | None, after: Subscription | None, fact: SubscriptionFact | None
) -> tuple[Send, ...]:
    """Let crawl know of a subscription that crawls, or did, as a fact says it is now.

    In the topic of the links, which follow from it: what is in two topics has no order.
    """
    if fact is None or before == after or not (_crawls(before) or _crawls(after)):
        return ()
    return (Send(CRAWLS.name, fact.url, fact),)


def pass_on_refusal(command: Cover | Uncover, fact: SubscriptionFact | None) -> tuple[Send, ...]:
    """Let a crawl know of a page for which its manager has no room: it does not keep it."""
    if not (isinstance(command, Cover) and isinstance(fact, PageRemoved)):
        return ()
    if fact.reason == MANAGER_IS_FULL:
        return (Send(CRAWLS.name, command.coverage.root, fact),)
    return ()


def _crawls(subscription: Subscription | None) -> bool:
    if subscription is None or subscription.coverage is not None:
        return False
    return subscription.options.crawl is not None


def _seen(found: LinksFound, memory: RegisterMemory) -> Iterator[Outcome]:
    for number, key in enumerate(list(memory.of(found.url)), 1):
        if number % STEP == 0:
            yield Outcome()
        # It may have ended meanwhile, or be paused: as it is now counts.
        each = memory.of(found.url).get(key, NOTHING).subscription
        if each is None or not each.links_since:
            continue
        if (each.watch, each.view_id) == (found.watch, found.view):
            seen = _page_seen(each, found)
            yield Outcome((Send(CRAWLS.name, seen.root, seen),))


def _page_seen(page: Subscription, found: LinksFound) -> PageSeen:
    coverage = page.coverage
    return PageSeen(
        crawl=page.id if coverage is None else coverage.id,
        root=page.url if coverage is None else coverage.root,
        url=found.url,
        links=found.links,
        sources=found.sources,
        signature=found.signature,
        at=found.at,
    )
