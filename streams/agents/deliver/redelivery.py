"""Check the commands to deliver a notification again."""

from schemas.codec import wire
from schemas.records.deliveries import Delivered, DeliveryFailed
from schemas.records.notifications import Notification
from streams.agents.deliver.outbox.queues import PendingNotification


class MisdirectedError(Exception):
    """A command to redeliver what was never sent to that receiver for that manager."""


def check_redelivery(
    notification: Notification, known: PendingNotification | None, ended: bytes | None
) -> None:
    """Raise MisdirectedError unless a notification was for this receiver before.

    A command has its own copy of the notification, which is signed with the secret of its
    subscription: a forged one must not reach another receiver. The notification is ``known``
    while it waits; how it ``ended`` is its row in the table ``delivered``.
    """
    asked = notification.manager, notification.receiver.client_url, notification.subscription
    if known is not None and asked == (*known.recipient, known.subscription):
        return
    if known is None and ended is not None:
        fact = wire.decode(ended, Delivered, DeliveryFailed)
        if asked == (fact.manager, fact.client_url, fact.subscription):
            return
    raise MisdirectedError(
        f"notification {notification.id} of subscription {notification.subscription} has not "
        f"been sent to {notification.receiver.client_url} for {notification.manager}"
    )


def has_ended_since(seen: int | None, ended: bytes | None) -> bool:
    """Whether a notification has ended later than who asks for it has ``seen`` (epoch ms).

    How it ``ended`` is its row in the table ``delivered``.
    """
    return seen is not None and ended_at(ended) > seen


def ended_at(ended: bytes | None) -> int:
    """Return when a notification ended last (epoch ms), 0 if it has not.

    How it ``ended`` is its row in the table ``delivered``.
    """
    if ended is None:
        return 0
    fact: Delivered | DeliveryFailed = wire.decode(ended, Delivered, DeliveryFailed)
    return fact.at
