"""The snapshots, changes and state of a document visible to a manager, in any store.

They begin with its own subscription. Earlier begins are shown as the begin of the subscription: the
real time would disclose the watches of others.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from connectors.stores import cursor
from connectors.stores.pages import ListedSubscription, ListingPage
from schemas.records.changes import DocumentChanged, Returned, shown_return
from schemas.records.documents import Snapshot
from schemas.records.history import ChangeHistory
from schemas.records.numbers import NumberPoint, shown_points, unpacked_series
from schemas.records.subscription_facts import PageAdded, PageRemoved
from schemas.records.subscriptions import Subscription


@dataclass(frozen=True, slots=True)
class SubscribedTime:
    """The time (epoch ms) in which a manager had subscriptions of a document in a view."""

    view: str
    begin: int
    end: int

    def latest(self, at: int | None) -> int:
        """Compute the latest begin of the wanted snapshot.

        ``at`` is a time at which the snapshot was current, None for the newest.
        """
        return self.end if at is None else min(self.end, at)

    def from_time(self, since: int) -> "SubscribedTime":
        """Return the part of the span from a time on."""
        return replace(self, begin=max(self.begin, since))

    def shown(self, found: Snapshot) -> Snapshot:
        """Return a snapshot current in the span, cut to the begin of the span."""
        return found if found.at >= self.begin else replace(found, at=self.begin)

    def has(self, at: int) -> bool:
        """Decide whether the events of a time may be seen, such as the text removed by a change."""
        return self.begin <= at <= self.end


def covered_span(page: PageAdded | PageRemoved, view: str) -> SubscribedTime:
    """Return the time in which a crawl with this view covers a page, or did."""
    end = cursor.LATEST if isinstance(page, PageAdded) else page.until or page.at
    return SubscribedTime(view, page.since or end, end)


def spans_of(span: SubscribedTime, subscription: Subscription) -> list[SubscribedTime]:
    """Return the spans of a subscription's given view, and of its earlier views.

    >>> from schemas.records.subscriptions import EarlierView, Options, Receiver
    >>> before = (EarlierView("v1", 20), EarlierView("v2", 30), EarlierView("v1", 40))
    >>> one = Subscription("s", "w", "m", "u", "u", Receiver(), (), Options(), 10, 0, 0, False,
    ...                    "v2", before)
    >>> [(each.view, each.begin, each.end) for each in spans_of(SubscribedTime("v2", 10, 99), one)]
    [('v2', 10, 99), ('v1', 10, 20), ('v1', 30, 40)]
    """
    found, begin = [span], subscription.created
    for earlier in subscription.earlier_views:
        if earlier.view != span.view:
            found.append(SubscribedTime(earlier.view, begin, earlier.until))
        begin = earlier.until
    return found


def was_current(found: Snapshot, at: int | None) -> bool:
    """Decide whether a snapshot begun by then was current; the newest always was."""
    return at is None or found.until is None or at < found.until


def snapshot_page(found: list[Snapshot], span: SubscribedTime, limit: int) -> ListingPage[Snapshot]:
    """Make a page of snapshots, newest first, from one more than the page may hold."""
    more = len(found) > limit and limit
    last = cursor.written(found[limit - 1].at, "") if more else None
    return ListingPage(tuple(map(span.shown, found[:limit])), last)


def number_page(
    packed: bytes, span: SubscribedTime, after: str | None, limit: int
) -> ListingPage[NumberPoint]:
    """Make a page of the points of a series held in a span, newest first."""
    before, _ = cursor.read(after, cursor.LATEST)
    points = unpacked_series(packed)
    ends = [*(point.at for point in points[1:]), cursor.LATEST]
    held = [
        point if point.at >= span.begin else replace(point, at=span.begin)
        for point, end in zip(points, ends, strict=False)
        if end > span.begin and point.at <= span.end
    ]
    newest = [point for point in held[::-1] if point.at < before][: limit + 1]
    more = len(newest) > limit
    last = cursor.written(newest[limit - 1].at, "") if more else None
    return ListingPage(tuple(newest[:limit]), last)


def history_page(span: SubscribedTime, page: ListingPage[Any]) -> ChangeHistory:
    """Make a page of the changes in a view, with the times visible to a manager."""
    end = None if span.end == cursor.LATEST else span.end
    shown = changes_page([span], page)
    # Whoever ignores returns ignores those to an earlier text, too: of that, no time is known.
    changes = []
    for fact, after in zip(page.items, shown.items, strict=True):
        is_hidden = isinstance(fact, DocumentChanged) and after.returned != fact.returned
        changes.append(replace(after, returned=Returned(0, 0)) if is_hidden else after)
    return ChangeHistory(tuple(changes), shown.next, span.begin, end)


def changes_page(spans: Sequence[SubscribedTime], page: ListingPage[Any]) -> ListingPage[Any]:
    """Make a page of the changes in some spans of a manager, as they are shown."""
    begin = min(each.begin for each in spans)
    return replace(page, items=tuple(shown_change(each, begin) for each in page.items))


def shown_change(fact: Any, begin: int) -> Any:
    """Return a change without a returned text and numbers from before a time (epoch ms)."""
    if not isinstance(fact, DocumentChanged) or (fact.returned is None and not fact.numbers):
        return fact
    numbers = shown_points(fact.numbers, begin)
    return replace(fact, returned=shown_return(fact.returned, begin), numbers=numbers)


def shown_state(listed: ListedSubscription) -> ListedSubscription:
    """Return a subscription with the state of its document since the subscription began.

    A visit from before says nothing about the state.
    """
    begin, waiting = listed.subscription.created, listed.waiting
    if waiting is not None and waiting.dropped_at < begin:
        waiting = replace(waiting, dropped=0, reason="", dropped_at=0)
    if waiting is not None and 0 < waiting.since < begin:
        waiting = replace(waiting, since=begin)
    known = replace(
        listed,
        waiting=waiting,
        waiting_since=_from(begin, listed.waiting_since),
        lost_since=_from(begin, listed.lost_since),
    )
    if listed.last_check is None or listed.last_check >= begin:
        return known
    return replace(
        known,
        last_check=None,
        failures=0,
        last_error=None,
        flapping_until=0,
        title="",
        missing=None,
        lost_since=None,
        confidence=None,
    )


def _from(begin: int, time: int | None) -> int | None:
    return None if time is None else max(begin, time)
