"""What became of notifications, and the commands to deliver them."""

from dataclasses import dataclass

from schemas.challenges import Challenge, Challenged
from schemas.kinds import Count, Id, Name, Text, Time, Url
from schemas.notifications import Notification


@dataclass(frozen=True, slots=True)
class Delivered:
    """A receiver acknowledged a notification with ``status``, a 2xx."""

    notification: Id
    subscription: Id
    manager: Name
    client_url: Url
    attempts: Count
    status: int
    at: Time


@dataclass(frozen=True, slots=True)
class DeliveryFailed:
    """A notification was given up after ``attempts`` attempts.

    ``status`` is what the last one was answered with, None without an answer.
    """

    notification: Id
    subscription: Id
    manager: Name
    client_url: Url
    attempts: Count
    reason: Text
    at: Time
    status: int | None = None


@dataclass(frozen=True, slots=True)
class ClientGone:
    """A receiver has only failed for days when it was sent notifications for a manager."""

    manager: Name
    client_url: Url
    reason: Text
    at: Time


@dataclass(frozen=True, slots=True)
class Attempt:
    """POST a queued notification now, if ``made`` attempts were made before."""

    notification: Id
    made: Count


@dataclass(frozen=True, slots=True)
class Redeliver:
    """POST a notification again, whatever became of it before."""

    notification: Notification


Delivery = Delivered | DeliveryFailed | ClientGone


DeliveryCommand = Attempt | Redeliver | Challenged | Challenge
