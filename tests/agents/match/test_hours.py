"""Notifications that come outside of the hours of their subscription wait, and are not lost."""

from dataclasses import replace
from datetime import datetime

import pytest

from schemas.records.channels import Digest
from schemas.records.deliveries import AttemptFailed, Delivered, DeliveryHeld, Redeliver
from schemas.records.delivery_times import DeliveryTimes, Held
from schemas.records.notifications import Notification
from streams.agents.deliver.outbox.held import MOST_HELD
from streams.agents.deliver.outbox_rows import DELIVERED, OUTBOX
from tests.fakes.outgoing import ATTEMPTS, CLIENT, PAGE, REFUSED, TAKEN, Office, notification

CHANNEL = "channel:team"
WORK = DeliveryTimes("Mon-Fri 08:00-18:00", "Europe/Berlin")
REASON = "its hours are Mon-Fri 08:00-18:00 (Europe/Berlin)"
HOUR = 3600.0


def ms(text: str) -> int:
    return round(datetime.fromisoformat(text).timestamp() * 1000)


FRIDAY_NIGHT, FRIDAY_NOON = ms("2026-03-27T22:00+01:00"), ms("2026-03-27T12:00+01:00")
MONDAY = ms("2026-03-30T08:00+02:00")
"""After a night in which the clocks are put forward."""
WEEKEND = (MONDAY - FRIDAY_NIGHT) / 1000


async def office(*schedule: float, now: int = FRIDAY_NIGHT, digest: Digest | None = None) -> Office:
    digests = None if digest is None else {CHANNEL: digest}
    return await Office(schedule or (0, 60), now, digests=digests).begin()


def news(name: str, client: str = CLIENT, times: DeliveryTimes | None = WORK) -> Notification:
    made = notification(name, client)
    return replace(made, subscription="one", times=times)


@pytest.mark.parametrize("client", [CLIENT, CHANNEL])
async def test_what_comes_at_night_is_sent_together_in_the_morning_with_the_reason(
    client: str,
) -> None:
    it = await office()
    await it.notify(news("a", client), news("b", client), news("any time", client, None))
    assert it.notified == ["any time"]
    await it.answer(TAKEN)
    held = [(fact.notification, fact.until, fact.reason) for fact in it.of(DeliveryHeld)]
    assert held == [("a", MONDAY, REASON), ("b", MONDAY, REASON)]
    await it.crash()
    await it.pass_time(WEEKEND - 1)
    assert it.pending == []
    await it.crash()
    await it.pass_time(1)
    assert it.digest() == ("a", "b")
    assert it.pending[0].notified.held == Held(FRIDAY_NIGHT, MONDAY, REASON)
    await it.answer(TAKEN)
    assert [fact.notification for fact in it.of(Delivered)] == ["any time", "a", "b"]
    assert (it.rows(OUTBOX), sorted(it.rows(DELIVERED))) == ([], ["a", "any time", "b"])


async def test_what_comes_within_the_hours_is_sent_at_once() -> None:
    it = await office(now=FRIDAY_NOON)
    await it.notify(news("a"))
    assert (it.notified, it.pending[0].notified.held) == (["a"], None)


async def test_a_test_notification_is_sent_at_any_time() -> None:
    it = await office()
    await it.notify(replace(news("a"), test=True))
    assert it.notified == ["a"]


async def test_webhooks_get_what_waited_by_subscription_for_each_has_a_secret() -> None:
    it = await office()
    await it.notify(news("a"), replace(news("b"), subscription="two", url=f"{PAGE}2"))
    await it.pass_time(WEEKEND)
    assert [pending.digest for pending in it.pending] == [("a",), ("b",)]


async def test_a_retry_waits_for_the_hours_too() -> None:
    it = await office(0, 7 * HOUR, 60, now=FRIDAY_NOON)
    await it.notify(news("a"))
    await it.answer(REFUSED)
    await it.pass_time(9 * HOUR)
    assert it.pending == []
    assert [fact.until for fact in it.of(DeliveryHeld)] == [MONDAY]
    await it.crash()
    await it.pass_time((MONDAY - it.now) / 1000)
    assert it.digest() == ("a",)
    await it.answer(TAKEN)
    assert [fact.attempts for fact in it.of(Delivered)] == [2]


