"""Announce notifies channels and deliver webhooks: each notification is of one of them."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.codec import wire
from schemas.records.deliveries import Delivered, DeliveryFailed, Redeliver
from streams.agents.deliver.outbox.recipients import CHANNELS, WEBHOOKS, Served
from streams.agents.deliver.tables import OUTBOX
from streams.app import ANNOUNCE
from streams.effects.announce import is_for_no_channel
from streams.effects.workers import stage_workers
from streams.settings import Settings
from streams.values import topics
from streams.values.topics import NOTIFICATIONS
from tests.fakes.outgoing import ATTEMPTS, CLIENT, REFUSED, TAKEN, Office, notification

CHANNEL = "channel:team"
OFFICES = [(CHANNELS, CHANNEL, CLIENT), (WEBHOOKS, CLIENT, CHANNEL)]
each_stage = pytest.mark.parametrize(("served", "ours", "theirs"), OFFICES)


async def office(served: Served, *schedule: float) -> Office:
    return await Office(schedule or (0, 10), served=served).begin()


@each_stage
async def test_a_stage_sends_to_its_receivers_and_to_no_others(
    served: Served, ours: str, theirs: str
) -> None:
    it = await office(served)
    await it.notify(
        notification("theirs", theirs), notification("a session", None), notification("ours", ours)
    )
    assert it.notified == ["ours"]
    await it.answer(TAKEN)
    assert it.kept.facts == [Delivered("ours", "of ours", "m", ours, 1, 204, it.now)]
    assert it.kept.committed["notifications"] == 3


@each_stage
async def test_attempts_and_redeliveries_of_the_other_stage_do_nothing(
    served: Served, ours: str, theirs: str
) -> None:
    it, other = await office(served), await office(CHANNELS if served is WEBHOOKS else WEBHOOKS)
    await other.notify(notification("n", theirs))
    await other.answer(REFUSED)
    await other.pass_time(12)
    it.produce(*other.kept.topics[ATTEMPTS], topic=ATTEMPTS)
    it.produce(Redeliver(notification("n", theirs)), topic=ATTEMPTS)
    await it.settle()
    assert other.kept.topics[ATTEMPTS]
    assert (it.posts, it.kept.facts, it.rows(OUTBOX)) == ([], [], [])
    assert it.kept.committed[ATTEMPTS] == len(it.kept.topics[ATTEMPTS])


async def test_what_waits_for_a_channel_outlives_its_worker_and_is_given_up_with_a_reason() -> None:
    it = await office(CHANNELS)
    await it.notify(notification("n", CHANNEL))
    await it.answer(REFUSED)
    await it.crash()
    await it.pass_time(12)
    await it.answer(REFUSED)
    assert it.of(DeliveryFailed) == [
        DeliveryFailed("n", "of n", "m", CHANNEL, 2, "answered 500", it.now, 500)
    ]


@given(st.text(max_size=20), st.text(max_size=50))
def test_no_notification_for_a_channel_is_passed_by(name: str, text: str) -> None:
    for receiver in (f"{CHANNEL}{name}", "channel:x"):
        of_channel = replace(notification(text or "n", receiver), title=text)
        assert not is_for_no_channel(NOTIFICATIONS.name, wire.encode(of_channel))


@pytest.mark.parametrize("receiver", [CLIENT, None])
def test_other_notifications_are_passed_by_and_commands_are_not(receiver: str | None) -> None:
    value = wire.encode(notification("theirs", receiver))
    assert is_for_no_channel(NOTIFICATIONS.name, value)
    assert not is_for_no_channel(topics.ATTEMPTS.name, value)


def test_announce_alone_passes_by_what_is_for_others() -> None:
    webhook = wire.encode(notification("theirs", CLIENT))
    workers = stage_workers(Settings()).items()
    passing = {name for name, each in workers if each.is_for_others(NOTIFICATIONS.name, webhook)}
    assert passing == {ANNOUNCE.name}
