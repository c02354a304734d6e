"""Leases end once, at their time, and hold one entry however often they are renewed."""

from hypothesis import given
from hypothesis import strategies as st

from streams.agents.match.register.leases import REPEAT_MS, SPARE, Leases


def test_a_lease_ends_at_its_time_and_not_before() -> None:
    leases = Leases()
    leases.put(b"a", 10)
    assert (leases.ended(9), leases.ended(10)) == ([], [b"a"])


def test_what_has_ended_is_named_again_until_it_is_gone() -> None:
    leases = Leases()
    leases.put(b"a", 10)
    named = [leases.ended(now) for now in (10, 11, 10 + REPEAT_MS)]
    assert named == [[b"a"], [], [b"a"]]
    leases.put(b"a", None)
    assert leases.ended(10 + 9 * REPEAT_MS) == []
    assert len(leases) == 0


def test_a_lease_that_is_shortened_ends_at_its_new_end() -> None:
    leases = Leases()
    leases.put(b"a", 50)
    leases.put(b"a", 3)
    assert (leases.ended(3), leases.ended(50)) == ([b"a"], [])


def test_a_hundred_thousand_renewals_and_short_lives_hold_few_entries() -> None:
    leases = Leases()
    for now in range(100_000):
        leases.put(b"a", now + 1000 - now % 2 * 500)
        if now % 3 == 0:
            leases.put(b"a", None)
    assert len(leases) <= 2 + SPARE


def test_a_call_names_a_limited_number_and_the_next_call_the_others() -> None:
    leases = Leases()
    for number in range(5):
        leases.put(b"%d" % number, 1)
    assert [len(leases.ended(1, most=2)) for _ in range(4)] == [2, 2, 1, 0]


@given(st.lists(st.tuples(st.sampled_from("abc"), st.none() | st.integers(0, 50))))
def test_what_ends_is_what_a_look_at_every_lease_finds(
    changes: list[tuple[str, int | None]],
) -> None:
    leases, ends = Leases(), dict[bytes, int | None]()
    for name, end in changes:
        leases.put(name.encode(), end)
        ends[name.encode()] = end
    assert set(leases.ended(25)) == {k for k, end in ends.items() if end is not None and end <= 25}
