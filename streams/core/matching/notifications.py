"""What a subscription is told of a change; the same change gives the same bytes."""

from dataclasses import replace

from schemas.facts import DocumentChanged, DocumentUnreachable, Notification, Subscription
from streams.core.ids import content_id
from streams.core.matching.matcher import Matcher

OK = "ok"
TIMEOUT = "timeout"


def notification_of_change(
    subscription: Subscription, change: DocumentChanged, matcher: Matcher
) -> Notification | None:
    """Tell of the passages that concern a subscription; None if there are none.

    ``matcher`` is the change's, one for all subscriptions.
    """
    found, truncated = matcher.diffs(subscription)
    if not found:
        return None
    told = _notification(subscription, change.id, OK, change.at)
    return replace(told, content_type=change.content_type, diffs=found, truncated=truncated)


def notification_of_timeout(
    subscription: Subscription, change: DocumentUnreachable
) -> Notification:
    """Tell that a document could not be read any more, and that its watch has ended."""
    told = _notification(subscription, change.id, TIMEOUT, change.at)
    return replace(told, content_type=change.content_type)


def notification_of_test(subscription: Subscription, request_id: str, at: int) -> Notification:
    """Tell of no change: the client wants to see whether it gets there.

    A request is told once: repeated, it gives the same id.
    """
    name = content_id(subscription.id, request_id, "test")
    return replace(_notification(subscription, name, OK, at), test=True)


def _notification(subscription: Subscription, change: str, status: str, at: int) -> Notification:
    """Tell of a change, without its content."""
    return Notification(
        id=content_id(change, subscription.id),
        change=change,
        subscription=subscription.id,
        manager=subscription.manager,
        receiver=subscription.receiver,
        status=status,
        url=subscription.document_url,
        content_type="",
        diffs=(),
        truncated=False,
        at=at,
        rotation=subscription.rotation,
        rotated=subscription.rotated,
        watch=subscription.watch,
        test=False,
    )
