"""A process that stood still ends before it writes anything more."""

import asyncio
import time
from collections import Counter
from errno import ENOSPC
from unittest.mock import Mock

import pytest

from streams.engine.life.loop_watch import (
    BROKEN,
    LoopWatch,
    beat_of,
    end_process,
    ending_on_error,
    until_beat,
)
from streams.engine.life.membership import ALONE, SHARED, SessionTimes

LIMIT_S = SHARED.loop_limit_s


class Clock:
    """A worker with an event in hand."""

    def __init__(self, session: SessionTimes = SHARED) -> None:
        self.now = 100.0
        self.ended: list[str] = []
        self.loop_watch = LoopWatch(session, lambda: self.now, self.ended.append)
        self.loop_watch.membership.begin_work()


def test_a_loop_that_comes_round_in_time_goes_on() -> None:
    clock = Clock()
    clock.now += LIMIT_S
    clock.loop_watch.check()
    assert clock.ended == []


def test_a_loop_that_stood_still_ends_the_process_and_says_how_long() -> None:
    clock = Clock()
    clock.now += LIMIT_S + 1
    clock.loop_watch.check()
    assert clock.ended == ["the event loop stood still for 7.0 s"]


def test_who_is_alone_in_its_group_may_stand_still_for_longer() -> None:
    clock = Clock(ALONE)
    clock.now += LIMIT_S + 1
    clock.loop_watch.check()
    assert clock.ended == []
    clock.now = 100 + ALONE.loop_limit_s + 1
    clock.loop_watch.check()
    assert clock.ended == ["the event loop stood still for 13.0 s"]


def test_what_passed_before_the_first_event_is_forgotten() -> None:
    clock = Clock()
    clock.loop_watch.membership.end()
    clock.now += 1000
    clock.loop_watch.membership.begin(clock.now)
    clock.loop_watch.membership.begin_work()
    clock.loop_watch.check()
    assert clock.ended == []


async def test_a_process_that_has_nothing_in_hand_yet_may_stand_still() -> None:
    clock = Clock()
    clock.loop_watch.membership.end()
    clock.loop_watch.membership.begin(clock.now)
    running = asyncio.create_task(clock.loop_watch.run(0.0))
    await asyncio.sleep(0)
    clock.now += 1000
    clock.loop_watch.check()
    running.cancel()
    assert clock.ended == []


async def test_it_beats_while_it_runs_and_notices_its_own_standstill() -> None:
    clock = Clock()
    clock.now += LIMIT_S
    running = asyncio.create_task(clock.loop_watch.run(0.0))
    await asyncio.sleep(0)
    clock.now += LIMIT_S
    clock.loop_watch.check()
    assert clock.ended == []
    running.cancel()
    clock.now += 1
    again = asyncio.create_task(clock.loop_watch.run(0.0))
    await asyncio.sleep(0)
    again.cancel()
    assert len(clock.ended) == 1


@pytest.mark.parametrize(
    ("now", "after", "wait"),
    [(10.25, 0.0, 0.75), (10.25, 0.5, 0.25), (10.0, 0.0, 1.0), (10.99, 0.0, 1.01)],
    ids=["whole", "half", "now", "early"],
)
def test_all_that_waits_for_a_beat_wakes_up_at_once(
    monkeypatch: pytest.MonkeyPatch, now: float, after: float, wait: float
) -> None:
    monkeypatch.setattr("streams.engine.life.loop_watch.time.time", lambda: now)
    assert until_beat(1.0, after) == pytest.approx(wait)


@pytest.mark.skipif(not hasattr(time, "CLOCK_BOOTTIME"), reason="needs Linux's clocks")
def test_time_for_which_the_machine_slept_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    clocks, ended = {time.CLOCK_BOOTTIME: 7.0, time.CLOCK_MONOTONIC: 7.0}, list[str]()
    monkeypatch.setattr("streams.engine.life.loop_watch.clock_gettime", clocks.__getitem__)
    loop_watch = LoopWatch(SHARED, end=ended.append)
    loop_watch.membership.begin_work()
    clocks[time.CLOCK_BOOTTIME] += 60
    loop_watch.check()
    assert ended == ["the event loop stood still for 60.0 s"]


def test_workers_of_many_machines_beat_at_different_moments_away_from_whole_seconds() -> None:
    beats = [beat_of(f"fetch-host-{number}") for number in range(1000)]
    assert beats == [beat_of(f"fetch-host-{number}") for number in range(1000)]
    tenths = Counter(int(beat * 10) for beat in beats)
    assert set(tenths) == {2, 3, 4, 5, 6, 7, 12, 13, 14, 15, 16, 17}
    assert max(tenths.values()) < 1.5 * len(beats) / 10
    assert all(0.25 <= beat % 1 < 0.75 for beat in beats)


def test_an_error_in_what_must_go_on_ends_the_process(monkeypatch: pytest.MonkeyPatch) -> None:
    ended = list[object]()
    monkeypatch.setattr(
        "streams.engine.life.loop_watch.end_process", lambda *why: ended.extend(why)
    )
    error = ValueError("why")
    with ending_on_error("the timer stopped"):
        raise error
    assert ended == ["the timer stopped", error]


def test_being_cancelled_is_no_error(monkeypatch: pytest.MonkeyPatch) -> None:
    ended = list[object]()
    monkeypatch.setattr(
        "streams.engine.life.loop_watch.end_process", lambda *why: ended.extend(why)
    )
    with pytest.raises(asyncio.CancelledError), ending_on_error("the timer stopped"):
        raise asyncio.CancelledError
    assert ended == []


def test_the_process_ends_also_where_its_log_has_no_room(monkeypatch: pytest.MonkeyPatch) -> None:
    left = Mock(side_effect=SystemExit)
    monkeypatch.setattr("streams.engine.life.loop_watch.os._exit", left)
    full = Mock(side_effect=OSError(ENOSPC, "no space left on device"))
    monkeypatch.setattr("streams.engine.life.loop_watch.log.critical", full)
    monkeypatch.setattr("sys.stderr", Mock(flush=full))
    with pytest.raises(SystemExit):
        end_process("the disk is full")
    left.assert_called_once_with(BROKEN)
