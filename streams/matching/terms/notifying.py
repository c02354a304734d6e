"""Notifications of a change of one page for subscriptions that are for several."""

from collections.abc import Collection
from dataclasses import replace

from schemas.records.changes import DocumentChanged
from schemas.records.notifications import Notification
from schemas.records.pages import covers
from schemas.records.percolations import StoreQuery
from schemas.records.subscriptions import Subscription
from streams.matching.matcher import Matcher
from streams.matching.notifications import notification_of_change
from streams.matching.terms.terms import partition_of_term, term_of
from streams.text.stemming import language_code
from streams.values.lifetimes import counts, seen_at
from streams.values.steps import Steps

DOUBT_MS = 10 * 60 * 1000
"""The time after a subscription was replaced in which another partition may not know of it."""


def sent_change(change: DocumentChanged) -> DocumentChanged:
    """Return what percolate is sent of a change: its passages, not the texts of the document."""
    return replace(change, language=language_code(change.language), texts=None)


def is_for(subscription: Subscription, change: DocumentChanged, tags: Collection[str]) -> bool:
    """Whether a change is for a subscription, whose manager watches the page with these tags."""
    is_seen_in_time = counts(subscription, seen_at(change))
    return is_seen_in_time and covers(subscription.url, change.url, tags)


def is_in_doubt(query: StoreQuery, change: DocumentChanged) -> bool:
    """Whether another partition may match a change with the subscription as it was before."""
    return query.since > 0 and change.at < query.since + DOUBT_MS


def notification_of_page(
    query: StoreQuery,
    change: DocumentChanged,
    matcher: Matcher,
    *,
    partition: int,
    partitions: int,
) -> Steps[Notification | None]:
    """Notify a subscription of a page's change, if this is the partition to do so; else None.

    That is the partition of the first keyword that the change concerns. While another partition
    may have other keywords it would leave it to that one, and that one to this: in doubt each
    notifies, under one id.
    """
    subscription = query.subscription
    concerning = yield from matcher.concerning(subscription)
    if not concerning:
        return None
    term = term_of(concerning[0], subscription.options, matcher.words.language)
    chosen = partition_of_term(term, subscription.manager, partitions)
    if chosen != partition and not is_in_doubt(query, change):
        return None
    of_page = replace(subscription, document_url=change.url, watch=change.watch)
    return (yield from notification_of_change(of_page, change, matcher))
