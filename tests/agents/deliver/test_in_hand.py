"""Slow channels hold up no webhook, and slow webhooks no channel."""

import asyncio
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import pytest
from aiokafka import TopicPartition

from connectors.channels.processes import SEND_TIMEOUT_S
from connectors.registry.codec import Codec
from connectors.webhook import TOTAL_TIMEOUT_S
from schemas.codec import wire
from schemas.records.answers import WebhookResponse
from schemas.records.channels import Digest
from schemas.records.notifications import Notification
from schemas.records.topics import NOTIFICATIONS
from streams.agents.deliver.agent import TURN_TIMEOUT_S, DeliverProcessor
from streams.agents.deliver.outbox.in_hand import CHANNELS, WEBHOOKS, KindCapacity
from streams.agents.deliver.outbox.queues import SLOTS_PER_RECIPIENT
from streams.agents.deliver.outbox_rows import OUTBOX
from streams.agents.deliver.sending import DeliveryEffects, ReceiverEffects
from streams.app import DELIVER
from streams.engine.acks.acknowledgements import Acknowledgements
from streams.engine.acks.capacity import Capacity
from streams.engine.acks.flow import Flow
from streams.engine.runners.handling import Handling
from streams.engine.runners.outcomes import OutcomeWriter
from streams.engine.runners.pool import PoolRunner
from streams.engine.runners.throttle import Throttle
from streams.values.outcome import Put, Send
from tests.fakes.engine import Engine, Message, uncounted
from tests.fakes.outgoing import PAGE, REFUSED, TAKEN, Office, notification

CHANNEL, CLIENT = "channel:c", "https://client.test/hook"
FEW = KindCapacity(6, 1_000_000)
NOON = 1_700_049_600_000
KINDS = [(CHANNEL, CLIENT), (CLIENT, CHANNEL)]
each_kind = pytest.mark.parametrize(("slow", "other"), KINDS)


def several(receiver: str, count: int, manager: str = "m") -> list[Notification]:
    """Return a notification for each of so many receivers of a kind."""
    return [
        notification(f"{manager} {receiver}{n}", f"{receiver}{n}", manager=manager)
        for n in range(count)
    ]


async def office(*schedule: float, few: KindCapacity = FEW, turn_timeout_s: float = 0) -> Office:
    schedule = schedule or (0, 60)
    return await Office(
        schedule, NOON, turn_timeout_s=turn_timeout_s, webhooks=few, channels=few
    ).begin()


@each_kind
async def test_what_is_slow_is_in_hand_up_to_a_number_and_the_rest_has_rows(
    slow: str, other: str
) -> None:
    it = await office(turn_timeout_s=3600)
    await it.notify(*several(slow, 20), notification("other", other))
    assert it.notified == [*(each.id for each in several(slow, 6)), "other"]
    assert it.rows(OUTBOX) == [each.id for each in several(slow, 20)[6:]]
    await it.answer(TAKEN, which=6)
    assert len(it._tasks) - sum(task.done() for task in it._tasks) == 6, "only these are at work"


@each_kind
async def test_what_was_crowded_out_is_sent_in_its_turn_as_soon_as_others_have_ended(
    slow: str, other: str
) -> None:
    it = await office()
    names = [each.id for each in several(slow, 20)]
    await it.notify(*several(slow, 20))
    for name in names:
        assert it.notified[0] == name
        await it.answer(TAKEN)
        await it.settle()
        assert len(it.notified) <= FEW.max_notifications
    assert (it.pending, it.rows(OUTBOX)) == ([], [])
    assert not len(it.agent._in_hand)


async def test_a_receiver_with_much_to_send_lets_others_have_their_turn() -> None:
    it = await office()
    much = [notification(f"much {n}", CHANNEL, f"{PAGE}{n}") for n in range(10)]
    await it.notify(*much, *several(f"{CHANNEL}-", 4))
    assert it.notified == [
        "much 0",
        "much 1",
        "much 2",
        "much 3",
        f"m {CHANNEL}-0",
        f"m {CHANNEL}-1",
    ]
    await it.answer(TAKEN)
    await it.settle()
    assert it.notified[-1] == f"m {CHANNEL}-2", "it has waited longer than the next of the others"


async def test_a_manager_with_little_to_send_waits_for_no_other() -> None:
    it = await office()
    await it.notify(*several(CHANNEL, 20, "much"))
    await it.notify(*several(CHANNEL, 5, "little"))
    sent = [each.notified.manager for each in it.pending]
    assert sent == ["much"] * 6 + ["little"] * SLOTS_PER_RECIPIENT


async def test_large_ones_take_more_of_the_capacity() -> None:
    it = await office(few=KindCapacity(100, 50_000))
    large = [replace(each, reason="x" * 10_000) for each in several(CHANNEL, 20)]
    await it.notify(*large)
    assert len(it.notified) == 5
    for _ in large:
        await it.answer(TAKEN)
        await it.pass_time(1)
    assert it.rows(OUTBOX) == []


