"""Offsets are committed in order, whatever order their events finish in."""

from hypothesis import given
from hypothesis import strategies as st

from streams.engine.acks.ledger import Ledger


def test_nothing_is_committed_before_anything_is_done() -> None:
    assert Ledger().position is None
    ledger = Ledger(5)
    assert ledger.take(5)
    assert ledger.position == 5


def test_the_position_waits_for_the_oldest_offset() -> None:
    ledger = Ledger(0)
    for offset in range(3):
        ledger.take(offset)
    positions = []
    for offset in (2, 0, 1):
        ledger.done(offset)
        positions.append(ledger.position)
    assert positions == [0, 1, 3]


def test_an_offset_is_taken_once() -> None:
    ledger = Ledger(3)
    assert [ledger.take(offset) for offset in (2, 3, 3, 5, 4)] == [False, True, False, True, False]


def test_a_gap_is_seen_before_it_is_passed() -> None:
    ledger = Ledger(3)
    assert (ledger.is_beyond(3), ledger.is_beyond(4)) == (False, True)
    assert not Ledger().is_beyond(7)
    assert Ledger().take(7)


GAPS = st.lists(st.integers(1, 3), min_size=1, max_size=30)


@given(GAPS, st.none() | st.just(0), st.data())
def test_the_position_never_passes_an_unfinished_offset(
    gaps: list[int], start: int | None, data: st.DataObject
) -> None:
    offsets = [sum(gaps[: end + 1]) for end in range(len(gaps))]
    ledger = Ledger(start)
    waiting, taken, last = list(offsets), list[int](), start
    while waiting or taken:
        if waiting and (not taken or data.draw(st.booleans())):
            taken.append(waiting.pop(0))
            assert ledger.take(taken[-1])
        else:
            ledger.done(taken.pop(data.draw(st.integers(0, len(taken) - 1))))
        position = ledger.position
        assert position is None or position <= min([*taken, *waiting], default=offsets[-1] + 1)
        assert last is None or (position is not None and position >= last)
        last = position
    assert ledger.position == offsets[-1] + 1
