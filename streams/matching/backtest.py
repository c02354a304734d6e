"""Notifications that a kept change would have caused for a subscription, by the code of match."""

from typing import NamedTuple

from schemas.records.changes import DocumentChanged
from schemas.records.notifications import Notification
from schemas.records.subscriptions import Subscription
from streams.matching.change_words import KnownForms, may_concern
from streams.matching.notifications import (
    is_ignored_return,
    matcher_of,
    notification_of_change,
)
from streams.text.tokens import PART
from streams.values.steps import Steps

SMALL = PART
"""Characters of a change whose words are looked at without a pause, and only those needed."""


class PastNotification(NamedTuple):
    """That a change would have notified a subscription, by which of its keywords, and of what.

    Without a notification nobody has asked of what.
    """

    keywords: tuple[str, ...]
    notification: Notification | None = None


def past_notification(
    subscription: Subscription,
    change: DocumentChanged,
    forms: KnownForms | None = None,
    *,
    in_full: bool,
) -> Steps[PastNotification | None]:
    """Decide whether a change would have notified a subscription, None if not.

    ``in_full`` also says of what, which takes twice as long. With ``forms``, which are for several
    changes, one that lacks the words is found in less than half of the time.
    """
    if is_ignored_return(subscription, change):
        return None
    matcher = matcher_of(change)
    if not matcher.numbers.concerns(subscription):
        return None
    if _size(change) > SMALL:
        yield from matcher.prepare((subscription,))
    elif forms is not None and not may_concern(matcher.words, subscription, forms):
        return None
    keywords = yield from matcher.concerning(subscription)
    if not keywords:
        return None
    if not in_full:
        return PastNotification(keywords)
    notification = yield from notification_of_change(subscription, change, matcher)
    return PastNotification(keywords, notification)


def _size(change: DocumentChanged) -> int:
    texts = change.texts
    sides = (side for region in change.regions for side in (region.removed, region.added))
    whole = 0 if texts is None else len(texts.removed) + len(texts.added)
    return whole + sum(len(side.text) for side in sides if side is not None)
