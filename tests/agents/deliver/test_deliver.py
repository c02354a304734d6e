"""The deliver agent: each notification is accepted or given up, and holds up no other client."""

from dataclasses import replace
from typing import Any

import pytest
from structlog.testing import capture_logs

from schemas.records.answers import WebhookResponse
from schemas.records.deliveries import (
    Attempt,
    AttemptFailed,
    ClientGone,
    Delivered,
    DeliveryFailed,
    Redeliver,
)
from schemas.records.requests import Expire
from schemas.records.subscriptions import Receiver
from streams.agents.deliver.notifications import (
    MAX_NOTIFICATION,
    MisdirectedError,
    OversizedRecordError,
)
from streams.agents.deliver.outbox.recipients import FAILING
from streams.agents.deliver.outbox_rows import DELIVERED, OUTBOX
from tests.fakes.events import event, no_rows
from tests.fakes.outgoing import (
    ATTEMPTS,
    CLIENT,
    NOTIFICATIONS,
    PAGE,
    REFUSED,
    TAKEN,
    Office,
    notification,
)
from tests.harness.waiting import until

DAY = 24 * 3600
ROW = f"{CLIENT}\0m"
"""The key of the receiver's row, for the manager of most notifications here."""
GONE = WebhookResponse(410, "answered 410")
ALMOST = 1.25
"""More than the longest variation of a pause."""


async def office(*schedule: float) -> Office:
    return await (Office(schedule) if schedule else Office()).begin()


async def fail_for_days(it: Office, manager: str = "m") -> None:
    """Let a receiver refuse a notification of a manager a day, until it is gone."""
    for day in range(6):
        name = f"{manager} {day}"
        await it.notify(notification(name, url=f"{PAGE}{day}", manager=manager))
        await it.answer(REFUSED, it.notified.index(name))
        it.now += DAY * 1000
    it.now -= DAY * 1000


@pytest.mark.parametrize("status", [200, 204, 299])
async def test_a_notification_that_is_accepted_is_delivered_and_remembered(status: int) -> None:
    it = await office()
    await it.notify(notification("n"))
    await it.answer(WebhookResponse(status))
    assert it.kept.facts == [Delivered("n", "of n", "m", CLIENT, 1, status, it.now)]
    assert (it.rows(DELIVERED), it.rows(OUTBOX), it.known(FAILING)) == (["n"], [], [])
    assert it.kept.committed["notifications"] == 1


async def test_what_is_delivered_given_up_or_being_sent_is_not_sent_again() -> None:
    it = await office(0)
    await it.notify(notification("taken"), notification("taken"))
    assert it.notified == ["taken"]
    await it.answer(TAKEN)
    await it.notify(notification("refused"))
    await it.answer(REFUSED)
    await it.notify(notification("taken"), notification("refused"))
    assert it.notified == []
    assert len(it.posts) == 2
    await it.crash()
    await it.notify(notification("taken"), notification("refused"))
    assert len(it.posts) == 2


async def test_a_failed_one_is_retried_on_schedule_and_given_up_with_the_last_reason() -> None:
    it = await office(0, 10, 100)
    await it.notify(notification("n"))
    await it.answer(REFUSED)
    assert it.kept.committed["notifications"] == 1, "its event is done: it has a row"
    await it.pass_time(7)
    assert it.notified == []
    await it.pass_time(10 * ALMOST - 7)
    await it.answer(REFUSED)
    await it.pass_time(100 * ALMOST)
    await it.answer(WebhookResponse(None, "timed out"))
    assert it.of(DeliveryFailed) == [
        DeliveryFailed("n", "of n", "m", CLIENT, 3, "timed out", it.now)
    ]
    assert (it.rows(OUTBOX), it.rows(DELIVERED), it.known(FAILING)) == ([], ["n"], [ROW])


