"""judge: asks a language model whether a rule wants a notification, and to summarize it.

Only notifications of subscriptions with a rule or a summary come here, by the partition of their
page, so one worker has all that a change of it is to be judged by, and asks once. What is decided
is a row before the notification leaves: a repeat sends the same. One that cannot be judged leaves
at once and says so, or waits in the table ``held`` if its subscription wants that; later ones of
the same receiver and page wait after it.
"""

import asyncio
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from schemas.codec import wire
from schemas.records.judgements import (
    HeldJudgement,
    Judge,
    JudgeAgain,
    Judgement,
    ModelUse,
    SendSuppressed,
)
from schemas.records.topics import JUDGEMENTS
from streams.agents.judge.asking import USES, Asker, Model
from streams.agents.judge.budgets import ModelBudgets, ModelLimits
from streams.agents.judge.judging import Decided, judged, judged_send, sent_after_all
from streams.agents.judge.lanes import HeldLanes, lane_of, next_try
from streams.values.outcome import Event, Lookup, Outcome, Owned, Put, Send

DECIDED, HELD = "decided", "held"
"""Tables."""
ROWS_PER_TURN = 200


class JudgeProcessor:
    """The agent that asks a language model, for all partitions of a worker."""

    def __init__(
        self, *, model: Model, limits: ModelLimits, clock: Callable[[], int], partitions: int
    ) -> None:
        """Build the agent from its model.

        Args:
            model: The language model.
            limits: What each manager may use on a day.
            clock: Returns the time in epoch ms.
            partitions: How many partitions each topic has.
        """
        self._clock = clock
        self._budgets = ModelBudgets(limits, partitions)
        self._asker = Asker(model, self._budgets, clock)
        self._lanes: dict[int, HeldLanes] = {}

    def key(self, event: Event) -> str | None:
        """Return the lane in which order is kept; what is sent after all has none."""
        match event.fact:
            case Judge() as command:
                return lane_of(command)
            case JudgeAgain(lane):
                return lane
        return None

    def sizes(self) -> dict[str, int]:
        """Count the items in memory, for the gauges."""
        return {"held_notifications": sum(map(len, self._lanes.values()))}

    def used(self) -> dict[str, ModelUse]:
        """Return what managers have used of the model today, in the partitions of this worker."""
        return self._budgets.used(self._clock())

    async def assigned(self, partitions: Sequence[Owned]) -> None:
        """Load what waits in partitions, and what managers have used."""
        for owned in partitions:
            lanes = self._lanes[owned.number] = HeldLanes()
            for count, (_, row) in enumerate(owned.rows(HELD), 1):
                lanes.add(wire.decode(row, HeldJudgement))
                if count % ROWS_PER_TURN == 0:
                    await asyncio.sleep(0)  # heartbeats must go on
            uses = {key.decode(): wire.decode(row, ModelUse) for key, row in owned.rows(USES)}
            self._budgets.load(owned.number, uses)

    def released(self) -> None:
        """Drop everything in memory: the next owner of the partitions loads their tables."""
        self._asker.released()
        self._lanes.clear()
        self._budgets.released()

    def tick(self, partition: int, now: int) -> Iterator[Send]:
        """Yield commands to try again what has waited for so long."""
        lanes = self._lanes.get(partition)
        if lanes is None:  # released while the commands of other partitions were sent
            return
        for lane in list(lanes.pop_due(now)):
            yield _again(lane, partition)

    async def handle(self, event: Event, lookup: Lookup) -> Outcome:
        """Judge a notification, one that waits, or send one that was suppressed."""
        match event.fact:
            case Judge() as command:
                return await self._judge(event, command, lookup)
            case JudgeAgain(lane):
                return await self._judge_again(event, lane, lookup)
            case SendSuppressed(notification):
                return Outcome(sent_after_all(notification, event.timestamp))
        raise TypeError(f"judge does not read facts of type {type(event.fact).__name__}")

    async def _judge(self, event: Event, command: Judge, lookup: Lookup) -> Outcome:
        lanes, lane = self._lanes[event.partition], lane_of(command)
        hold_ms = command.judging.hold_s * 1000
        if command.notification.id in lanes:
            return Outcome()  # it waits already
        held = HeldJudgement(
            command, event.offset, until=event.timestamp + hold_ms, tries=0, due=event.timestamp
        )
        if (first := lanes.first(lane)) is not None:
            lanes.add(held)
            is_next = lanes.is_over_full(lane) and first.due is not None
            first.due = None if is_next else first.due
            return Outcome((_again(lane, event.partition),) if is_next else (), (_put(held),))
        decided = await self._decided(command, event.partition, lookup)
        if decided.reason and hold_ms:
            held = replace(held, due=next_try(held, self._clock()))
            lanes.add(held)
            return Outcome(puts=(*decided.puts, _put(held)))
        return _left(command, decided, event.timestamp)

    async def _judge_again(self, event: Event, lane: str, lookup: Lookup) -> Outcome:
        lanes = self._lanes[event.partition]
        first = lanes.first(lane)
        row = None if first is None else lookup(HELD, first.id.encode())
        if first is None or row is None:
            return Outcome()
        held: HeldJudgement = wire.decode(row, HeldJudgement)
        decided = await self._decided(held.command, event.partition, lookup)
        now = self._clock()
        if decided.reason and now < held.until and not lanes.is_over_full(lane):
            later = replace(held, tries=held.tries + 1)
            later = replace(later, due=next_try(later, now))
            first.due = later.due
            return Outcome(puts=(*decided.puts, _put(later)))
        sends = (_again(lane, event.partition),) if lanes.pop(lane) else ()
        gone = Put(first.id.encode(), None, HELD)
        return _left(held.command, decided, event.timestamp, Outcome(sends, (gone,)))

    async def _decided(self, command: Judge, partition: int, lookup: Lookup) -> Decided:
        if (row := lookup(DECIDED, command.notification.id.encode())) is not None:
            return Decided(wire.decode(row, Judgement))
        return await judged(command, self._asker, partition, lookup)


def _left(command: Judge, decided: Decided, at: int, end: Outcome | None = None) -> Outcome:
    """Write down what is decided, and then let the notification leave; ``end`` comes after it."""
    row = Put(command.notification.id.encode(), decided.judgement, DECIDED)
    leaving = Outcome((judged_send(command.notification, decided.judgement, at),))
    return Outcome(puts=(row, *decided.puts), rest=iter((leaving, end or Outcome())))


def _again(lane: str, partition: int) -> Send:
    return Send(JUDGEMENTS.name, None, JudgeAgain(lane), partition)


def _put(held: HeldJudgement) -> Put:
    return Put(held.command.notification.id.encode(), held, HELD)
