"""A worker that its group no longer hears pauses, and goes on only as a member."""

import asyncio

import pytest

from streams.engine.faust import heartbeats
from streams.engine.life.loop_watch import BEAT_S
from streams.engine.life.membership import ALONE, SHARED, Membership, SessionTimes

WORK_LIMIT_S, WRITE_LIMIT_S = SHARED.work_limit_s, SHARED.write_limit_s


class Clock:
    def __init__(self) -> None:
        self.now = 100.0
        self.membership = Membership(lambda: self.now, SHARED)


async def waits(work: asyncio.Task[None]) -> bool:
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    return not work.done()


async def test_a_member_that_is_heard_works_and_writes() -> None:
    clock = Clock()
    clock.membership.begin(clock.now)
    clock.now += WORK_LIMIT_S
    await clock.membership.may_work()
    await clock.membership.may_write()


async def test_without_answers_work_pauses_first_and_writing_later() -> None:
    clock = Clock()
    clock.membership.begin(clock.now)
    clock.now += WRITE_LIMIT_S
    await clock.membership.may_write()
    work = asyncio.create_task(clock.membership.may_work())
    assert await waits(work)
    clock.now += 1
    write = asyncio.create_task(clock.membership.may_write())
    assert await waits(write)
    clock.membership.heard(clock.now)
    await asyncio.gather(work, write)


async def test_an_old_answer_lets_nobody_go_on() -> None:
    clock = Clock()
    clock.membership.begin(clock.now)
    clock.now += WORK_LIMIT_S + 1
    work = asyncio.create_task(clock.membership.may_work())
    assert await waits(work)
    clock.membership.heard(clock.now - WORK_LIMIT_S - 0.5)
    assert await waits(work)
    clock.membership.heard(clock.now)
    await work


async def test_nothing_waits_before_an_assignment_and_after_it() -> None:
    clock = Clock()
    clock.membership.heard(clock.now)
    clock.now += 1000
    await clock.membership.may_write()
    clock.membership.begin(clock.now)
    clock.now += 1000
    work = asyncio.create_task(clock.membership.may_work())
    assert await waits(work)
    clock.membership.end()
    await work


@pytest.mark.parametrize("session", [SHARED, ALONE], ids=["shared", "alone"])
def test_a_late_heartbeat_pauses_nothing_and_the_last_write_arrives_within_the_session(
    session: SessionTimes,
) -> None:
    assert 2 * heartbeats.INTERVAL_S <= session.work_limit_s < session.write_limit_s
    assert session.write_limit_s + 2 <= session.timeout_s


@pytest.mark.parametrize("session", [SHARED, ALONE], ids=["shared", "alone"])
def test_a_loop_that_stood_still_within_the_limit_may_write_by_its_last_heartbeat(
    session: SessionTimes,
) -> None:
    assert heartbeats.INTERVAL_S + session.loop_limit_s <= session.write_limit_s


@pytest.mark.parametrize("session", [SHARED, ALONE], ids=["shared", "alone"])
def test_a_loop_watch_beats_often_enough_not_to_mistake_itself_for_frozen(
    session: SessionTimes,
) -> None:
    assert session.loop_limit_s >= 4 * BEAT_S
