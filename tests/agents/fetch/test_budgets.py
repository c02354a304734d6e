"""What pages ask for in all is stretched to a budget."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from streams.agents.fetch.politeness.budgets import VisitBudgets

asked = st.lists(
    st.tuples(st.integers(0, 20), st.one_of(st.none(), st.floats(1, 1e6))), max_size=60
)


def test_without_limits_nothing_is_stretched_or_kept() -> None:
    budgets = VisitBudgets()
    budgets.ask("https://a.test/", "a.test", 0.001)
    assert (budgets.stretch("a.test"), len(budgets._asked)) == (1.0, 0)


def test_only_the_host_that_asks_for_too_much_is_stretched() -> None:
    budgets = VisitBudgets(of_host=60)
    for page in range(4):
        budgets.ask(f"https://a.test/{page}", "a.test", 60)
    budgets.ask("https://b.test/", "b.test", 60)
    assert budgets.stretch("a.test") == pytest.approx(4)
    assert budgets.stretch("b.test") == budgets.stretch("c.test") == 1


def test_the_budget_of_all_is_that_of_the_partitions_a_worker_has() -> None:
    budgets = VisitBudgets(of_partition=30)
    budgets.ask("https://a.test/", "a.test", 10)
    budgets.partitions = 4
    assert budgets.stretch("b.test") == pytest.approx(360 / 120)


Steps = list[tuple[int, float | None]]


@given(asked)
def test_a_page_counts_once_with_what_it_last_asked_for(
    steps: Steps,
) -> None:
    budgets, last = VisitBudgets(of_host=1e-3), dict[int, float | None]()
    for page, seconds in steps:
        budgets.ask(str(page), "a.test", seconds)
        last[page] = seconds
    rates = [1 / seconds for seconds in last.values() if seconds is not None]
    assert len(budgets._asked) == len(rates)
    assert budgets.stretch("a.test") == pytest.approx(max(1, sum(rates) * 3600 / 1e-3), rel=1e-6)


@given(asked)
def test_nothing_is_kept_of_pages_that_ask_no_more(steps: Steps) -> None:
    budgets = VisitBudgets(of_host=60)
    for page, seconds in steps:
        budgets.ask(str(page), f"{page}.test", seconds)
    for page in range(21):
        budgets.ask(str(page), f"{page}.test", None)
    assert len(budgets._asked) == 0
    assert not budgets._hosts
