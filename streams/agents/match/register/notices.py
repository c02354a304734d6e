"""What subscriptions were notified of and has not ended: that their document fails, or is lost.

Only who knows of it is notified of its end.
"""

from dataclasses import replace

from schemas.records.table_rows import OpenNotices, Registration

_BEGINNINGS = {"recovered": "failing", "found": "lost"}


def is_end(status: str) -> bool:
    """Whether the status of a notification says that something has ended."""
    return status in _BEGINNINGS


def is_open(known: Registration, status: str) -> bool:
    """Whether the subscription of a registration was notified of what a ``status`` ends."""
    return _BEGINNINGS[status] in _open(known)


def after_notice(known: Registration, status: str) -> Registration:
    """Return a registration with a subscription after a notice: something begins or ends for it."""
    before = _open(known)
    after = before - {_BEGINNINGS[status]} if is_end(status) else before | {status}
    subscription = known.subscription
    if after == before or subscription is None:
        return known
    notices = OpenNotices(subscription.id, subscription.view_id, tuple(sorted(after)))
    return replace(known, notices=notices if after else None)


def _open(known: Registration) -> frozenset[str]:
    """Return what is open for the subscription that there is now, in the view that it has now."""
    notices, subscription = known.notices, known.subscription
    if notices is None or subscription is None:
        return frozenset()
    is_same = (notices.subscription, notices.view) == (subscription.id, subscription.view_id)
    return frozenset(notices.statuses if is_same else ())
