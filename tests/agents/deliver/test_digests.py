"""Digests: what is held for one is sent once, together, and never lost."""

from dataclasses import replace

import pytest

from schemas.records.answers import WebhookResponse
from schemas.records.channels import Digest
from schemas.records.deliveries import (
    AttemptFailed,
    ClientGone,
    Delivered,
    DeliveryFailed,
    DeliveryHeld,
    Redeliver,
)
from schemas.records.notifications import Notification
from schemas.records.requests import Expire
from streams.agents.deliver.outbox.held import MOST_HELD
from streams.agents.deliver.outbox.recipients import FAILING
from streams.agents.deliver.outbox_rows import DELIVERED, OUTBOX
from tests.fakes.outgoing import ATTEMPTS, MAX_DIGEST, PAGE, REFUSED, TAKEN, Office, notification

CHANNEL, OTHER = "channel:team", "channel:other"
NOON = 1_700_049_600_000
HOUR = 3600.0
DAY = 24 * HOUR
TONIGHT = NOON + round(6 * HOUR * 1000)
DAILY = Digest("daily", 18)


async def office(*schedule: float, digest: Digest | None = DAILY) -> Office:
    digests = {} if digest is None else {CHANNEL: digest}
    return await Office(schedule or (0, 60), NOON, digests=digests).begin()


def news(name: str, page: int = 0, subscription: str = "") -> Notification:
    made = notification(name, CHANNEL, url=f"{PAGE}{page}")
    return replace(made, subscription=subscription) if subscription else made


async def test_what_is_held_is_sent_together_once_and_recorded_one_by_one() -> None:
    it = await office()
    await it.notify(news("a"), news("b"), notification("at once", OTHER), news("c", page=1))
    assert it.notified == ["at once"]
    await it.answer(TAKEN)
    held = [(fact.notification, fact.until) for fact in it.of(DeliveryHeld)]
    assert held == [("a", TONIGHT), ("b", TONIGHT), ("c", TONIGHT)]
    assert it.kept.committed["notifications"] == 4, "their events are done: they have rows"
    await it.pass_time(6 * HOUR - 1)
    assert it.pending == []
    await it.pass_time(1)
    assert it.digest() == ("a", "b", "c")
    await it.pass_time(30)
    assert it.digest() == ("a", "b", "c"), "it is being sent"
    await it.answer(TAKEN)
    assert [fact.notification for fact in it.of(Delivered)] == ["at once", "a", "b", "c"]
    assert (it.rows(OUTBOX), sorted(it.rows(DELIVERED))) == ([], ["a", "at once", "b", "c"])
    await it.notify(news("a"))
    await it.pass_time(2 * DAY)
    assert it.pending == [], "a digest of nothing is not sent"


async def test_a_crash_at_any_moment_loses_nothing_and_repeats_only_what_was_not_recorded() -> None:
    it = await office()
    await it.notify(news("a"), news("b", page=1))
    await it.crash()
    await it.notify(news("a"), news("c", page=2))
    await it.pass_time(6 * HOUR)
    assert it.digest() == ("a", "b", "c")
    await it.crash()
    await it.pass_time(1)
    assert it.digest() == ("a", "b", "c"), "nobody knows whether it has arrived"
    it.cut = 3 + 2  # all facts, and the rows that two of them are delivered
    await it.answer(TAKEN)
    await it.crash()
    await it.pass_time(1)
    assert it.digest() == ("c",)
    await it.answer(TAKEN)
    assert (it.rows(OUTBOX), sorted(it.rows(DELIVERED))) == ([], ["a", "b", "c"])


async def test_a_digest_that_was_due_while_no_worker_ran_is_sent_when_one_does() -> None:
    it = await office()
    await it.notify(news("a"))
    it.now += round(3 * DAY * 1000)
    await it.crash()
    await it.pass_time(0)
    assert it.digest() == ("a",)


async def test_a_digest_that_fails_is_sent_again_as_it_was_and_given_up_with_a_reason() -> None:
    it = await office(0, 60, 60)
    await it.notify(news("a"), news("b"))
    await it.pass_time(6 * HOUR)
    await it.answer(REFUSED)
    assert [fact.notification for fact in it.of(AttemptFailed)] == ["a", "b"]
    await it.crash()
    await it.notify(news("later"))
    await it.pass_time(90)
    assert it.digest() == ("a", "b")
    await it.answer(REFUSED)
    await it.pass_time(90)
    await it.answer(REFUSED)
    given_up = [(each.notification, each.attempts, each.reason) for each in it.of(DeliveryFailed)]
    assert given_up == [("a", 3, "answered 500"), ("b", 3, "answered 500")]
    assert it.rows(OUTBOX) == ["later"]
    await it.pass_time(DAY)
    assert it.digest() == ("later",)
    await it.answer(TAKEN)
    assert it.known(FAILING) == []


async def test_trouble_of_this_machine_costs_no_attempt() -> None:
    it = await office(0)
    it.is_out_of_order = True
    await it.notify(news("a"))
    it.is_out_of_order = False
    await it.pass_time(6)
    assert [fact.until for fact in it.of(DeliveryHeld)] == [TONIGHT]
    await it.pass_time(6 * HOUR)
    await it.answer(OSError("no process"))
    await it.pass_time(6)
    await it.answer(TAKEN)
    assert [fact.attempts for fact in it.of(Delivered)] == [1]


async def test_a_digest_that_cannot_be_sent_is_given_up_and_holds_up_nobody() -> None:
    it = await office()
    await it.notify(news("a"))
    await it.pass_time(6 * HOUR)
    await it.answer(ValueError("no such text"))
    assert [fact.notification for fact in it.of(DeliveryFailed)] == ["a"]
    await it.notify(news("b"))
    await it.pass_time(DAY)
    assert it.digest() == ("b",)


