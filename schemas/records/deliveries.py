"""Outcomes of notifications, and the commands to deliver them."""

from dataclasses import dataclass

from schemas.records.challenges import Challenge, Challenged
from schemas.records.field_types import AnswerStart, ClientUrl, Count, Id, Name, Text, Time
from schemas.records.judgements import Suppressed
from schemas.records.notifications import Notification


@dataclass(frozen=True, slots=True)
class Delivered:
    """A receiver acknowledged a notification with ``status``, a 2xx."""

    notification: Id
    subscription: Id
    manager: Name
    client_url: ClientUrl
    attempts: Count
    status: int
    at: Time
    answer: AnswerStart = ""


@dataclass(frozen=True, slots=True)
class AttemptFailed:
    """A notification was not accepted at the last of ``attempts`` attempts.

    The ``next`` attempt is due at a time (epoch ms). ``status`` is the status of the last answer,
    None without an answer, and ``answer`` its beginning. The receiver has only failed this manager
    ``since`` a time.
    """

    notification: Id
    subscription: Id
    manager: Name
    client_url: ClientUrl
    attempts: Count
    reason: Text
    at: Time
    next: Time
    since: Time
    status: int | None = None
    answer: AnswerStart = ""


@dataclass(frozen=True, slots=True)
class DeliveryHeld:
    """A notification waits ``until`` a time (epoch ms) for a ``reason``."""

    notification: Id
    subscription: Id
    manager: Name
    client_url: ClientUrl
    until: Time
    at: Time
    reason: Text = ""


@dataclass(frozen=True, slots=True)
class DeliveryFailed:
    """A notification was given up after ``attempts`` attempts.

    ``status`` is the status of the last answer, None without an answer, and ``answer`` its
    beginning; empty if the wait was given up.
    """

    notification: Id
    subscription: Id
    manager: Name
    client_url: ClientUrl
    attempts: Count
    reason: Text
    at: Time
    status: int | None = None
    answer: AnswerStart = ""


GONE_AFTER_DAYS = 5
"""A receiver failing for this long is gone."""


@dataclass(frozen=True, slots=True)
class ClientGone:
    """A receiver has failed for days without a success for a manager."""

    manager: Name
    client_url: ClientUrl
    reason: Text
    at: Time


@dataclass(frozen=True, slots=True)
class ReceiverAsked:
    """A receiver must answer a challenge before its notifications for a manager, which wait.

    Of ``made`` challenges the last failed for a ``reason``, which is empty before the end of the
    first. The ``next`` result or challenge is due at a time (epoch ms).
    """

    manager: Name
    client_url: ClientUrl
    made: Count
    reason: Text
    next: Time
    at: Time


@dataclass(frozen=True, slots=True)
class ReceiverConfirmed:
    """A receiver has answered the challenge, and its waiting notifications are sent."""

    manager: Name
    client_url: ClientUrl
    at: Time


@dataclass(frozen=True, slots=True)
class Attempt:
    """POST a queued notification now, if ``made`` attempts were made before."""

    notification: Id
    made: Count


@dataclass(frozen=True, slots=True)
class Redeliver:
    """POST a notification again, after any outcome.

    With ``seen``, the time (epoch ms) of the outcome known to the client, a notification with a
    later outcome is left alone: so a repeated command has a single effect.
    """

    notification: Notification
    seen: Time | None = None


DeliveryOutcome = Delivered | AttemptFailed | DeliveryHeld | DeliveryFailed
"""The outcome of a notification so far."""
Delivery = DeliveryOutcome | ClientGone | ReceiverAsked | ReceiverConfirmed | Suppressed


DeliveryCommand = Attempt | Redeliver | Challenged | Challenge