async def test_what_waits_in_memory_for_its_turn_is_in_hand_too() -> None:
    it = await office(turn_timeout_s=3600)
    await it.notify(*(notification(str(n), CHANNEL, f"{PAGE}{n}") for n in range(20)))
    assert it.notified == ["0", "1", "2", "3"]
    assert len(it.rows(OUTBOX)) == 20 - FEW.max_notifications
    for n in range(20):
        assert it.pending[0].notified.id == str(n)
        await it.answer(TAKEN)
        await it.settle()
    assert (it.rows(OUTBOX), len(it.agent._in_hand)) == ([], 0)


async def test_many_digests_that_are_due_at_the_same_time_are_sent_one_after_the_other() -> None:
    it = await office()
    digests = [notification(f"{n} {part}", f"{CHANNEL}{n}") for n in range(20) for part in "ab"]
    it.digests = {f"{CHANNEL}{n}": Digest("daily", 18) for n in range(20)}
    await it.notify(*digests)
    assert (it.pending, len(it.agent._in_hand)) == ([], 0)
    await it.pass_time(6 * 3600)
    await it.notify(notification("at once", CLIENT))
    assert [len(each.digest) for each in it.pending] == [2] * 6 + [0]
    await it.answer(TAKEN, which=6)
    await it.answer(REFUSED)
    sent = 0
    while it.pending:
        sent += len(it.pending)
        while it.pending:
            await it.answer(TAKEN)
        await it.pass_time(80)
    assert sent == 20, "with the one that was refused, at its next attempt"
    assert (it.rows(OUTBOX), len(it.agent._in_hand)) == ([], 0)


def test_a_worker_takes_more_in_flight_than_it_may_have_in_hand() -> None:
    assert DELIVER.max_in_flight > WEBHOOKS.max_notifications + CHANNELS.max_notifications
    assert DELIVER.max_in_flight_bytes > WEBHOOKS.max_bytes + CHANNELS.max_bytes


def test_at_a_stop_what_is_in_flight_may_end_and_what_begins_then() -> None:
    assert DELIVER.drain_s > max(TOTAL_TIMEOUT_S, SEND_TIMEOUT_S) + TURN_TIMEOUT_S


class Tables:
    """A table in memory, and a producer that publishes nothing."""

    def __init__(self) -> None:
        self.rows_of: defaultdict[int, dict[bytes, bytes]] = defaultdict(dict)

    async def publish(self, sends: Sequence[Send]) -> None:
        list(sends)

    def get(self, partition: int, key: bytes) -> bytes | None:
        return self.rows_of[partition].get(key)

    def rows(self, partition: int) -> Iterator[tuple[bytes, bytes]]:
        return iter(list(self.rows_of[partition].items()))

    async def write(self, puts: Mapping[int, Sequence[Put]]) -> None:
        for partition, put in ((p, put) for p, several in puts.items() for put in several):
            if put.record is None:
                self.rows_of[partition].pop(put.key, None)
            else:
                self.rows_of[partition][put.key] = wire.encode(put.record)


@each_kind
async def test_more_than_a_worker_has_room_for_holds_up_no_other_kind(
    slow: str, other: str
) -> None:
    engine, notifications = Engine(), TopicPartition("x.notifications", 0)
    sent: asyncio.Queue[str] = asyncio.Queue()

    async def send(
        _: str, client_url: str, notified: Sequence[Notification], is_digest: bool
    ) -> WebhookResponse:
        if client_url.startswith(slow):
            await asyncio.Event().wait()
        sent.put_nowait(client_url)
        return TAKEN

    async def no_digest(*_: str) -> None:
        return None

    effects = DeliveryEffects(send, no_digest, lambda row, _: len(row), 1_000_000)
    few = KindCapacity(20, 1_000_000)
    agent = DeliverProcessor(
        effects=ReceiverEffects(effects, effects), clock=lambda: NOON, webhooks=few, channels=few
    )
    topics, tables = (
        {notifications.topic: NOTIFICATIONS},
        {table.name: Tables() for table in DELIVER.tables},
    )
    log: Any = engine
    durable: Any = tables
    acks = Acknowledgements(topics, log, engine.loop_watch, Capacity(50))
    engine.process.add(acks, engine.commit)
    handling = Handling("deliver", acks, engine.process, uncounted, ())
    writer = OutcomeWriter(durable[OUTBOX].publish, durable)
    runner = PoolRunner(agent, writer, handling, Throttle(25))
    flow = Flow(acks, Codec(), runner, engine.process, engine.commit)
    engine.loop_watch.beat()
    engine.loop_watch.membership.begin(engine.now)
    await flow.load({notifications: 0})
    acks.open({notifications: 0}, {})
    found = [*several(slow, 60), notification("other", other)]
    async with asyncio.timeout(60):
        for offset, each in enumerate(found):
            await flow.take(Message(offset, wire.encode(each), tp=notifications))
        assert await sent.get() == other
    await flow.close(0)