async def test_each_attempt_that_fails_says_when_the_next_is_and_how_the_answer_began() -> None:
    it = await office(0, 10, 100)
    await it.notify(notification("n"))
    begun = it.now
    await it.answer(WebhookResponse(500, "answered 500", start="no"))
    await it.pass_time(10 * ALMOST)
    await it.answer(WebhookResponse(None, "timed out"))
    first, second = it.of(AttemptFailed)
    who: Any = {"subscription": "of n", "manager": "m", "client_url": CLIENT, "since": begun}
    assert first == AttemptFailed(
        "n", **who, attempts=1, reason="answered 500", at=begun, next=first.next, status=500,
        answer="no",
    )  # fmt: skip
    assert begun + 8_000 <= first.next <= begun + 12_000
    assert (second.attempts, second.reason, second.answer) == (2, "timed out", "")
    assert second.next >= second.at + 80_000
    await it.pass_time(100 * ALMOST)
    await it.answer(WebhookResponse(200, start="thanks"))
    assert [fact.answer for fact in it.of(Delivered)] == ["thanks"]


async def test_what_is_given_up_has_the_status_that_its_last_attempt_was_answered_with() -> None:
    it = await office(0, 10)
    await it.notify(notification("n"))
    await it.answer(WebhookResponse(None, "timed out"))
    await it.pass_time(10 * ALMOST)
    await it.answer(REFUSED)
    assert it.of(DeliveryFailed) == [
        DeliveryFailed("n", "of n", "m", CLIENT, 2, "answered 500", it.now, 500)
    ]


async def test_what_waits_for_another_attempt_keeps_the_status_of_the_last_after_a_crash() -> None:
    it = await office()
    await it.notify(replace(notification("waits"), subscription="ended"))
    await it.answer(REFUSED)
    await it.crash()
    await it.notify(replace(notification("gone", url=f"{PAGE}2"), subscription="ended"))
    await it.answer(GONE)
    assert {fact.notification: fact.status for fact in it.of(DeliveryFailed)} == {
        "gone": 410,
        "waits": 500,
    }


async def test_a_later_attempt_may_succeed_and_clears_the_clients_record() -> None:
    it = await office()
    await it.notify(notification("n"))
    await it.answer(REFUSED)
    assert (it.rows(OUTBOX), it.known(FAILING)) == (["n"], [ROW])
    await it.pass_time(5 * ALMOST)
    await it.answer(WebhookResponse(201))
    assert it.of(Delivered) == [Delivered("n", "of n", "m", CLIENT, 2, 201, it.now)]
    assert (it.rows(OUTBOX), it.known(FAILING)) == ([], [])


async def test_a_document_is_notified_in_order_and_one_at_a_time_even_if_the_first_fails() -> None:
    it = await office()
    await it.notify(*(notification(name) for name in "abc"))
    assert it.notified == ["a"]
    await it.answer(REFUSED)
    await it.settle()
    assert it.notified == [], "the later ones wait for the failed one"
    await it.pass_time(5 * ALMOST)
    for name in "abc":
        assert it.notified == [name]
        await it.answer(TAKEN)
        await it.settle()
    assert [fact.notification for fact in it.of(Delivered)] == ["a", "b", "c"]


async def test_four_of_a_client_are_sent_at_a_time_and_the_fifth_follows_at_once() -> None:
    it = await office()
    await it.notify(*(notification(name, url=f"{PAGE}{name}") for name in "abcdef"))
    assert it.notified == ["a", "b", "c", "d"]
    assert it.kept.committed["notifications"] == 0
    assert sorted(it.rows(OUTBOX)) == ["e", "f"]
    await it.answer(TAKEN, 1)
    await it.settle()
    assert it.notified == ["a", "c", "d", "e"]


SIX = [notification(name, url=f"{PAGE}{name}") for name in "abcdef"]


async def test_a_notification_for_a_receiver_that_keeps_up_waits_without_a_row() -> None:
    it = await Office(turn_timeout_s=60).begin()
    await it.notify(*SIX, notification("again", url=f"{PAGE}a"))
    assert (it.notified, it.rows(OUTBOX)) == (["a", "b", "c", "d"], [])
    for notified in (["b", "c", "d", "e"], ["c", "d", "e", "f"], ["d", "e", "f", "again"]):
        await it.answer(TAKEN)
        await it.breathe()
        assert it.notified == notified
    assert it.rows(OUTBOX) == []
    assert it.kept.topics[ATTEMPTS] == []
    assert it.kept.committed["notifications"] == 3


