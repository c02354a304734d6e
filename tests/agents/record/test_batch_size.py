"""A slow store gets fewer events at a time, unless it takes as long for them."""

from collections.abc import Callable

import pytest

from streams.agents.record import SLOW_S, BatchSize

MOST = 500


def sizes(took_s: Callable[[int], float], writes: int, begin: int = MOST) -> list[int]:
    """Return the sizes of some writes, which take so long by their size."""
    size, found = BatchSize(MOST), []
    size.now = begin
    for _ in range(writes):
        found.append(size.now)
        size.wrote(size.now, took_s(size.now))
    return found


def test_events_that_take_a_while_each_come_in_writes_that_are_not_slow() -> None:
    found = sizes(lambda count: count * 0.1, 8)
    assert found == [500, 250, 125, 62, 80, 80, 80, 80]


@pytest.mark.parametrize("begin", [1, 60, MOST])
@pytest.mark.parametrize("took_s", [5, SLOW_S + 1])
def test_a_store_that_takes_as_long_for_few_events_gets_many(begin: int, took_s: float) -> None:
    found = sizes(lambda _: took_s, 40, begin)
    assert sum(found[20:]) > 20 * MOST / 2


def test_events_that_are_slow_alone_do_not_come_in_ever_larger_writes() -> None:
    assert max(sizes(lambda count: count * (SLOW_S + 5), 40)[20:]) <= 4


def test_a_failed_write_is_followed_by_a_smaller_one() -> None:
    size = BatchSize(MOST)
    for count in (MOST, MOST // 2):  # as long for half as many: the next one grows
        size.wrote(count, SLOW_S + 1)
    assert size.now == MOST
    size.failed(MOST, SLOW_S + 1)
    assert size.now == MOST // 2
    size.failed(MOST // 2, 1)
    assert size.now == MOST // 2
