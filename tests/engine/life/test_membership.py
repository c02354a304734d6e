"""A worker that its group no longer hears pauses, and goes on only as a member."""

import asyncio

from streams.engine.faust import heartbeats
from streams.engine.faust.settings import SESSION_TIMEOUT_S
from streams.engine.life.membership import WORK_LIMIT_S, WRITE_LIMIT_S, Membership


class Clock:
    def __init__(self) -> None:
        self.now = 100.0
        self.membership = Membership(lambda: self.now)


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


def test_a_late_heartbeat_pauses_nothing_and_the_last_write_arrives_within_the_session() -> None:
    assert 2 * heartbeats.INTERVAL_S <= WORK_LIMIT_S < WRITE_LIMIT_S
    assert WRITE_LIMIT_S + 2 <= SESSION_TIMEOUT_S
