"""One notification at work, and what comes of it: facts, rows, and who is next."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from schemas.facts import Attempt, ClientGone, Delivered, DeliveryFailed, Expire
from schemas.state import FailingClient, Queued
from schemas.urls import canonical
from streams.core.delivery.outbox import Outbox
from streams.core.delivery.queues import PendingNotification
from streams.core.outcome import Outcome, Put, Send
from streams.topics import ATTEMPTS, DELIVERIES, SUBSCRIPTION_REQUESTS

DELIVERED, OUTBOX, CLIENTS, PROOFS = "delivered", "outbox", "clients", "proofs"
"""The tables: what came of each notification, what waits, who fails, who may be told."""
FIRST = -1


def entry_of(queued: Queued) -> PendingNotification:
    """Give what memory keeps of a notification for a webhook."""
    told = queued.notification
    return PendingNotification(
        id=told.id,
        client=told.receiver.client_url or "",
        url=canonical(told.url) or told.url,
        subscription=told.subscription,
        manager=told.manager,
        place=(queued.place, FIRST if queued.redelivery is None else queued.redelivery),
        attempts=queued.attempts,
        due=queued.due,
    )


def row(entry: PendingNotification) -> bytes:
    """Give the key of a notification in the tables ``delivered`` and ``outbox``."""
    return entry.id.encode()


def keep(entry: PendingNotification, queued: Queued) -> Put:
    """Give a notification its row in the outbox."""
    entry.kept = True
    return Put(row(entry), queued, OUTBOX)


def attempts(entries: Iterable[PendingNotification], partition: int) -> Iterator[Send]:
    """Have each begin whose turn it is: wake what waits here, command what has a row."""
    for entry in entries:
        if entry.wake is not None:
            entry.wake()
        else:
            command = Attempt(entry.id, entry.attempts)
            yield Send(ATTEMPTS.name, entry.client, command, partition)


@dataclass(frozen=True, slots=True)
class ActiveDelivery:
    """A notification at work: its partition's outbox, its place in it, its row."""

    partition: int
    outbox: Outbox
    entry: PendingNotification
    queued: Queued

    def delivered(self, status: int, at: int) -> Delivered:
        """Say that the receiver has taken it; ``at`` in epoch ms."""
        e = self.entry
        return Delivered(e.id, e.subscription, e.manager, e.client, e.attempts, status, at)

    def failed(self, reason: str, at: int) -> DeliveryFailed:
        """Say that it is given up; ``at`` in epoch ms."""
        return _failed(self.entry, reason, at)

    def expire(self, reason: str) -> Send:
        """Have its subscription end."""
        return _expire(self.entry, reason)

    def ended(
        self,
        fact: Delivered | DeliveryFailed,
        sends: Iterable[Send] = (),
        puts: tuple[Put, ...] = (),
    ) -> Outcome:
        """Make its end known, and remember it."""
        after = self.over(fact.at)
        told = Send(DELIVERIES.name, self.entry.client, fact)
        known = Put(row(self.entry), fact, DELIVERED)
        return Outcome((told, *sends, *after.sends), (known, *after.puts, *puts))

    def over(self, now: int) -> Outcome:
        """Take it out of the outbox, and let others begin."""
        puts = (Put(row(self.entry), None, OUTBOX),) if self.entry.kept else ()
        return Outcome(self._next(self.outbox.finish(self.entry, now)), puts)

    def again(self, wait: int, now: int, puts: tuple[Put, ...] = ()) -> Outcome:
        """Put it back into the outbox for ``wait`` ms, and let others begin."""
        entry = self.entry
        entry.due = now + wait
        queued = replace(self.queued, attempts=entry.attempts, due=entry.due)
        kept = keep(entry, queued)
        return Outcome(self._next(self.outbox.retry(entry, now)), (kept, *puts))

    def record(self, failing: FailingClient | None) -> Put:
        """Keep the record of its receiver, or none."""
        return Put(self.entry.client.encode(), failing, CLIENTS)

    def client_gone(self, failure: str, reason: str, at: int) -> Outcome:
        """Give up all that waits for its receiver, too, and have the subscriptions end."""
        entry = self.entry
        gone = ClientGone(entry.manager, entry.client, reason, at)
        rest = given_up(self.outbox.drop(entry.client), reason, at)
        sends = (Send(DELIVERIES.name, entry.client, gone), self.expire(reason), *rest.sends)
        puts = [self.record(self.outbox.lose(entry.client)), *rest.puts]
        if self.outbox.proofs.drop(entry.client):
            puts.append(Put(entry.client.encode(), None, PROOFS))
        return self.ended(self.failed(failure, at), sends, tuple(puts))

    def _next(self, entries: Iterable[PendingNotification]) -> tuple[Send, ...]:
        return tuple(attempts(entries, self.partition))


def given_up(entries: Iterable[PendingNotification], reason: str, at: int) -> Outcome:
    """Tell of each that it is given up, and have its subscription end; ``at`` in epoch ms."""
    sends: list[Send] = []
    puts: list[Put] = []
    for each in entries:
        fact = _failed(each, reason, at)
        sends += (Send(DELIVERIES.name, each.client, fact), _expire(each, reason))
        puts += (Put(row(each), fact, DELIVERED), Put(row(each), None, OUTBOX))
    return Outcome(sends, tuple(puts))


def _failed(e: PendingNotification, reason: str, at: int) -> DeliveryFailed:
    return DeliveryFailed(e.id, e.subscription, e.manager, e.client, e.attempts, reason, at)


def _expire(entry: PendingNotification, reason: str) -> Send:
    command = Expire(entry.url, entry.subscription, reason)
    return Send(SUBSCRIPTION_REQUESTS.name, entry.url, command)
