"""Pages of crawls: each is a subscription derived from the crawl's."""

from dataclasses import replace

from schemas.records.crawls import MANAGER_IS_FULL, Uncover
from schemas.records.notifications import Notification
from schemas.records.requests import Cover
from schemas.records.subscription_facts import PageAdded, PageRemoved
from schemas.records.subscriptions import Subscription
from streams.agents.match.register.counts import MAX_PATIENCES
from streams.agents.match.register.decisions import Decision
from streams.agents.match.register.granting import asked_at
from streams.agents.match.register.registrations import NOTHING, Registrations, remembered_ends
from streams.agents.match.register.requests import Rules
from streams.agents.match.register.watch_uses import MAX_OWN
from streams.matching.notifications import notification_of_page
from streams.values.ids import content_id
from streams.values.views import watched_view

PAGE_ADDED, PAGE_REMOVED = "pageAdded", "pageRemoved"


def cover(
    command: Cover, registrations: Registrations, rules: Rules, at: int, covered: int = 0
) -> Decision:
    """Decide to watch a page for a crawl, at a time (epoch ms) or later.

    A repeated command changes nothing. A forbidden page is removed, as is a new page if the crawls
    of its manager have ``covered`` the most pages.
    """
    key = coverage_key(command.url, command.coverage.id)
    known = registrations.get(key, NOTHING)
    asked, at = at, max(at, registrations.latest)
    page = _covered(command, registrations, known.subscription, asked=asked, at=at)
    if page == known.subscription:
        return Decision(None)
    refusal = rules.refusal(command.url)
    view = watched_view(page.options, page.manager)
    views, instead_of = registrations.counted.views, known.subscription
    if not views.has_room(page.manager, view, instead_of):
        refusal = f"it is already read in {MAX_OWN} different ways, as many as are allowed"
    if not views.patiences.has_room(page.manager, view.id, page.options, instead_of):
        refusal = f"its changes are waited for with {MAX_PATIENCES} different patiences already"
    if known.subscription is None and covered >= rules.pages_per_manager:
        refusal = MANAGER_IS_FULL
    if refusal is not None:
        return _removed(command.coverage.id, page.manager, refusal, registrations, key, at)
    after = replace(known, subscription=page, at=at, changed=at, manager="")
    fact = PageAdded(
        coverage=command.coverage,
        manager=page.manager,
        url=command.url,
        watch=registrations.resulting(key, after),
        at=at,
        since=page.created,
    )
    is_news = known.subscription is None and command.is_news
    news = _news(page, PAGE_ADDED, at) if is_news else None
    return Decision(fact, (key, after), news)


def uncover(command: Uncover, registrations: Registrations, at: int) -> Decision:
    """Decide to watch a page for a crawl no more, published even for an unwatched page.

    A repeated command changes nothing: crawl may end before its note of the sent command.
    """
    key = coverage_key(command.url, command.crawl)
    page = registrations.get(key, NOTHING).subscription
    is_repeated = page is None and key in registrations
    if is_repeated and not command.is_left_out and not command.since:
        return Decision(None)
    at = max(at, registrations.latest)
    decision = _removed(command.crawl, command.manager, command.reason, registrations, key, at)
    fact = decision.fact
    assert isinstance(fact, PageRemoved), "it is said"
    fact = replace(fact, mirror_of=command.mirror_of)
    if page is None:  # of a mirror, crawl knows when it was watched
        fact = replace(fact, since=command.since, until=command.until)
    is_news = page is not None and command.is_news
    news = _news(page, PAGE_REMOVED, at, command.reason) if page and is_news else None
    return replace(decision, fact=fact, notification=news)


def coverage_key(url: str, crawl: str) -> bytes:
    """Return the table key of a page of a crawl, among the keys of its URL."""
    return f"{url}\0{content_id('crawl', crawl)}".encode()


def _covered(
    command: Cover,
    registrations: Registrations,
    known: Subscription | None,
    *,
    asked: int,
    at: int,
) -> Subscription:
    """Return the subscription of a page: like the crawl's, and ending with the crawl alone."""
    crawl, watch = command.subscription, registrations.watch()
    options = replace(crawl.options, max_failures=0, lease=None)
    own_id = content_id(crawl.id, command.url)
    return replace(
        crawl,
        id=own_id,
        watch=own_id if watch is None else watch.id,
        url=command.url,
        options=options,
        created=at if known is None else known.created,
        view_id=watched_view(options, crawl.manager).id,
        coverage=command.coverage,
        links_since=registrations.links_asked(known, options.crawl, at),
        asked=asked_at(asked, at) if known is None else known.asked,
    )


def _removed(
    crawl: str,
    manager: str,
    reason: str,
    registrations: Registrations,
    key: bytes,
    at: int,
) -> Decision:
    known = registrations.get(key, NOTHING)
    ended = remembered_ends(known, known.subscription, at)
    after = replace(known, subscription=None, at=at, ended=ended, manager=manager)
    is_known = key in registrations
    fact = PageRemoved(
        crawl=crawl,
        manager=manager,
        reason=reason,
        url=key.partition(b"\0")[0].decode(),
        watch=registrations.resulting(key, after) if is_known else registrations.watch(),
        at=at,
        since=known.subscription.created if known.subscription is not None else 0,
    )
    return Decision(fact, (key, after) if is_known else None)


def _news(page: Subscription, status: str, at: int, reason: str = "") -> Notification | None:
    crawl = page.options.crawl
    is_wanted = crawl is not None and crawl.notify_pages and not page.paused
    if not is_wanted or page.coverage is None or page.coverage.source:
        return None
    return notification_of_page(page, status, at, reason)
