"""Leases end once, at their time, and hold few entries however often they are renewed."""

from hypothesis import given
from hypothesis import strategies as st

from streams.values.ranked_keys import FEW, RankedKeys

Leases = RankedKeys[bytes]


def put(leases: Leases, key: bytes, end: int | None) -> None:
    if end is None:
        leases.drop(key)
    else:
        leases.put(key, (end,))


def test_a_lease_ends_at_its_time_and_not_before() -> None:
    leases = Leases()
    put(leases, b"a", 10)
    assert (leases.first((9,)), leases.first((10,))) == (None, b"a")


def test_what_has_ended_is_named_again_until_it_is_gone() -> None:
    leases = Leases()
    put(leases, b"a", 10)
    assert [leases.first((now,)) for now in (10, 11, 10**9)] == [b"a"] * 3
    put(leases, b"a", None)
    assert leases.first((10**9,)) is None
    assert len(leases._heap) == 0


def test_a_lease_that_is_shortened_ends_at_its_new_end() -> None:
    leases = Leases()
    put(leases, b"a", 50)
    put(leases, b"a", 3)
    assert leases.first((3,)) == b"a"
    put(leases, b"a", 60)
    assert (leases.first((50,)), leases.first((60,))) == (None, b"a")


def test_a_hundred_thousand_renewals_and_short_lives_hold_few_entries() -> None:
    leases = Leases()
    for now in range(100_000):
        put(leases, b"a", now + 1000 - now % 2 * 500)
        if now % 3 == 0:
            put(leases, b"a", None)
    assert len(leases._heap) <= 2 + FEW


def ended(leases: Leases, now: int) -> list[bytes]:
    """Remove all leases that have ended, one after another."""
    found = []
    while (key := leases.first((now,))) is not None:
        found.append(key)
        put(leases, key, None)
    return found


@given(st.lists(st.tuples(st.sampled_from("abc"), st.none() | st.integers(0, 50))))
def test_what_ends_is_what_a_look_at_every_lease_finds(
    changes: list[tuple[str, int | None]],
) -> None:
    leases, ends = Leases(), dict[bytes, int | None]()
    for name, end in changes:
        put(leases, name.encode(), end)
        ends[name.encode()] = end
    found = ended(leases, 25)
    assert len(found) == len(set(found)), "once"
    assert set(found) == {k for k, end in ends.items() if end is not None and end <= 25}
