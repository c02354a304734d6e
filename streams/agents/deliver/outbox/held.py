"""Notifications held for a time: their digests and due times."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from heapq import heappop, heappush
from typing import NamedTuple

from streams.agents.deliver.outbox.in_hand import InHand
from streams.agents.deliver.outbox.queues import NEVER, DeliveryState, PendingNotification
from streams.agents.deliver.outbox.recipients import Recipient

MOST_HELD = 500
"""The most notifications of a digest; a full digest is sent early."""


class DigestKey(NamedTuple):
    """The values common to the notifications of a digest.

    ``held`` is their due time (epoch ms), ``attempts`` the number of failures: so a repeat has the
    same notifications. A digest for a webhook is of a single ``subscription``, and signed with its
    secret; for a channel this is empty.
    """

    recipient: Recipient
    subscription: str
    held: int
    attempts: int


@dataclass(slots=True)
class _Group:
    due: int = NEVER
    is_commanded: bool = False
    redelivery: int | None = None
    members: dict[str, PendingNotification] = field(default_factory=dict)


class HeldNotifications:
    """The notifications of a partition held for a time, or being sent with others."""

    def __init__(self, in_hand: InHand) -> None:
        """Start empty; a digest is represented ``in_hand`` by its first."""
        self._in_hand = in_hand
        self._pending: dict[str, PendingNotification] = {}
        self._groups: dict[DigestKey, _Group] = {}
        self._keys: dict[Recipient, set[DigestKey]] = {}
        self._agenda: list[tuple[int, DigestKey]] = []

    def __len__(self) -> int:
        """Count the notifications held or being sent."""
        return len(self._pending)

    def get(self, notification: str) -> PendingNotification | None:
        """Return a notification held or being sent, by its id."""
        return self._pending.get(notification)

    def hold(self, pending: PendingNotification) -> None:
        """Hold a notification until due, or until its digest is full.

        A retried notification is held again until its next attempt, even with a full digest.
        """
        self._in_hand.leave(pending)
        key, pending.state = _key(pending), DeliveryState.WAITING
        self._pending[pending.id] = pending
        members = self._groups.setdefault(key, _Group()).members
        self._keys.setdefault(key.recipient, set()).add(key)
        members[pending.id] = pending
        self._note_asked(key, pending)
        is_early = len(members) >= MOST_HELD and pending.due == pending.held
        is_early = is_early and not pending.has_hours
        self._bring_forward(key, 0 if is_early else pending.due)

    def pop_due(self, now: int) -> list[PendingNotification]:
        """Return the first notification of each due digest (epoch ms), once."""
        begun, crowded_out = list[PendingNotification](), list[tuple[int, DigestKey]]()
        while self._agenda and self._agenda[0][0] <= now:
            due, key = heappop(self._agenda)
            group = self._groups.get(key)
            if group is None or group.is_commanded or group.due != due:
                continue
            first = min(group.members.values())
            if self._in_hand.enter(first):
                group.is_commanded = True
                begun.append(first)
            else:
                crowded_out.append((due, key))
        for item in crowded_out:
            heappush(self._agenda, item)
        return begun

    def begin(self, notification: str, made: int) -> list[PendingNotification]:
        """Begin to send the digest of a notification, after ``made`` attempts.

        Returns all its notifications, in order; nothing if not due, or already being sent.
        """
        pending = self._pending.get(notification)
        if pending is None or pending.attempts != made or pending.state is DeliveryState.SENDING:
            return []
        group = self._groups[_key(pending)]
        if not group.is_commanded:
            return []
        self._drop_group(_key(pending))
        members = sorted(group.members.values())
        for each in members[MOST_HELD:]:
            self.hold(each)
        for each in members[:MOST_HELD]:
            each.state = DeliveryState.SENDING
            if not each.is_asked_for:
                each.redelivery = group.redelivery
        return members[:MOST_HELD]

    def end(self, pending: Iterable[PendingNotification]) -> None:
        """Drop notifications after their sending."""
        for each in pending:
            self._in_hand.leave(each)
            del self._pending[each.id]

    def make_due(self, pending: PendingNotification) -> None:
        """Make the digest of a requested notification due, despite its hours."""
        self._note_asked(_key(pending), pending)
        self._bring_forward(_key(pending), pending.due)

    def drop(
        self, recipient: Recipient, subscriptions: Collection[str] | None
    ) -> list[PendingNotification]:
        """Drop the held notifications of a recipient, or of subscriptions; returns them."""
        groups = [self._groups[key] for key in self._keys.get(recipient, ())]
        dropped = [
            each
            for group in groups
            for each in group.members.values()
            if subscriptions is None or each.subscription in subscriptions
        ]
        for pending in dropped:
            pending.state = DeliveryState.DONE
            self._remove(pending)
        self.end(dropped)
        return sorted(dropped)

    def _note_asked(self, key: DigestKey, pending: PendingNotification) -> None:
        # Only the row of the one that was asked for says so: a digest may have hundreds.
        if pending.is_asked_for:
            self._groups[key].redelivery = pending.redelivery

    def _remove(self, pending: PendingNotification) -> None:
        key = _key(pending)
        group = self._groups[key]
        del group.members[pending.id]
        if not group.members:
            self._drop_group(key)
        elif group.is_commanded:  # perhaps by the command for this one
            group.is_commanded = False
            heappush(self._agenda, (group.due, key))

    def _drop_group(self, key: DigestKey) -> None:
        del self._groups[key]
        keys = self._keys[key.recipient]
        keys.remove(key)
        if not keys:
            del self._keys[key.recipient]

    def _bring_forward(self, key: DigestKey, due: int) -> None:
        group = self._groups.get(key)
        if group is not None and due < group.due:
            group.due = due
            heappush(self._agenda, (due, key))


def _key(pending: PendingNotification) -> DigestKey:
    assert pending.held is not None, "only what is held is in a digest"
    subscription = "" if pending.recipient.is_channel else pending.subscription
    return DigestKey(pending.recipient, subscription, pending.held, pending.attempts)