async def test_a_worker_that_comes_too_late_waits_for_the_next_hours() -> None:
    it = await office(now=FRIDAY_NIGHT - 86_400_000)
    await it.notify(news("a"))
    it.now = FRIDAY_NIGHT
    await it.crash()
    await it.pass_time(0)
    assert it.pending == []
    assert it.of(DeliveryHeld)[-1].until == MONDAY
    await it.crash()
    await it.pass_time(WEEKEND)
    assert it.digest() == ("a",)
    assert it.pending[0].notified.held == Held(FRIDAY_NIGHT - 86_400_000, MONDAY, REASON)


async def test_what_fails_in_the_morning_is_sent_again_as_it_was() -> None:
    it = await office(0, 60)
    await it.notify(news("a"), news("b"))
    await it.pass_time(WEEKEND)
    await it.answer(REFUSED)
    assert [fact.notification for fact in it.of(AttemptFailed)] == ["a", "b"]
    await it.pass_time(90)
    assert it.digest() == ("a", "b")


async def test_a_redelivery_does_not_wait() -> None:
    it = await office()
    await it.notify(news("a"), news("b"))
    it.produce(Redeliver(news("b"), seen=it.now), topic=ATTEMPTS)
    await it.settle()
    await it.pass_time(1)
    assert it.digest() == ("a", "b")
    await it.answer(TAKEN)
    it.produce(Redeliver(news("a")), topic=ATTEMPTS)
    await it.settle()
    assert it.notified == ["a"]


async def test_however_much_waits_nothing_is_sent_before_the_hours_and_then_in_parts() -> None:
    it = await office()
    names = [str(number) for number in range(MOST_HELD + 1)]
    await it.notify(*map(news, names))
    await it.pass_time(HOUR)
    assert it.pending == []
    await it.crash()
    await it.pass_time(WEEKEND - HOUR)
    assert it.digest() == tuple(names[:-1])
    await it.answer(TAKEN)
    await it.pass_time(1)
    assert it.digest() == (names[-1],)


async def test_a_digest_at_an_hour_that_is_not_wanted_waits_for_one_that_is() -> None:
    it = await office(digest=Digest("daily", 7, "Europe/Berlin"))
    await it.notify(news("a", CHANNEL), news("b", CHANNEL, None))
    assert [fact.until for fact in it.of(DeliveryHeld)] == [
        MONDAY,
        ms("2026-03-28T07:00+01:00"),
    ]


async def test_hours_that_cannot_be_read_hold_up_nobody() -> None:
    it = await office()
    await it.notify(news("a", times=DeliveryTimes("whenever", "UTC")))
    assert it.notified == ["a"]


async def test_a_receiver_that_has_to_answer_a_challenge_first_is_asked() -> None:
    it = await office()
    await it.notify(news("a"))
    it.asks = True
    await it.crash()
    await it.pass_time(WEEKEND)
    assert (it.pending, len(it.asking)) == ([], 1)
    await it.reply()
    await it.pass_time(1)
    assert it.notified == ["a"]


async def test_a_crash_forgets_no_end_of_a_digest_of_which_another_part_had_ended() -> None:
    it = await office()
    await it.notify(news("a"), news("b"))
    await it.pass_time(WEEKEND)
    it.cut = 3  # two facts, and the first end
    await it.answer(TAKEN)
    assert (it.rows(DELIVERED), it.rows(OUTBOX)) == (["a"], ["a", "b"])
    await it.crash()
    await it.pass_time(1)
    assert it.digest() == ("b",)
    it.cut = 2  # its fact, and one row
    await it.answer(TAKEN)
    assert it.rows(DELIVERED) == ["a", "b"]
