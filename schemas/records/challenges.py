"""Challenges: whether a receiver wants a manager's notifications."""

from dataclasses import dataclass

from schemas.records.field_types import Count, Id, Name, Text, Time, Url


@dataclass(frozen=True, slots=True)
class Challenge:
    """Ask a receiver whether it wants a manager's notifications.

    ``made`` challenges were sent before. One with an ``address`` is within the budgets of its
    manager, and is to be made to that address; a ``granted`` one within those of the address.
    ``id`` is that of its manager's grant, a content hash, which was made ``at`` (epoch ms).
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

    If that is not the receiver's fault, because a budget is used up or we could not ask,
    ``again`` (epoch ms) is when the next may be sent, else 0.
    """

    manager: Name
    client_url: Url
    made: Count
    reason: Text
    again: Time
    at: Time
