"""A process that stood still ends before it writes anything more."""

import asyncio
import time
from errno import ENOSPC
from unittest.mock import Mock

import pytest

from streams.engine.life.loop_watch import (
    BEAT_S,
    BROKEN,
    LIMIT_S,
    LoopWatch,
    end_process,
    ending_on_error,
    until_beat,
)


class Clock:
    def __init__(self) -> None:
        self.now = 100.0
        self.ended: list[str] = []
        self.loop_watch = LoopWatch(lambda: self.now, self.ended.append)
        self.loop_watch.start()


def test_a_loop_that_comes_round_in_time_goes_on() -> None:
    clock = Clock()
    clock.now += LIMIT_S
    clock.loop_watch.check()
    assert clock.ended == []


def test_a_loop_that_stood_still_ends_the_process_and_says_how_long() -> None:
    clock = Clock()
    clock.now += LIMIT_S + 1
    clock.loop_watch.check()
    assert clock.ended == ["the event loop stood still for 5.0 s"]


def test_what_passed_before_the_start_is_forgotten() -> None:
    clock = Clock()
    clock.now += 1000
    clock.loop_watch.start()
    clock.loop_watch.check()
    assert clock.ended == []


async def test_a_process_that_owns_nothing_yet_may_stand_still() -> None:
    clock = Clock()
    loop_watch = LoopWatch(lambda: clock.now, clock.ended.append)
    running = asyncio.create_task(loop_watch.run())
    await asyncio.sleep(0)
    clock.now += 1000
    loop_watch.check()
    running.cancel()
    assert clock.ended == []


async def test_it_beats_while_it_runs_and_notices_its_own_standstill() -> None:
    clock = Clock()
    clock.now += LIMIT_S
    running = asyncio.create_task(clock.loop_watch.run())
    await asyncio.sleep(0)
    clock.now += LIMIT_S
    clock.loop_watch.check()
    assert clock.ended == []
    running.cancel()
    clock.now += 1
    again = asyncio.create_task(clock.loop_watch.run())
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
    loop_watch = LoopWatch(end=ended.append)
    loop_watch.start()
    clocks[time.CLOCK_BOOTTIME] += 60
    loop_watch.check()
    assert ended == ["the event loop stood still for 60.0 s"]


def test_the_pulse_beats_often_enough_not_to_mistake_itself_for_frozen() -> None:
    assert 4 * BEAT_S <= LIMIT_S


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
