"""Match always knows all terms of a manager, and gets a filter again as often as is said."""

from collections import deque
from collections.abc import Iterable
from itertools import islice
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from streams.agents.percolate import manager_terms
from streams.agents.percolate.manager_terms import MAX_ADDED, MAX_TERMS, PAUSE_MS, ManagerTerms
from streams.matching.terms import term_filters
from streams.matching.terms.term_filters import MAX_FILTERED
from streams.values.steps import completed

NOW = 1_000_000
LARGE = 10 * MAX_TERMS


def having(terms: Iterable[int], made: int | None = NOW) -> ManagerTerms:
    """Return terms, with a filter that was made at a time."""
    found = ManagerTerms()
    found.add(terms)
    if made is not None:
        completed(found.make_filter(made))
    return found


def test_few_terms_are_listed_and_have_no_filter() -> None:
    terms = having(range(MAX_TERMS), made=None)
    assert terms.listed == tuple(range(MAX_TERMS))
    assert (terms.is_many, terms.filter_made, terms.is_filter_due(NOW)) == (False, None, False)


def test_of_more_any_is_expected_until_a_filter_is_made_which_is_due_at_once() -> None:
    terms = having(range(MAX_TERMS + 1), made=None)
    assert (terms.listed, terms.is_many, terms.filter_made) == ((), True, None)
    assert terms.is_filter_due(NOW)
    known = completed(terms.make_filter(NOW))
    assert all(each in known for each in range(MAX_TERMS + 1))
    assert (terms.listed, terms.is_many, terms.filter_made) == ((), False, NOW)
    assert not terms.is_filter_due(NOW + PAUSE_MS)


@pytest.mark.parametrize(("added", "is_due"), [(LARGE // 10, False), (LARGE // 10 + 1, True)])
def test_it_is_made_again_when_it_has_grown_by_more_than_a_tenth(added: int, is_due: bool) -> None:
    terms = having(range(LARGE))
    terms.add(range(LARGE, LARGE + added))
    assert terms.is_filter_due(NOW + PAUSE_MS) == is_due


@pytest.mark.parametrize(("gone", "is_due"), [(LARGE // 10, False), (LARGE // 10 + 1, True)])
def test_it_is_made_again_when_it_has_forgotten_more_than_a_tenth(gone: int, is_due: bool) -> None:
    terms = having(range(LARGE))
    terms.remove(range(gone))
    assert terms.is_filter_due(NOW + PAUSE_MS) == is_due
    if is_due:
        known = completed(terms.make_filter(NOW + PAUSE_MS))
        assert len(known) == LARGE - gone
        assert sum(each in known for each in range(gone)) < gone / 10


@pytest.mark.parametrize("after", [0, 1, PAUSE_MS - 1, PAUSE_MS])
def test_it_is_made_again_after_ten_seconds_at_the_earliest(after: int) -> None:
    terms = having(range(LARGE))
    terms.add(range(LARGE, 2 * LARGE))
    assert terms.is_filter_due(NOW + after) == (after >= 10_000)


def test_a_clock_that_was_ahead_keeps_no_filter_from_being_made() -> None:
    terms = having(range(LARGE), made=NOW + 10**9)
    terms.add(range(LARGE, 2 * LARGE))
    assert terms.is_filter_due(NOW)


def test_many_new_terms_are_added_to_a_large_filter_without_all_others() -> None:
    size = 20 * MAX_ADDED
    terms = having(range(size))
    terms.add(range(size, size + MAX_ADDED))
    assert terms.listed == tuple(range(size, size + MAX_ADDED))
    assert not terms.is_filter_due(NOW + PAUSE_MS)
    terms.add([size + MAX_ADDED])
    assert (terms.listed, terms.is_many, terms.filter_made) == ((), True, NOW)
    assert terms.is_filter_due(NOW + PAUSE_MS)
    steps = terms.make_filter(NOW + PAUSE_MS)
    assert len(list(steps)) == 1
    assert (terms.listed, terms.is_many, terms.filter_made) == ((), False, NOW + PAUSE_MS)


def test_fewer_terms_again_are_listed_without_a_filter() -> None:
    terms = having(range(MAX_TERMS + 1))
    terms.remove([0])
    assert terms.listed == tuple(range(1, MAX_TERMS + 1))
    assert (terms.is_many, terms.filter_made) == (False, None)


def test_of_too_many_for_a_message_no_filter_is_made(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(manager_terms, "MAX_FILTERED", LARGE)
    assert MAX_FILTERED > LARGE
    assert having(range(LARGE), made=None).is_filter_due(NOW)
    terms = having(range(LARGE + 1), made=None)
    assert not terms.is_filter_due(NOW)
    assert terms.is_many


numbers = st.lists(st.integers(0, 40), min_size=1, max_size=6, unique=True)
moves = st.lists(
    st.one_of(
        st.tuples(st.just("add"), numbers),
        st.tuples(st.just("remove"), st.integers(0, 100)),
        st.tuples(st.just("filter"), st.integers(0, 12_000)),
        st.tuples(st.just("steps"), st.integers(1, 20)),
    ),
    max_size=60,
)


@pytest.fixture
def _early(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is so of many terms is so of a few; a filter is made term by term."""
    monkeypatch.setattr(manager_terms, "MAX_TERMS", 3)
    monkeypatch.setattr(manager_terms, "MAX_ADDED", 2)
    monkeypatch.setattr(manager_terms, "MAX_FILTERED", 30)
    monkeypatch.setattr(term_filters, "STEP", 1)


@pytest.mark.usefixtures("_early")
@given(moves)
def test_whatever_is_added_and_removed_while_a_filter_is_made_no_term_is_hidden(
    taken: list[Any],
) -> None:
    terms, stored, now = ManagerTerms(), list[list[int]](), 0
    known, steps = list[Any](), iter(())
    for move, value in taken:
        match move:
            case "add":
                terms.add(value)
                stored.append(value)
            case "remove" if stored:
                terms.remove(stored.pop(value % len(stored)))
            case "filter":
                now += value
                deque(steps, maxlen=0)  # the one before, which is made in fewer than ten seconds
                steps = made(terms, now, known)
            case "steps":
                deque(islice(steps, value), maxlen=0)
        expected = {each for several in stored for each in several}
        listed = {*terms.listed}
        assert listed <= expected
        assert len(listed) <= 3
        has_filter = terms.filter_made is not None
        hidden = {each for each in expected - listed if not has_filter or each not in known[-1]}
        assert terms.is_many or not hidden


def made(terms: ManagerTerms, now: int, known: list[Any]) -> Any:
    """Make a filter in steps if it is due, and note it once it is complete."""
    if terms.is_filter_due(now):
        known.append((yield from terms.make_filter(now)))
