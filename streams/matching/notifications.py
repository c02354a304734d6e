"""Contents of notifications; the same change always makes the same bytes."""

from typing import Any

from schemas.records.changes import DocumentChanged, shown_return
from schemas.records.delivery_times import DeliveryTimes
from schemas.records.failures import DocumentFailing
from schemas.records.notifications import Notification
from schemas.records.pages import is_pages
from schemas.records.statuses import STATUSES, Unread
from schemas.records.subscriptions import Options, Subscription
from streams.matching.index.terms import UNDETERMINED
from streams.matching.matcher import Matcher
from streams.values.ids import content_id
from streams.values.steps import Steps

OK = "ok"
LINKED = {"text/html", "application/xhtml+xml", "text/plain"}
"""Content types of pages in which browsers find a text."""


def matcher_of(change: DocumentChanged) -> Matcher:
    """Build the matcher of a change, once for all subscriptions.

    Only a page in which browsers find a text has links.
    """
    kind = change.content_type.partition(";")[0].strip().lower()
    page = change.url if kind in LINKED else ""
    return Matcher(
        change.regions, change.language, page=page, texts=change.texts, numbers=change.numbers
    )


def notification_of_change(
    subscription: Subscription, change: DocumentChanged, matcher: Matcher
) -> Steps[Notification | None]:
    """Notify a subscription of the sentences that concern it; None if there are none.

    ``matcher`` is built from the change, once for all subscriptions.
    """
    if is_ignored_return(subscription, change):
        return None
    if not matcher.numbers.concerns(subscription):
        return None
    # History from before the subscription is that of its manager, and read as such.
    begin = subscription.created if subscription.created <= change.at else 0
    diffs, truncated = yield from matcher.diff_steps(subscription)
    if not diffs:
        return None
    return _notification(
        subscription,
        change.id,
        OK,
        change.at,
        content_type=change.content_type,
        diffs=diffs,
        truncated=truncated,
        title=change.title,
        language="" if change.language == UNDETERMINED else change.language,
        returned=shown_return(change.returned, begin),
        picture_change=change.picture_change,
        number=matcher.numbers.news(subscription),
    )


def is_ignored_return(subscription: Subscription, change: DocumentChanged) -> bool:
    """Whether a change only brings back a text that the subscription does not want again."""
    return subscription.options.ignore_returns and change.returned is not None


def notification_of_reading(subscription: Subscription, change: Unread) -> Notification:
    """Notify a subscription that its document, or its part, is not there, or is again."""
    reason = getattr(change, "reason", "")
    if isinstance(change, DocumentFailing) and change.failures > 1:
        reason = f"{change.failures} times in a row, at last: {reason}"
    status = STATUSES[type(change)]
    content = {"content_type": change.content_type, "reason": reason, "title": change.title}
    return _notification(subscription, change.id, status, change.at, **content)


def notification_of_test(subscription: Subscription, request_id: str, at: int) -> Notification:
    """Notify a subscription without a change, so that a client sees whether it receives.

    A repeated request gives the same id, and so no second notification. ``at`` is in
    epoch ms.
    """
    change = content_id(subscription.id, request_id, "test")
    return _notification(subscription, change, OK, at, test=True)


def notification_of_page(
    subscription: Subscription, status: str, at: int, reason: str = ""
) -> Notification:
    """Notify a crawl that a page has come or gone, by the subscription of the page."""
    change = content_id(subscription.id, status, at)
    return _notification(subscription, change, status, at, reason=reason)


def _notification(
    subscription: Subscription, change: str, status: str, at: int, **content: Any
) -> Notification:
    """Build a notification with some content; what a crawl covers is the crawl's."""
    coverage = subscription.coverage
    values = {"content_type": "", "diffs": (), "truncated": False, "test": False, **content}
    return Notification(
        id=content_id(change, subscription.id),
        change=change,
        subscription=subscription.id if coverage is None else coverage.id,
        manager=subscription.manager,
        receiver=subscription.receiver,
        status=status,
        url=subscription.document_url,
        at=at,
        rotation=subscription.rotation,
        rotated=subscription.rotated,
        watch=subscription.watch,
        tags=subscription.options.tags,
        times=delivery_times(subscription.options),
        document="" if coverage is None else subscription.url,
        pages=subscription.url if is_pages(subscription.url) else "",
        name=subscription.name,
        **values,
    )


def delivery_times(options: Options) -> DeliveryTimes | None:
    """Return when a subscription wants to be notified, None if at any time.

    >>> delivery_times(Options(hours="8-18", timezone="Europe/Berlin"))
    DeliveryTimes(hours='8-18', timezone='Europe/Berlin', max_per_day=0)
    """
    if options.hours is None and options.max_per_day is None:
        return None
    zone = options.timezone or DeliveryTimes().timezone
    return DeliveryTimes(options.hours or "", zone, options.max_per_day or 0)
