"""What somebody asks to send now, or again, is not forgotten by a worker that takes over."""

from dataclasses import replace

import pytest

from schemas.records.deliveries import Delivered, Redeliver
from schemas.records.delivery_times import DeliveryTimes
from schemas.records.notifications import Notification
from streams.agents.deliver.outbox.held import MOST_HELD
from streams.agents.deliver.outbox_rows import DELIVERED, OUTBOX
from tests.fakes.outgoing import ATTEMPTS, REFUSED, TAKEN, Office, notification

NIGHT = 1_774_645_200_000
"""Friday, 2026-03-27, 22:00 in Berlin."""
WORK = DeliveryTimes("Mon-Fri 08:00-18:00", "Europe/Berlin")


async def office(*schedule: float, asks: bool = False) -> Office:
    return await Office(schedule or (0, 60, 60), NIGHT, asks=asks).begin()


def news(name: str, times: DeliveryTimes | None = WORK) -> Notification:
    return replace(notification(name), subscription="one", times=times)


async def ask_for(it: Office, *asked: Notification) -> None:
    it.produce(*(Redeliver(each, seen=it.now) for each in asked), topic=ATTEMPTS)
    await it.settle()


async def test_what_is_held_and_asked_for_is_sent_by_the_worker_that_takes_over() -> None:
    it = await office()
    await it.notify(news("a"), news("b"))
    await ask_for(it, news("b"))
    await it.crash()
    await it.pass_time(1)
    assert it.digest() == ("a", "b"), "all that waits for that time"


async def test_a_digest_that_was_asked_for_and_fails_is_retried_whatever_the_hours() -> None:
    it = await office()
    await it.notify(news("a"), news("b"))
    await ask_for(it, news("b"))
    await it.pass_time(1)
    await it.answer(REFUSED)
    await it.crash()
    await it.pass_time(90)
    assert it.digest() == ("a", "b")


async def test_of_more_than_one_digest_what_was_asked_for_is_sent_too() -> None:
    it = await office()
    names = [f"{number:03}" for number in range(MOST_HELD + 2)]
    await it.notify(*map(news, names))
    await ask_for(it, news(names[-1]))
    await it.pass_time(1)
    assert it.digest() == tuple(names[:MOST_HELD])
    await it.answer(TAKEN)
    await it.pass_time(1)
    assert it.digest() == tuple(names[MOST_HELD:])


async def test_what_failed_and_is_asked_for_is_tried_by_the_worker_that_takes_over() -> None:
    it = await office(0, 3600)
    await it.notify(news("a", times=None))
    await it.answer(REFUSED)
    await ask_for(it, news("a", times=None))
    await it.crash()
    await it.pass_time(1)
    assert it.notified == ["a"]


async def test_what_waits_for_a_challenge_and_is_asked_for_is_sent_at_once_after_it() -> None:
    it = await office(asks=True)
    await it.notify(news("a"))
    await ask_for(it, news("a"))
    await it.crash()
    await it.pass_time(1)
    await it.pass_time(61)
    assert it.notified == [], "its receiver has not answered"
    await it.reply()
    await it.pass_time(1)
    assert it.notified == ["a"], "whatever its hours"


@pytest.mark.parametrize("waits", [True, False])
async def test_a_crash_between_the_rows_of_what_was_asked_for_sends_it_no_more(waits: bool) -> None:
    it = await office(0, 3600)
    await it.notify(news("a", times=None))
    await it.answer(REFUSED if waits else TAKEN)
    it.now += 1
    await ask_for(it, news("a", times=None))
    await it.pass_time(1)
    if not waits:
        await it.answer(REFUSED)  # only what is tried again has a row
        await it.pass_time(3600 * 2)
    it.cut = 2  # its fact, and the row that it is delivered
    await it.answer(TAKEN)
    assert (it.rows(DELIVERED), it.rows(OUTBOX)) == (["a"], ["a"])
    await it.crash()
    await it.pass_time(3600 * 2)
    assert (it.notified, it.rows(OUTBOX)) == ([], [])
    assert len(it.of(Delivered)) == (1 if waits else 2)


async def test_what_is_asked_for_keeps_its_turn_before_what_ended_and_is_sent_again() -> None:
    it = await office(0, 3600)
    await it.notify(news("old", times=None))
    await it.answer(TAKEN)
    await it.notify(news("waits", times=None))
    await it.answer(REFUSED)
    it.now += 1
    await ask_for(it, news("old", times=None), news("waits", times=None))
    await it.crash()
    await it.pass_time(1)
    assert it.notified == ["waits"]