async def test_a_notification_that_waits_long_gets_a_row_and_its_event_is_done() -> None:
    it = await Office(turn_timeout_s=0.001).begin()
    await it.notify(*SIX)
    await until(lambda: sorted(it.rows(OUTBOX)) == ["e", "f"], "they have rows")
    await it.answer(TAKEN)
    await it.settle()
    assert it.notified == ["b", "c", "d", "e"]


async def test_for_a_failing_receiver_none_waits_without_a_row() -> None:
    it = await Office((0, 3600), turn_timeout_s=60).begin()
    await it.notify(SIX[0])
    await it.answer(REFUSED)
    await it.notify(notification("behind", url=SIX[0].url))
    assert sorted(it.rows(OUTBOX)) == ["a", "behind"]


async def test_what_waited_without_a_row_when_its_worker_died_is_sent_by_the_next() -> None:
    it = await Office(turn_timeout_s=60).begin()
    await it.notify(*SIX)
    await it.crash()
    await it.settle()
    assert it.notified == ["a", "b", "c", "d"]
    for _ in SIX:
        await it.answer(TAKEN)
        await it.breathe()
    assert len(it.of(Delivered)) == len(SIX)


async def test_a_client_that_does_not_answer_holds_up_no_other() -> None:
    it = await office()
    await it.notify(*(notification(f"dead {n}", url=f"{PAGE}{n}") for n in range(10)))
    await it.notify(notification("live", "http://live.test/"))
    await it.answer(TAKEN, it.notified.index("live"))
    assert [fact.notification for fact in it.of(Delivered)] == ["live"]


async def test_an_attempt_is_made_once_and_only_by_a_command_that_counts_right() -> None:
    it = await office()
    await it.notify(notification("n"))
    await it.answer(REFUSED)
    it.produce(Attempt("n", 0), Attempt("n", 2), Attempt("unknown", 1), topic=ATTEMPTS)
    await it.settle()
    assert it.notified == []
    it.produce(Attempt("n", 1), Attempt("n", 1), topic=ATTEMPTS)
    await it.settle()
    assert it.notified == ["n"], "as many were made before as the command says"
    await it.answer(TAKEN)
    it.produce(Attempt("n", 1), Attempt("n", 2), topic=ATTEMPTS)
    await it.settle()
    assert (it.notified, len(it.posts)) == ([], 2)


async def test_a_command_is_sent_once_however_long_it_takes_to_be_read() -> None:
    it = await office()
    await it.notify(notification("n"))
    await it.answer(REFUSED)
    for _ in range(3):
        await it.tick(10)
    assert it.unread(ATTEMPTS) == 1


async def test_a_410_ends_the_subscription_that_it_answered_and_no_other() -> None:
    it = await office()
    given = "HTTP://Document.test/#part"
    ended = [replace(notification(name, url=given), subscription="ended") for name in "ab"]
    await it.notify(*ended, notification("c"), notification("d", url="http://other.test/"))
    assert it.notified == ["a", "d"]
    await it.answer(GONE)
    await it.settle()
    reason = "its receiver answered 410 Gone"
    assert it.kept.facts == [
        DeliveryFailed("a", "ended", "m", CLIENT, 1, "answered 410", it.now, 410),
        Expire(PAGE, "ended", reason, "m", Receiver(CLIENT)),
        DeliveryFailed("b", "ended", "m", CLIENT, 0, reason, it.now),
    ]
    assert (sorted(it.rows(DELIVERED)), it.known(FAILING)) == (["a", "b"], [])
    await it.pass_time(1)
    assert it.notified == ["d", "c"], "the receiver gets what other subscriptions are notified of"


async def test_what_waits_in_memory_for_a_subscription_that_a_410_ends_is_given_up() -> None:
    it = await Office(turn_timeout_s=60).begin()
    await it.notify(*(replace(notification(name), subscription="ended") for name in "abc"))
    await it.answer(GONE)
    await it.settle()
    assert (it.notified, len(it.of(Expire))) == ([], 1)
    assert [fact.notification for fact in it.of(DeliveryFailed)] == ["a", "b", "c"]
    assert it.kept.committed["notifications"] == 3


