"""deliver: sends notifications to their receivers until each is accepted or given up.

A webhook is POSTed to, a channel is sent a message; a session reads its topic itself. Each attempt
is made during the handling of an event, so its result can be written to the tables of the event's
partition. A notification not sent at once, or failed, becomes a row of the outbox, and its event is
done: a dead receiver holds up nothing but its own notifications.
"""

from collections.abc import Callable, Iterator, Sequence

from schemas.records.challenges import Challenge, Challenged
from schemas.records.deliveries import Attempt, Redeliver
from schemas.records.notifications import Notification
from streams.agents.deliver.challenges import ProofHandler, challenge_command
from streams.agents.deliver.granting import ChallengeEffects, ChallengeMaker
from streams.agents.deliver.notifications import NotificationHandler
from streams.agents.deliver.outbox.in_hand import CHANNELS, WEBHOOKS, InHand, KindCapacity
from streams.agents.deliver.outbox.outbox import Outbox
from streams.agents.deliver.outbox.recipients import Recipient
from streams.agents.deliver.outbox_rows import attempt_commands, forgotten, load_outbox
from streams.agents.deliver.sending import ReceiverEffects
from streams.values.outcome import Event, Lookup, Outcome, Owned, Send
from streams.values.retry_schedule import RETRY_SCHEDULE

TURN_TIMEOUT_S = 2.0
"""The wait of a notification in memory for its turn before the notification gets a row in the
outbox."""


class DeliverProcessor:
    """The agent for webhooks and channels, for all partitions of a worker."""

    def __init__(
        self,
        *,
        effects: ReceiverEffects,
        clock: Callable[[], int],
        schedule: Sequence[float] = RETRY_SCHEDULE,
        challenges: ChallengeEffects | None = None,
        turn_timeout_s: float = TURN_TIMEOUT_S,
        webhooks: KindCapacity = WEBHOOKS,
        channels: KindCapacity = CHANNELS,
    ) -> None:
        """Build the agent from its effects.

        Args:
            effects: Send notifications.
            clock: Returns the time in epoch ms.
            schedule: Seconds before each attempt.
            challenges: Challenge a webhook; None if webhooks need not answer a challenge.
            turn_timeout_s: How long a notification that cannot be sent at once waits in
                memory, and its event with it. A receiver that keeps up costs no rows.
            webhooks: How many notifications of webhooks may be in hand.
            channels: How many notifications of channels may be in hand.
        """
        self._clock = clock
        self._challenges = ChallengeMaker(challenges, clock)
        self._proofs = ProofHandler(clock, schedule)
        self._notifications = NotificationHandler(
            effects, self._proofs, clock, schedule, turn_timeout_s
        )
        self._needs_proof = challenges is not None
        self._outboxes: dict[int, Outbox] = {}
        self._capacities = webhooks, channels
        self._in_hand = InHand(webhooks, channels)

    def key(self, event: Event) -> str | None:
        """Return the line of a challenge; the outbox orders all other events."""
        return ChallengeMaker.line(event.fact) if isinstance(event.fact, Challenge) else None

    def sizes(self) -> dict[str, int]:
        """Count the items in memory, for the gauges."""
        boxes = self._outboxes.values()
        failing = sum(len(box.failures) for box in boxes)
        proofs = sum(len(box.proofs) for box in boxes)
        waiting = sum(map(len, boxes))
        return {
            "notifications": waiting,
            "failing_receivers": failing,
            "proofs": proofs,
            "unconfirmed_receivers": sum(box.proofs.unconfirmed for box in boxes),
        }

    async def assigned(self, partitions: Sequence[Owned]) -> None:
        """Load the outboxes of partitions from their tables."""
        for owned in partitions:
            self._outboxes[owned.number] = await load_outbox(
                owned,
                self._proofs.resume,
                in_hand=self._in_hand,
                needs_proof=self._needs_proof,
            )

    def released(self) -> None:
        """Drop everything in memory: the next owner of the partitions loads their tables."""
        self._outboxes.clear()
        self._in_hand = InHand(*self._capacities)
        self._challenges.released()

    def tick(self, partition: int, now: int) -> Iterator[Send]:
        """Yield commands for the due attempts and challenges of a partition."""
        outbox = self._outboxes.get(partition)
        if outbox is None:  # released while the commands of other partitions were sent
            return
        yield from attempt_commands(outbox.pop_due(now), partition)
        for recipient, proof in outbox.proofs.pop_due(now):
            yield challenge_command(recipient, proof)

    async def handle(self, event: Event, lookup: Lookup) -> Outcome:
        """Accept a notification, make an attempt, or make a challenge.

        Nothing happens for a notification done or already being sent, or for a ``session``, as its
        reader consumes the topic.
        """
        outbox = self._outboxes[event.partition]
        outcome = await self._handled(event, outbox, lookup)
        renewed = Outcome()
        if isinstance(event.fact, Notification) and event.fact.receiver.client_url is not None:
            recipient = Recipient(event.fact.manager, event.fact.receiver.client_url)
            renewed = self._proofs.renew(recipient, outbox)
        puts = (*outcome.puts, *renewed.puts, *forgotten(outbox, self._clock()))
        return Outcome((*outcome.sends, *renewed.sends), puts)

    async def _handled(self, event: Event, outbox: Outbox, lookup: Lookup) -> Outcome:
        # Up to its first await this runs in the order of the partition's events.
        match event.fact:
            case Notification(receiver=receiver) if receiver.client_url is None:
                outbox.pass_by(event.offset)
            case Notification():
                return await self._notifications.accept(event, event.fact, outbox, lookup)
            case Redeliver(Notification(receiver=receiver)):
                if receiver.client_url is not None:
                    return await self._notifications.redeliver(event, event.fact, outbox, lookup)
            case Attempt():
                return await self._notifications.attempt(event, event.fact, outbox, lookup)
            case Challenge():
                return await self._challenges.challenge(event, lookup)
            case Challenged():
                return self._proofs.conclude(event.fact, outbox)
            case _:
                raise TypeError(f"deliver does not read facts of type {type(event.fact).__name__}")
        return Outcome()
