"""What a subscription is told of a change; the same change gives the same bytes."""

from schemas.facts import Diff, DocumentChanged, DocumentUnreachable, Notification, Subscription
from streams.core.ids import content_id
from streams.core.matching import Matcher

OK = "ok"
TIMEOUT = "timeout"


def changed(
    subscription: Subscription, change: DocumentChanged, matcher: Matcher
) -> Notification | None:
    """Tell of the passages that concern a subscription; None if there are none.

    ``matcher`` is the change's, one for all subscriptions.
    """
    found, truncated = matcher.diffs(subscription)
    return _notification(subscription, change, OK, found, truncated) if found else None


def unreachable(subscription: Subscription, change: DocumentUnreachable) -> Notification:
    """Tell that a document could not be read any more, and that its watch has ended."""
    return _notification(subscription, change, TIMEOUT, (), False)


def _notification(
    subscription: Subscription,
    change: DocumentChanged | DocumentUnreachable,
    status: str,
    found: tuple[Diff, ...],
    truncated: bool,
) -> Notification:
    return Notification(
        id=content_id(change.id, subscription.id),
        change=change.id,
        subscription=subscription.id,
        manager=subscription.manager,
        client_url=subscription.client_url,
        session=subscription.session,
        status=status,
        url=subscription.document_url,
        content_type=change.content_type if isinstance(change, DocumentChanged) else "",
        diffs=found,
        truncated=truncated,
        at=change.at,
        rotation=subscription.rotation,
        rotated=subscription.rotated,
    )