async def test_managers_who_name_one_webhook_do_not_wait_for_each_other() -> None:
    it = await office()
    await it.notify(*(notification(f"b{n}", url=f"{PAGE}{n}", manager="b") for n in range(6)))
    await it.notify(notification("a", url=f"{PAGE}0", manager="a"))
    assert it.notified == ["b0", "b1", "b2", "b3", "a"]
    for _ in range(4):
        await it.answer(WebhookResponse(401, "answered 401"))
    await it.answer(TAKEN)
    await it.notify(notification("again", url=f"{PAGE}0", manager="a"))
    assert "again" in it.notified, "what failed is held for the manager that it is for"
    assert it.known(FAILING) == [f"{CLIENT}\0b"]


async def test_notifications_of_a_manager_that_fail_for_days_end_nothing_of_another() -> None:
    it = await office()
    await it.notify(notification("waits", manager="a"))
    await fail_for_days(it, manager="b")
    assert [(gone.manager, gone.client_url) for gone in it.of(ClientGone)] == [("b", CLIENT)]
    await it.answer(TAKEN)
    assert [fact.notification for fact in it.of(Delivered)] == ["waits"]
    await it.crash()
    await it.notify(notification("next", manager="a"))
    await it.answer(REFUSED)
    assert it.rows(OUTBOX) == ["next"], "it is retried on schedule"
    assert {fact.manager for fact in it.of(DeliveryFailed)} == {"b"}


async def test_a_gone_receiver_gets_one_attempt_of_what_comes_later() -> None:
    it = await office()
    await fail_for_days(it)
    await it.crash()
    await it.notify(notification("b"))
    await it.answer(REFUSED)
    last = it.kept.facts[-2:]
    assert last == [
        DeliveryFailed("b", "of b", "m", CLIENT, 1, "answered 500", it.now, 500),
        Expire(
            PAGE,
            "of b",
            "its receiver has only failed for 5 days: answered 500",
            "m",
            Receiver(CLIENT),
        ),
    ]
    assert len(it.of(ClientGone)) == 1


async def test_a_410_ends_the_subscription_for_several_pages_that_it_answers() -> None:
    it = await office()
    await it.notify(replace(notification("a"), pages="pages:*"))
    await it.answer(GONE)
    await it.settle()
    reason, receiver = "its receiver answered 410 Gone", Receiver(CLIENT)
    assert it.of(Expire) == [Expire("pages:*", "of a", reason, "m", receiver)]


async def test_a_gone_receiver_that_accepts_one_is_back() -> None:
    it = await office()
    await fail_for_days(it)
    await it.notify(notification("b"))
    await it.answer(TAKEN)
    assert it.known(FAILING) == []
    await it.notify(notification("c"))
    await it.answer(REFUSED)
    assert it.rows(OUTBOX) == ["c"]


async def test_a_receiver_that_only_fails_for_five_days_is_gone_when_the_next_one_decides() -> None:
    it = await office(0)
    for day in range(6):
        assert it.of(ClientGone) == [], f"{day} days are not enough"
        await it.crash()
        await it.notify(notification(f"day {day}"))
        await it.answer(WebhookResponse(None, "timed out"))
        it.now += DAY * 1000
    (gone,) = it.of(ClientGone)
    assert gone.reason == "its receiver has only failed for 5 days: timed out"
    assert [expire.subscription for expire in it.of(Expire)] == ["of day 5"]


async def test_a_receiver_that_was_down_before_the_deployment_was_off_for_a_week_is_not_gone() -> (
    None
):
    it = await office()
    await it.notify(notification("a"))
    await it.answer(REFUSED)
    it.now += 7 * DAY * 1000
    await it.crash()
    await it.pass_time(1)
    await it.answer(WebhookResponse(None, "no network yet"))
    assert it.of(ClientGone) == []
    await it.pass_time(300 * ALMOST)
    await it.answer(TAKEN)
    assert it.known(FAILING) == []


async def test_nothing_is_due_in_a_partition_that_was_released_during_a_tick() -> None:
    it = await office()
    await it.notify(notification("n"))
    await it.answer(REFUSED)
    it.now += DAY * 1000
    due = it.agent.tick(0, it.now)
    it.agent.released()
    assert list(due) == []


async def test_a_session_is_not_posted_to() -> None:
    it = await office()
    await it.notify(notification("n", client=None))
    assert (it.posts, it.kept.facts, it.kept.committed["notifications"]) == ([], [], 1)


