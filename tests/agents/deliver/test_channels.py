"""Deliver notifies webhooks and channels, each in its way, and leaves sessions alone."""

import pytest

from schemas.records.deliveries import Delivered, DeliveryFailed, Redeliver
from streams.agents.deliver.outbox.recipients import PROOF
from streams.agents.deliver.outbox_rows import OUTBOX
from tests.fakes.outgoing import ATTEMPTS, CLIENT, REFUSED, TAKEN, Office, notification

CHANNEL = "channel:team"
each_kind = pytest.mark.parametrize("receiver", [CHANNEL, CLIENT])


async def office(*schedule: float) -> Office:
    return await Office(schedule or (0, 10)).begin()


@pytest.mark.parametrize(("receiver", "kind"), [(CHANNEL, "channels"), (CLIENT, "webhooks")])
async def test_each_receiver_is_sent_to_in_its_way(receiver: str, kind: str) -> None:
    it = await office()
    await it.notify(notification("a session", None), notification("n", receiver))
    assert [(pending.notified.id, pending.kind) for pending in it.pending] == [("n", kind)]
    await it.answer(TAKEN)
    assert it.kept.facts == [Delivered("n", "of n", "m", receiver, 1, 204, it.now)]
    assert it.kept.committed["notifications"] == 2


async def test_a_session_is_never_sent_to_even_if_that_is_asked_for() -> None:
    it = await office()
    it.produce(Redeliver(notification("n", None)), topic=ATTEMPTS)
    await it.settle()
    assert (it.pending, it.kept.facts, it.rows(OUTBOX)) == ([], [], [])
    assert it.kept.committed[ATTEMPTS] == 1


@each_kind
async def test_what_waits_outlives_its_worker_and_is_given_up_with_a_reason(receiver: str) -> None:
    it = await office()
    await it.notify(notification("n", receiver))
    await it.answer(REFUSED)
    await it.crash()
    await it.pass_time(12)
    await it.answer(REFUSED)
    assert it.of(DeliveryFailed) == [
        DeliveryFailed("n", "of n", "m", receiver, 2, "answered 500", it.now, 500)
    ]


async def test_no_channel_is_challenged_where_webhooks_are() -> None:
    it = await Office((0, 10), asks=True).begin()
    await it.notify(notification("to a channel", CHANNEL), notification("to a webhook"))
    await it.settle()
    assert (it.notified, len(it.asking), len(it.known(PROOF))) == (["to a channel"], 1, 1)
    await it.crash()
    await it.pass_time(1)
    assert it.notified == ["to a channel"], "it has no row: its event is read again"
