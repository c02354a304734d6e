"""A set of passages does what a set of their numbers does."""

from hypothesis import given
from hypothesis import strategies as st

from streams.matching.sentence_set import SentenceSet

numbers = st.sets(st.integers(0, 200))


@given(numbers, numbers)
def test_the_operations_are_those_of_sets(one: set[int], other: set[int]) -> None:
    first, second = SentenceSet.of(one), SentenceSet.of(other)
    assert list(first & second) == sorted(one & other)
    assert list(first | second) == sorted(one | other)
    assert list(first - second) == sorted(one - other)
    assert first.overlaps(second) == bool(one & other)
    assert bool(first) == bool(one)


@given(numbers, st.integers(0, 200))
def test_it_has_the_numbers_that_it_was_built_of(one: set[int], number: int) -> None:
    assert (number in SentenceSet.of(one)) == (number in one)


@given(numbers)
def test_neighbours_are_one_number_away(one: set[int]) -> None:
    assert list(SentenceSet.of(one).following()) == sorted(n + 1 for n in one)
    assert list(SentenceSet.of(one).preceding()) == sorted(n - 1 for n in one if n)


@given(st.integers(0, 200))
def test_the_first_passages_are_all_below_a_number(count: int) -> None:
    assert list(SentenceSet.of_first(count)) == list(range(count))
