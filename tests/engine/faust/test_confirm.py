"""Before work begins it is sure that the assignment holds still."""

import asyncio
from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import pytest
from aiokafka.errors import IllegalStateError

from streams.engine.acks.topic_ids import TopicIds
from streams.engine.faust.recovery import PatchedRecovery
from streams.engine.life.loop_watch import LoopWatch
from streams.engine.life.membership import SHARED


async def no_ids(_: object) -> dict[str, str]:
    return {}


async def same_partitions() -> None:
    """Find as many partitions as before."""


class Recovering(PatchedRecovery):
    """A recovery that has come to its end; ``is_over`` when another one has begun."""

    def __init__(self, answers: Sequence[bool], loop_watch: LoopWatch) -> None:
        """``answers`` are the broker's; after the last of them another recovery begins."""
        self.answers = list(answers)
        self.asked = 0
        conf = SimpleNamespace(broker_request_timeout=60)
        self.app: Any = SimpleNamespace(consumer=self, conf=conf)
        acks = SimpleNamespace(topic_ids=TopicIds((), no_ids))
        self._parts: Any = SimpleNamespace(loop_watch=loop_watch, acks=acks, check=same_partitions)

    async def is_member(self) -> bool:
        self.asked += 1
        return self.answers.pop(0)

    def _is_stale(self, generation_id: int) -> bool:
        return not self.answers

    async def perform_seek(self) -> None:
        raise IllegalStateError("No current assignment for partition")

    async def confirm(self) -> None:
        await self._confirm(1)

    async def seek(self) -> None:
        await self._seek(set())


@pytest.fixture(autouse=True)
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("streams.engine.faust.recovery.CONFIRM_PAUSE_S", 0)


async def test_a_member_may_begin_at_once() -> None:
    recovery = Recovering([True, True], LoopWatch(SHARED))
    await recovery.confirm()
    assert recovery.asked == 1


async def test_who_was_put_out_of_the_group_does_not_begin_until_it_is_in_again() -> None:
    recovery = Recovering([False, False, True, True], LoopWatch(SHARED))
    await recovery.confirm()
    assert recovery.asked == 3


async def test_a_new_assignment_ends_the_asking() -> None:
    recovery = Recovering([False, False], LoopWatch(SHARED))
    await recovery.confirm()
    assert recovery.asked == 2


async def test_who_stands_still_after_the_answer_and_its_first_event_ends() -> None:
    now, ended = [0.0], list[str]()
    loop_watch = LoopWatch(SHARED, lambda: now[0], ended.append)
    now[0] = 100
    await Recovering([True, True], loop_watch).confirm()
    loop_watch.check()
    await loop_watch.membership.may_work()
    loop_watch.check()
    assert ended == []
    now[0] += SHARED.loop_limit_s + 1
    loop_watch.check()
    assert len(ended) == 1


async def test_who_stands_still_before_its_first_event_begins_it_once_the_group_has_answered() -> (
    None
):
    now, ended = [0.0], list[str]()
    loop_watch = LoopWatch(SHARED, lambda: now[0], ended.append)
    await Recovering([True, True], loop_watch).confirm()
    now[0] += SHARED.loop_limit_s + 1
    loop_watch.check()
    first = asyncio.create_task(loop_watch.membership.may_work())
    await asyncio.sleep(0)
    loop_watch.check()
    assert not first.done()
    loop_watch.membership.heard(now[0])
    await first
    assert ended == []


async def test_from_the_answer_on_the_group_must_go_on_hearing_it() -> None:
    now = [0.0]
    loop_watch = LoopWatch(SHARED, lambda: now[0])
    await Recovering([True, True], loop_watch).confirm()
    now[0] += SHARED.work_limit_s + 1
    work = asyncio.create_task(loop_watch.membership.may_work())
    await asyncio.sleep(0)
    assert not work.done()
    loop_watch.membership.heard(now[0])
    await work


async def test_a_newer_assignment_during_the_seek_is_begun_with_and_ends_no_process(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    ended = list[object]()
    monkeypatch.setattr(
        "streams.engine.life.loop_watch.end_process", lambda *why: ended.extend(why)
    )
    with pytest.raises(IllegalStateError):
        await Recovering([True], LoopWatch(SHARED)).seek()
    assert ended == []


async def test_an_agent_that_stops_during_a_recovery_opens_nothing_any_more() -> None:
    opened: list[object] = []
    recovery = Recovering([True, True], LoopWatch(SHARED))
    recovery.app.should_stop = True
    recovery._parts.acks.open = opened.append
    await recovery._open(set())
    assert opened == []
