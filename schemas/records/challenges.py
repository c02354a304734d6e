"""Challenges: whether a receiver wants a manager's notifications."""

from dataclasses import dataclass

from schemas.records.field_types import Count, Id, Name, Text, Time, Url


@dataclass(frozen=True, slots=True)
class Challenge:
    """Ask a receiver about its consent to a manager's notifications.

    ``made`` challenges were sent before. A challenge with an ``address`` is within the budgets of
    its manager, and is to be made to the address; a ``granted`` challenge is within the budgets of
    the address, too. ``id`` is the id of its manager's grant, a content hash, made ``at`` (epoch
    ms).
    """

    manager: Name
    client_url: Url
    made: Count
    address: Name | None = None
    id: Id = ""
    at: Time = 0
    granted: bool = False


@dataclass(frozen=True, slots=True)
class Challenged:
    """The result of a challenge; without a ``reason`` its answer was right.

    If the fault is not the receiver's, because a budget is used up or the attempt failed here,
    ``again`` (epoch ms) is the earliest time of the next, else 0.
    """

    manager: Name
    client_url: Url
    made: Count
    reason: Text
    again: Time
    at: Time
