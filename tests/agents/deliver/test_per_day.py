"""A subscription that wants so many notifications a day gets the rest of them in one."""

from collections.abc import Sequence
from dataclasses import replace

import pytest

from schemas.records.deliveries import Delivered, DeliveryHeld, Redeliver
from schemas.records.delivery_times import DeliveryTimes
from schemas.records.notifications import Notification
from streams.agents.deliver.outbox.recipients import DAY
from streams.agents.deliver.outbox_rows import OUTBOX
from tests.agents.match.test_hours import CHANNEL, FRIDAY_NOON, HOUR, MONDAY, ms
from tests.fakes.outgoing import ATTEMPTS, CLIENT, REFUSED, TAKEN, Office, notification

TWO = DeliveryTimes(timezone="Europe/Berlin", max_per_day=2)
MIDNIGHT = ms("2026-03-28T00:00+01:00")
REASON = "2 were sent on that day, as many as it wants"


def news(name: str, client: str = CLIENT, times: DeliveryTimes = TWO) -> Notification:
    return replace(notification(name, client), subscription="one", times=times)


async def office(schedule: Sequence[float] = (0, 60)) -> Office:
    return await Office(schedule, FRIDAY_NOON).begin()


async def sent(it: Office, *names: str, client: str = CLIENT, times: DeliveryTimes = TWO) -> None:
    """Notify of each, and accept what is sent at once."""
    for name in names:
        await it.notify(news(name, client, times))
        if it.pending:
            assert it.notified == [name]
            await it.answer(TAKEN)


@pytest.mark.parametrize("client", [CLIENT, CHANNEL])
async def test_what_comes_after_the_first_is_sent_together_at_the_end_of_the_day(
    client: str,
) -> None:
    it = await office()
    await sent(it, "a", "b", "c", client=client)
    await it.crash()
    await sent(it, "d", client=client)
    assert [fact.notification for fact in it.of(Delivered)] == ["a", "b"]
    held = [(fact.notification, fact.until, fact.reason) for fact in it.of(DeliveryHeld)]
    assert held == [("c", MIDNIGHT, REASON), ("d", MIDNIGHT, REASON)]
    await it.crash()
    await it.pass_time((MIDNIGHT - it.now) / 1000)
    assert it.digest() == ("c", "d")
    held_since = it.pending[0].notified.held
    assert held_since is not None
    assert (held_since.since, held_since.reason) == (FRIDAY_NOON, REASON)
    await it.answer(TAKEN)
    await sent(it, "e", "f", "g", client=client)
    assert [fact.notification for fact in it.of(Delivered)] == ["a", "b", "c", "d", "e", "f"]
    assert it.rows(OUTBOX) == ["g"]


async def test_a_crash_after_the_count_sends_the_one_that_was_counted() -> None:
    it = await office()
    await sent(it, "a")
    await it.notify(news("b"))
    it.cut = 2  # the fact that it is delivered, and the count
    await it.answer(TAKEN)
    assert it.known(DAY) == ["one"]
    await it.crash()
    await it.settle()
    assert it.notified == ["b"]
    await it.answer(TAKEN)
    await sent(it, "c")
    assert [fact.notification for fact in it.of(DeliveryHeld)] == ["c"]


async def test_a_retry_and_what_is_asked_for_again_count_nothing() -> None:
    it = await office()
    await it.notify(news("a"))
    await it.answer(REFUSED)
    await it.pass_time(90)
    await it.answer(TAKEN)
    it.produce(Redeliver(news("a")), topic=ATTEMPTS)
    await it.settle()
    await it.answer(TAKEN)
    await it.notify(replace(news("test"), test=True))
    await it.answer(TAKEN)
    await sent(it, "b", "c")
    assert [fact.notification for fact in it.of(DeliveryHeld)] == ["c"]


def of_pages(name: str) -> Notification:
    """Return one of a subscription for several pages: they are sent at the same time."""
    page = f"http://{name}.test/"
    return replace(news(name, times=replace(TWO, max_per_day=4)), url=page, pages="pages:*")


async def test_what_several_pages_send_at_the_same_time_is_counted_in_any_order() -> None:
    it = await office()
    await it.notify(*map(of_pages, "abcd"))
    for which in (3, 2, 1, 0):
        await it.answer(TAKEN, which)
    await it.crash()
    await it.notify(of_pages("e"))
    assert [fact.notification for fact in it.of(DeliveryHeld)] == ["e"]


async def test_a_crash_while_several_are_sent_sends_each_that_was_counted() -> None:
    it = await office()
    await it.notify(*map(of_pages, "abcd"))
    await it.answer(TAKEN, 3)
    await it.crash()
    await it.settle()
    assert it.notified == ["a", "b", "c"]
    for _ in "abc":
        await it.answer(TAKEN)
    await it.notify(of_pages("e"))
    assert [fact.notification for fact in it.of(DeliveryHeld)] == ["e"]


async def test_a_count_that_was_forgotten_while_one_was_sent_leaves_no_row() -> None:
    it = await office()
    await it.notify(news("a"))
    it.now = MIDNIGHT
    await it.notify(replace(notification("other"), subscription="other", url="http://o.test/"))
    await it.answer(TAKEN, 1)
    await it.answer(TAKEN)
    assert it.known(DAY) == []


async def test_what_is_over_the_limit_waits_for_the_hours_of_the_next_day() -> None:
    it = await office()
    both = DeliveryTimes("Mon-Fri 08:00-18:00", "Europe/Berlin", 1)
    await sent(it, "a", "b", times=both)
    await it.pass_time(10 * HOUR)
    await sent(it, "at night", times=both)
    assert [fact.until for fact in it.of(DeliveryHeld)] == [MONDAY, MONDAY]
    await it.pass_time((MONDAY - it.now) / 1000)
    assert it.digest() == ("b", "at night")
    await it.answer(TAKEN)
    await sent(it, "c")
    assert [fact.notification for fact in it.of(Delivered)][-1] == "c"


async def test_the_count_of_a_day_is_forgotten_after_it() -> None:
    it = await office()
    await sent(it, "a")
    assert it.known(DAY) == ["one"]
    it.now = MIDNIGHT
    await it.notify(replace(notification("other"), subscription="other"))
    await it.answer(TAKEN)
    assert it.known(DAY) == []


async def test_a_time_zone_that_there_is_not_holds_up_nobody() -> None:
    it = await office()
    await sent(it, "a", "b", "c", times=DeliveryTimes(timezone="Mars", max_per_day=1))
    assert len(it.of(Delivered)) == 3