async def test_a_digest_is_sent_early_when_it_is_full() -> None:
    it = await office()
    names = [str(number) for number in range(MOST_HELD + 1)]
    await it.notify(*(news(name) for name in names))
    await it.crash()
    await it.notify()
    assert len(it.agent._outboxes[0].held) == MOST_HELD + 1
    await it.pass_time(1)
    assert it.digest() == tuple(names[:-1])
    await it.answer(TAKEN)
    await it.pass_time(6 * HOUR)
    assert it.digest() == (names[-1],)


async def test_a_full_digest_that_fails_waits_for_its_next_attempt() -> None:
    for answer, attempts in ((REFUSED, 1), (OSError("no process"), 0)):
        it = await office(0, 600, 600)
        names = [str(number) for number in range(MOST_HELD)]
        await it.notify(*(news(name) for name in names))
        await it.pass_time(1)
        await it.answer(answer)
        await it.pass_time(1)
        assert it.pending == []
        await it.crash()
        await it.pass_time(1)
        assert it.pending == [], "a worker that takes over knows when it is due"
        await it.pass_time(800)
        assert len(it.digest()) == MOST_HELD
        await it.answer(TAKEN)
        assert {fact.attempts for fact in it.of(Delivered)} == {attempts + 1}


async def test_a_channel_that_cannot_be_read_gives_its_notification_up_and_holds_up_nobody() -> (
    None
):
    it = await office(digest=Digest("daily", 18, "Nowhere/Lost"))
    await it.notify(news("a"), news("b"))
    assert it.notified == ["a"], "it is tried as others are, which says why"
    await it.answer(TAKEN)
    await it.settle()
    assert it.notified == ["b"]


async def test_what_is_too_large_for_one_digest_goes_into_another_at_once() -> None:
    it = await office()
    large = [replace(news(name), reason="x" * (MAX_DIGEST // 3)) for name in "abc"]
    await it.notify(*large)
    await it.pass_time(6 * HOUR)
    assert it.digest() == ("a", "b")
    await it.answer(TAKEN)
    await it.pass_time(1)
    assert it.digest() == ("c",)


async def test_a_redelivery_of_what_is_held_sends_its_digest_now() -> None:
    it = await office()
    await it.notify(news("a"), news("b"))
    it.produce(Redeliver(news("b"), seen=it.now), topic=ATTEMPTS)
    await it.settle()
    await it.pass_time(1)
    assert it.digest() == ("a", "b")
    await it.answer(TAKEN)
    it.produce(Redeliver(news("a")), topic=ATTEMPTS)
    await it.settle()
    assert (it.notified, it.digest()) == (["a"], ()), "what has arrived is sent again by itself"


async def test_what_is_held_when_the_option_changes_is_sent_at_its_time() -> None:
    it = await office()
    assert it.digests is not None
    await it.notify(news("daily"))
    it.digests[CHANNEL] = Digest("weekly", 18, weekday=4)
    await it.notify(news("weekly"))
    it.digests.clear()
    await it.notify(news("at once"))
    assert (it.notified, it.digest()) == (["at once"], ())
    await it.answer(TAKEN)
    await it.pass_time(6 * HOUR)
    assert it.digest() == ("daily",)
    await it.answer(TAKEN)
    await it.pass_time(7 * DAY)
    assert it.digest() == ("weekly",)


async def test_what_failed_before_digests_were_wanted_is_retried_by_itself() -> None:
    it = await office(digest=None)
    await it.notify(news("a"))
    await it.answer(REFUSED)
    assert it.digests is not None
    it.digests[CHANNEL] = DAILY
    await it.notify(news("b"))
    await it.pass_time(90)
    assert (it.notified, it.digest()) == (["a"], ())
    await it.answer(TAKEN)
    await it.settle()
    assert [fact.notification for fact in it.of(DeliveryHeld)] == ["b"]


async def test_a_service_that_is_gone_ends_the_subscriptions_of_all_that_is_held() -> None:
    it = await office()
    await it.notify(news("a", subscription="one"), news("b", subscription="two"))
    await it.pass_time(6 * HOUR)
    await it.notify(news("tomorrow", subscription="two"), news("other", subscription="three"))
    await it.answer(WebhookResponse(410, "answered 410"))
    assert {fact.notification for fact in it.of(DeliveryFailed)} == {"a", "b", "tomorrow"}
    assert sorted(fact.subscription for fact in it.of(Expire)) == ["one", "two"]
    assert it.rows(OUTBOX) == ["other"]
    await it.pass_time(DAY)
    assert it.digest() == ("other",)


async def test_a_service_that_fails_for_days_gets_no_digest_any_more() -> None:
    it = await office(0)
    for day in range(6):
        await it.notify(news(f"day {day}"))
        await it.pass_time(DAY if day else 6 * HOUR)
        if day == 5:
            await it.notify(news("waits"))
        await it.answer(REFUSED)
    assert [fact.client_url for fact in it.of(ClientGone)] == [CHANNEL]
    assert it.of(DeliveryFailed)[-1].notification == "waits"
    assert (it.rows(OUTBOX), it.known(FAILING)) == ([], [f"{CHANNEL}\0m"])


@pytest.mark.parametrize("which", [0, 1])
async def test_the_end_of_a_subscription_leaves_a_digest_that_is_due_to_the_others(
    which: int,
) -> None:
    it = await office(0)
    await it.notify(news("a", subscription="a"), news("b", subscription="b"))
    assert it.digests is not None
    it.digests.clear()
    await it.notify(news("gone", page=9, subscription="ab"[which]))
    await it.tick(6 * HOUR)
    await it.answer(WebhookResponse(410, "answered 410"))
    await it.pass_time(1)
    assert it.digest() == ("ba"[which],)