async def test_redelivery_repeats_what_was_delivered_and_makes_due_what_waits() -> None:
    it = await office()
    await it.notify(notification("a"))
    await it.answer(TAKEN)
    await it.notify(notification("b"))
    await it.answer(REFUSED)
    it.produce(*(Redeliver(notification(name)) for name in "ba"), topic=ATTEMPTS)
    await it.settle()
    assert it.notified == []
    await it.pass_time(0)
    assert it.notified == ["b"]
    await it.answer(TAKEN)
    await it.settle()
    assert it.notified == ["a"], "in the order of the line, although it was delivered once"
    await it.answer(REFUSED)
    await it.crash()
    await it.pass_time(5 * ALMOST)
    await it.answer(TAKEN)
    assert [fact.notification for fact in it.of(Delivered)] == ["a", "b", "a"]
    assert it.rows(OUTBOX) == []


@pytest.mark.parametrize("state", ["unknown", "delivered", "waiting"])
@pytest.mark.parametrize("forged", [
    {"receiver": Receiver("http://thief.test/")}, {"manager": "thief"}, {"subscription": "another"},
])  # fmt: skip
async def test_a_redelivery_to_whom_it_was_not_for_is_refused(
    state: str, forged: dict[str, Any]
) -> None:
    it = await office()
    if state != "unknown":
        await it.notify(notification("a"))
        await it.answer(TAKEN if state == "delivered" else REFUSED)
    posts = len(it.posts)
    command = Redeliver(replace(notification("a"), **forged))
    with pytest.raises(MisdirectedError, match="has not been sent to"):
        await it.agent.handle(event(command, topic=ATTEMPTS), it._lookup)
    assert len(it.posts) == posts


async def test_a_redelivery_that_comes_twice_repeats_once_what_ended() -> None:
    it = await office()
    await it.notify(notification("a"))
    await it.answer(TAKEN)
    command = Redeliver(notification("a"), seen=it.now)
    it.now += 1
    it.produce(command, command, topic=ATTEMPTS)
    await it.settle()
    assert it.notified == ["a"]
    await it.answer(TAKEN)
    it.produce(command, topic=ATTEMPTS)
    await it.settle()
    assert (it.notified, len(it.posts)) == ([], 2)
    it.produce(replace(command, seen=it.now), topic=ATTEMPTS)
    await it.settle()
    assert it.notified == ["a"], "what became of the redelivery may be repeated, too"


async def test_a_redelivery_for_a_session_does_nothing() -> None:
    it = await office()
    it.produce(Redeliver(notification("n", client=None)), topic=ATTEMPTS)
    await it.settle()
    assert (it.posts, it.kept.facts, it.kept.committed[ATTEMPTS]) == ([], [], 1)


async def test_one_that_was_made_due_and_failed_waits_as_long_as_any_other() -> None:
    it = await office(0, 10, 100)
    await it.notify(notification("n"))
    await it.answer(REFUSED)
    it.produce(Redeliver(notification("n")), topic=ATTEMPTS)
    await it.settle()
    await it.pass_time(0)
    await it.answer(REFUSED)
    await it.pass_time(10 * ALMOST)
    assert it.notified == []
    await it.pass_time(100 * ALMOST)
    assert it.notified == ["n"]


async def test_trouble_of_this_machine_is_not_the_receivers() -> None:
    it = await office(0)
    await it.notify(notification("n"))
    await it.answer(OSError(24, "too many open files"))
    assert (it.kept.facts, it.known(FAILING)) == ([], [])
    await it.pass_time(10)
    await it.answer(TAKEN)
    assert it.kept.facts == [Delivered("n", "of n", "m", CLIENT, 1, 204, it.now)]


async def test_what_cannot_be_sent_is_given_up_and_holds_up_nothing() -> None:
    it = await office()
    await it.notify(notification("a"), notification("b"))
    await it.answer(ValueError("no such URL"))
    await it.settle()
    (failed,) = it.kept.facts
    assert failed.notification == "a"
    assert "no such URL" in failed.reason
    assert it.notified == ["b"]


