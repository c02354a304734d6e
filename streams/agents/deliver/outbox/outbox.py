"""The memory of deliver for a partition: the waiting notifications and their reasons."""

from collections.abc import Collection
from dataclasses import replace
from heapq import heappop, heappush

from streams.agents.deliver.outbox.failures import Failures
from streams.agents.deliver.outbox.held import HeldNotifications
from streams.agents.deliver.outbox.in_hand import InHand
from streams.agents.deliver.outbox.proofs import Proofs
from streams.agents.deliver.outbox.queues import (
    NEVER,
    DeliveryQueues,
    DeliveryState,
    PendingNotification,
)
from streams.agents.deliver.outbox.recipients import Recipient
from streams.agents.deliver.outbox.times import DayCounts

FORMER_LOG = 2**62
"""More than any offset: a difference from an offset is before all offsets of a topic."""


class Outbox:
    """The unfinished notifications of a partition, and the state of their recipients.

    ``through`` is the offset of the last notification seen or done. A queued notification beyond
    was queued by another worker, and an earlier notification of its queue may still have to be read
    again. So the notification is held back until ``through`` has passed its offset.

    The topic may have been created again, or cut short. Notifications queued from a former log come
    first, in their former order, and are not held back.
    """

    def __init__(self, through: int, end: int, in_hand: InHand, needs_proof: bool = False) -> None:
        """Start empty.

        Args:
            through: the offset of the last notification that is done.
            end: the offset after the last notification on the topic.
            in_hand: what the worker has in hand, of all of its partitions.
            needs_proof: webhooks must answer a challenge first.
        """
        self.through = through
        self.of_former_log = 0
        self._end = end
        self.proofs = Proofs(needs_proof)
        self.failures = Failures()
        self.held = HeldNotifications(in_hand)
        self.days = DayCounts()
        self._queues = DeliveryQueues()
        self._pending: dict[str, PendingNotification] = {}
        self._agenda: list[tuple[int, PendingNotification]] = []
        self._in_hand = in_hand
        # Recipients with free slots of which something is ready and may not be taken in hand, by
        # whether they are channels; who has waited longest is first.
        self._crowded_out: dict[bool, dict[Recipient, None]] = {False: {}, True: {}}

    def __len__(self) -> int:
        """Count the notifications waiting or being sent."""
        return len(self._pending) + len(self.held)

    def get(self, notification: str) -> PendingNotification | None:
        """Return a notification waiting or being sent, by its id."""
        return self._pending.get(notification) or self.held.get(notification)

    def pass_by(self, offset: int) -> None:
        """Note the notification at an offset as seen."""
        self.through = max(self.through, offset)

    def load(self, pending: PendingNotification) -> None:
        """Load a notification with a row."""
        pending.has_row = True
        place, redelivery = pending.position
        if place >= self._end:
            self.of_former_log += 1
            pending.position = (place - FORMER_LOG, redelivery)
        if self.proofs.lacks(pending.recipient):
            pending.held = None
            self.hold_for_proof(pending)
            return
        if pending.held is not None:
            self.held.hold(pending)
            return
        self._enqueue(pending)
        self._plan(pending)

    def admit(self, pending: PendingNotification) -> bool:
        """Let a new notification begin, or queue the notification after others."""
        is_next = self._queues.is_next(pending)
        has_slot = is_next and self._queues.has_free_slot(pending)
        if has_slot and self._in_hand.enter(pending):
            self._pending[pending.id] = pending
            self._queues.take_slot(pending, DeliveryState.SENDING)
            return True
        self._enqueue(pending)
        if is_next:
            self._queues.make_ready(pending)
        if has_slot:
            self._crowded_out[pending.recipient.is_channel][pending.recipient] = None
        return False

    def begin_wait(self, pending: PendingNotification) -> bool:
        """Let a new notification wait in memory; False if too many do, or its receiver fails."""
        return pending.recipient not in self.failures and self._in_hand.enter(pending)

    def end_wait(self, pending: PendingNotification) -> bool:
        """End the wait of a notification in memory; returns whether its turn has come."""
        pending.wake = None
        if pending.state is DeliveryState.COMMANDED:
            pending.state = DeliveryState.SENDING
            return True
        self._in_hand.leave(pending)
        return False

    def hold_for_proof(self, pending: PendingNotification) -> None:
        """Queue a notification until its receiver has answered a challenge."""
        pending.due = NEVER
        self._enqueue(pending)

    def release(self, recipient: Recipient, now: int) -> None:
        """Make all notifications due which waited for a recipient's proof."""
        for pending in self._queues.waiting(recipient):
            if pending.due == NEVER:
                pending.due = now
                self._plan(pending)

    def begin_attempt(self, notification: str, made: int) -> list[PendingNotification]:
        """Begin the attempt after ``made`` others; returns the notifications to send, in order.

        There are none unless the notification is due and next; a held notification brings its
        digest. A command may come twice, or too late, so counts only if in agreement with the
        memory.
        """
        pending = self._pending.get(notification)
        if pending is None:
            return self.held.begin(notification, made)
        return [pending] if self._is_begun(pending, made) else []

    def _is_begun(self, pending: PendingNotification, made: int) -> bool:
        if pending.attempts != made or pending.state is DeliveryState.SENDING:
            return False
        if pending.due == NEVER or pending.wake is not None:
            return False
        if pending.state is DeliveryState.COMMANDED:
            pending.state = DeliveryState.SENDING
            return True
        is_turn = self._queues.is_next(pending) and self._queues.has_free_slot(pending)
        if not is_turn or self._is_held_back(pending) or not self._in_hand.enter(pending):
            return False
        self._queues.take_slot(pending, DeliveryState.SENDING)
        return True

    def pop_due(self, now: int) -> list[PendingNotification]:
        """Return the due notifications (epoch ms) with a slot, each once.

        A digest is represented by its first notification.
        """
        begun = [*self.held.pop_due(now), *self._begin_crowded_out()]
        held_back: list[tuple[int, PendingNotification]] = []
        while self._agenda and self._agenda[0][0] <= now:
            due, pending = heappop(self._agenda)
            if pending.state is not DeliveryState.WAITING or pending.due != due:
                continue  # planned before its due time changed
            if self._is_held_back(pending):
                held_back.append((due, pending))
            elif self._queues.is_next(pending):
                self._queues.make_ready(pending)
                begun += self._fill_slots(pending.recipient)
        # Their turn comes once the notifications before them have been read again.
        for item in held_back:
            heappush(self._agenda, item)
        return begun

    def finish(self, pending: PendingNotification, now: int) -> list[PendingNotification]:
        """Drop a notification after its sending; returns the notifications to begin instead."""
        if pending.held is not None:
            self.held.end([pending])
            return []
        del self._pending[pending.id]
        return self._free_slot(pending, DeliveryState.DONE, now)

    def requeue(self, pending: PendingNotification, now: int) -> list[PendingNotification]:
        """Queue a notification again until due; returns the notifications to begin instead."""
        if pending.held is not None:
            self.held.hold(pending)
            return []
        # One that began at once has never been in its queue.
        if not pending.is_queued:
            self._enqueue(pending)
        return self._free_slot(pending, DeliveryState.WAITING, now)

    def hold(self, pending: PendingNotification, until: int, now: int) -> list[PendingNotification]:
        """Hold a notification for a time (epoch ms); returns the notifications to begin instead."""
        if pending.held is not None:
            pending.due = pending.held = until
            self.held.hold(pending)
            return []
        self._in_hand.leave(pending)
        # A copy, because the queue finds by its state that the other one is done.
        self.held.hold(replace(pending, due=until, held=until, is_queued=False))
        return self.finish(pending, now)

    def make_due(self, pending: PendingNotification, redelivery: int, now: int) -> None:
        """Make a waiting notification due now, with its digest."""
        pending.redelivery = redelivery
        if pending.state is not DeliveryState.WAITING or pending.due == NEVER:
            return
        pending.due = now
        if pending.held is not None:
            self.held.make_due(pending)
        else:
            self._plan(pending)

    def drop(
        self, recipient: Recipient, subscriptions: Collection[str] | None = None
    ) -> list[PendingNotification]:
        """Drop all waiting notifications of a recipient; returns them in order.

        With ``subscriptions``, only theirs.
        """
        dropped = [
            each
            for each in self._queues.waiting(recipient)
            if subscriptions is None or each.subscription in subscriptions
        ]
        for pending in dropped:
            del self._pending[pending.id]
            if pending.state is DeliveryState.COMMANDED:
                head = self._queues.free_slot(pending, DeliveryState.DONE)
                self._in_hand.leave(pending)
                if head is not None:
                    self._plan(head)
            pending.state = DeliveryState.DONE
            if pending.wake is not None:
                pending.wake()  # its event ends, as it finds itself done
        for pending in dropped:
            self._queues.tidy(pending)
        return [*self.held.drop(recipient, subscriptions), *dropped]

    def _enqueue(self, pending: PendingNotification) -> None:
        self._pending[pending.id] = pending
        self._queues.add(pending)

    def _plan(self, pending: PendingNotification) -> None:
        heappush(self._agenda, (pending.due, pending))

    def _is_held_back(self, pending: PendingNotification) -> bool:
        return pending.position[0] > self.through

    def _free_slot(
        self, pending: PendingNotification, state: DeliveryState, now: int
    ) -> list[PendingNotification]:
        head = self._queues.free_slot(pending, state)
        self._in_hand.leave(pending)
        if head is not None and head.due <= now:
            self._queues.make_ready(head)
        elif head is not None:
            self._plan(head)
        begun = self._fill_slots(pending.recipient)
        self._queues.tidy(pending)
        return begun

    def _fill_slots(self, recipient: Recipient) -> list[PendingNotification]:
        """Let ready notifications begin: first for the recipients with the longest wait."""
        waiting, begun = self._crowded_out[recipient.is_channel], list[PendingNotification]()
        waiting.setdefault(recipient)
        while waiting:
            first = next(iter(waiting))
            ready, is_crowded_out = self._queues.fill_slots(first, self._in_hand.enter)
            begun += ready
            if is_crowded_out:
                break
            del waiting[first]
        return begun

    def _begin_crowded_out(self) -> list[PendingNotification]:
        """Let ready notifications of crowded-out recipients begin, as far as possible now."""
        begun = list[PendingNotification]()
        for waiting in self._crowded_out.values():
            for recipient in tuple(waiting):
                ready, is_crowded_out = self._queues.fill_slots(recipient, self._in_hand.enter)
                begun += ready
                if not is_crowded_out:
                    del waiting[recipient]
        return begun
