"""What became of a notification, as people are shown it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from connectors.page.watch.states import ShownState
from schemas.codec.times import minute_utc, rfc3339
from schemas.records.deliveries import (
    GONE_AFTER_DAYS,
    AttemptFailed,
    ClientGone,
    Delivered,
    DeliveryFailed,
    DeliveryHeld,
    DeliveryOutcome,
    ReceiverAsked,
    ReceiverConfirmed,
)
from schemas.records.notifications import Notification


@dataclass(frozen=True, slots=True)
class ShownDelivery:
    """The outcome of a notification; ``seen`` is its time in epoch ms.

    ``next`` is when the next attempt is due, None if there is none, and ``held`` until when
    it waits. ``answer`` is how the
    receiver's answer began, as the receiver wrote it. ``can_repeat`` says whether the
    notification is kept, so that it can be sent again.
    """

    notification: str
    subscription: str
    title: str
    url: str
    at: str
    seen: int
    attempts: int
    next: str | None
    held: str | None
    status: int | None
    answer: str
    reason: str
    label: str
    tone: str
    can_repeat: bool


def shown_delivery(fact: DeliveryOutcome, notification: Notification | None) -> ShownDelivery:
    """Return the outcome of a notification, which may not be kept any more."""
    label, tone = _label(fact)
    answered = None if isinstance(fact, DeliveryHeld) else fact
    return ShownDelivery(
        notification=fact.notification,
        subscription=fact.subscription,
        title=notification.title if notification else "",
        url=notification.url if notification else "",
        at=rfc3339(fact.at),
        seen=fact.at,
        attempts=answered.attempts if answered else 0,
        next=rfc3339(fact.next) if isinstance(fact, AttemptFailed) else None,
        held=rfc3339(fact.until) if isinstance(fact, DeliveryHeld) else None,
        status=answered.status if answered else None,
        answer=" ".join(answered.answer.split()) if answered else "",
        reason="" if isinstance(fact, Delivered) else fact.reason,
        label=label,
        tone=tone,
        can_repeat=notification is not None,
    )


def shown_receiver(
    newest: Sequence[Any],
    gone: Sequence[ClientGone],
    proofs: Sequence[ReceiverAsked | ReceiverConfirmed],
) -> ShownState | None:
    """Return how a receiver is by its newest outcomes; None if nothing is known.

    ``gone`` has the record that it is gone, if it ever was, ``proofs`` whether it must answer a
    challenge, or has.
    """
    at = max((fact.at for fact in newest), default=0)
    if proofs and isinstance(proofs[0], ReceiverAsked) and proofs[0].at >= at:
        return _not_confirmed(proofs[0])
    newest = [fact for fact in newest if not isinstance(fact, DeliveryHeld)]
    if not newest:
        return None
    last = max(newest, key=lambda fact: fact.at)
    if gone and gone[0].at >= last.at:
        detail = f"Its subscriptions have ended: {gone[0].reason}"
        return ShownState("Gone", "bad", detail)
    if isinstance(last, AttemptFailed):
        detail = (
            f"It has accepted nothing since {minute_utc(last.since)}. After {GONE_AFTER_DAYS} days "
            "like that, its subscriptions end."
        )
        return ShownState("Failing", "warning", detail)
    if isinstance(last, DeliveryFailed):
        return ShownState("Failing", "bad", f"The last notification was given up: {last.reason}")
    return ShownState("Accepts notifications", "good")


def _not_confirmed(asked: ReceiverAsked) -> ShownState:
    detail = "Its notifications wait until it answers a challenge, which was just sent."
    if asked.reason:
        times = "once" if asked.made == 1 else f"{asked.made} times"
        detail = (
            f"Its notifications wait until it answers a challenge. It was asked {times}: "
            f"{asked.reason}. The next challenge is due at {minute_utc(asked.next)}."
        )
    return ShownState("Not confirmed", "warning", detail)


def _label(fact: DeliveryOutcome) -> tuple[str, str]:
    match fact:
        case Delivered():
            return "Delivered", "good"
        case AttemptFailed():
            return "Retrying", "warning"
        case DeliveryHeld():
            return "Waits", "quiet"
        case DeliveryFailed():
            return "Given up", "bad"