async def test_a_notification_that_no_agent_of_ours_wrote_is_a_dead_letter() -> None:
    it = await office()
    huge = event(notification("n"), topic="notifications", value=bytes(MAX_NOTIFICATION + 1))
    with pytest.raises(OversizedRecordError):
        await it.agent.handle(huge, no_rows)


async def test_after_a_crash_the_earlier_of_a_queue_is_sent_before_the_one_that_has_a_row() -> None:
    it = await office()
    await it.notify(notification("a"), notification("b"))
    assert it.rows(OUTBOX) == ["b"]
    await it.crash()
    await it.tick(1)
    assert it.unread(ATTEMPTS) == 0, "what was before it has not been read again yet"
    it.produce(Attempt("b", 0), topic=ATTEMPTS)
    await it.read(ATTEMPTS)
    assert it.notified == []
    await it.settle()
    await it.pass_time(1)
    assert it.notified == ["a"]
    await it.answer(TAKEN)
    await it.pass_time(1)
    assert it.notified == ["b"]


async def test_after_a_crash_what_waited_for_a_slot_is_sent_once_it_has_been_read_again() -> None:
    it = await office()
    await it.notify(*(notification(name, url=f"{PAGE}{name}") for name in "abcde"))
    assert it.rows(OUTBOX) == ["e"]
    await it.crash()
    await it.tick(1)
    await it.settle()
    await it.answer(TAKEN)
    await it.pass_time(1)
    assert it.notified == ["b", "c", "d", "e"]


async def test_a_crash_between_the_rows_of_a_delivery_notifies_nobody_twice() -> None:
    it = await office()
    await it.notify(notification("a"))
    await it.answer(REFUSED)
    await it.pass_time(5 * ALMOST)
    it.cut = len(["Delivered", "its row"])
    await it.answer(TAKEN)
    assert (it.rows(DELIVERED), it.rows(OUTBOX)) == (["a"], ["a"])
    await it.crash()
    await it.pass_time(5)
    assert (it.notified, it.rows(OUTBOX)) == ([], [])


async def test_what_was_commanded_for_a_subscription_that_ends_uses_no_slot() -> None:
    it = await office()
    a, b = (
        replace(notification(name, url=f"http://{name}.test/"), subscription="ended")
        for name in "ab"
    )
    await it.notify(a)
    await it.answer(REFUSED)
    await it.tick(5 * ALMOST)
    it.produce(b)
    await it.read("notifications")
    await it.answer(GONE)
    await it.settle()
    assert it.notified == []
    await it.notify(*(notification(f"{n}", url=f"http://{n}.test/") for n in "acdef"))
    assert it.notified == ["c", "d", "e", "f"], "a was given up, four are at work"
    await it.answer(TAKEN)
    await it.notify(notification("g", url="http://a.test/"))
    assert it.notified == ["d", "e", "f", "g"], "its line is free"


async def test_a_notification_is_sent_as_it_was_queued() -> None:
    it = await office()
    notified = replace(notification("n"), truncated=True)
    await it.notify(notified)
    await it.answer(REFUSED)
    await it.crash()
    await it.pass_time(5 * ALMOST)
    assert it.pending[0].notified == notified


@pytest.mark.slow  # two seconds of a core
async def test_a_long_queue_drains_as_fast_as_its_client_answers() -> None:
    it = await office()
    count = 3000
    names = [f"{n:05}" for n in range(count)]
    await it.notify(*(notification(name) for name in names))
    for _ in range(count):
        await it.answer(TAKEN)
        await it.read(ATTEMPTS)
    assert [name for _, name in it.posts] == names


async def test_what_waits_when_the_topic_begins_again_is_sent_and_before_what_is_on_it() -> None:
    office = await Office().begin()
    await office.notify(*(notification(f"old {n}") for n in range(5)))
    await office.answer(REFUSED)
    office.kept.topics[NOTIFICATIONS].clear()
    office.kept.committed[NOTIFICATIONS] = 0
    with capture_logs() as logs:
        await office.crash()
    await office.notify(notification("new"))
    for name in (*(f"old {n}" for n in range(5)), "new"):
        await office.pass_time(400)
        assert office.notified == [name]
        await office.answer(TAKEN)
    (said,) = [line for line in logs if line["log_level"] == "warning"]
    assert said["notifications"] == 5
