"""The pages of one host: which of them wait, and which is next."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from streams.agents.fetch.politeness.host_pages import (
    LAST_SHARE,
    SLOW_VISIT_S,
    HostPages,
    SlowVisits,
    WaitingPage,
)


@dataclass(eq=False, slots=True)
class Page(WaitingPage):
    """A page with a number, so that two with one key can be told apart."""

    number: int


class Line:
    """The pages of a host, put and taken by key and number."""

    def __init__(self) -> None:
        self.pages = HostPages[Page](0.0)

    def __len__(self) -> int:
        return len(self.pages)

    def put(
        self, url: str, number: int, managers: Sequence[str], *, now: float, ready: float
    ) -> int | None:
        return _number(self.pages.put(Page(url, managers, now, ready, number)))

    def drop(self, url: str) -> int | None:
        return _number(self.pages.drop(url))

    def take(self, now: float) -> tuple[str, int] | None:
        page = self.pages.take(now)
        return None if page is None else (page.key, page.number)


def _number(page: Page | None) -> int | None:
    return None if page is None else page.number


def visited(line: Line, now: float, takes: float = 1.0) -> str | None:
    taken = line.take(now)
    line.pages.charge(takes)
    return None if taken is None else taken[0]


def test_a_page_keeps_its_place_while_newer_work_replaces_it() -> None:
    line = Line()
    for url in "abc":
        line.put(url, 1, ["m"], now=0.0, ready=0.0)
    assert line.take(0.0) == ("a", 1)
    assert line.put("b", 2, ["m"], now=5.0, ready=5.0) == 1
    assert line.put("a", 2, ["m"], now=5.0, ready=5.0) is None
    assert [line.take(5.0) for _ in "123"] == [("b", 2), ("c", 1), ("a", 2)]


def test_a_page_due_every_10_s_is_visited_each_round_among_80_others() -> None:
    line = Line()
    visits: Counter[str] = Counter()
    for now in range(240):
        for number in range(80):
            if now % 60 == number % 60:
                line.put(f"other {number}", now, ["m"], now=now, ready=now)
        if now % 10 == 0:
            line.put("frequent", now, ["m"], now=now, ready=now)
        visits[visited(line, now) or "nobody"] += 1
    assert visits["frequent"] >= 3
    others = [visits[f"other {number}"] for number in range(80)]
    assert max(others) - min(others) <= 1, "all are slowed down evenly"


def test_managers_are_served_in_turn_however_many_pages_each_has() -> None:
    line = Line()
    for number in range(80):
        line.put(f"many {number}", 0, ["many"], now=0.0, ready=0.0)
    line.put("one", 0, ["one"], now=1.0, ready=1.0)
    assert [visited(line, 1.0) for _ in range(2)] == ["many 0", "one"]


def test_a_manager_with_hanging_pages_waits_as_long_as_they_took() -> None:
    line = Line()
    for number in range(10):
        line.put(f"hangs {number}", 0, ["slow"], now=0.0, ready=0.0)
    assert visited(line, 0.0, takes=30.0) == "hangs 0"
    for number in range(40):
        line.put(f"quick {number}", 0, ["quick"], now=30.0, ready=30.0)
    order = [visited(line, 30.0 + number) for number in range(40)]
    assert order.index("hangs 1") == 30, "after 30 turns of a second each"


def test_a_page_of_several_managers_is_served_at_whichever_turn_comes_first() -> None:
    line = Line()
    for number in range(80):
        line.put(f"many {number}", 0, ["many"], now=0.0, ready=0.0)
    line.put("shared", 0, ["many", "one"], now=0.0, ready=0.0)
    assert "shared" in [visited(line, 0.0) for _ in range(2)]
    assert len(line) == 79, "it does not wait in the other manager's line any more"


def test_a_page_keeps_its_place_with_the_managers_that_stay() -> None:
    line = Line()
    for url in "abc":
        line.put(url, 0, ["m", "n"], now=0.0, ready=0.0)
    assert visited(line, 0.0) == "a"
    line.put("b", 1, ["m", "o"], now=0.0, ready=0.0)
    assert {visited(line, 0.0) for _ in range(2)} == {"b", "c"}
    assert len(line) == 0
    assert line.take(0.0) is None


def test_what_is_not_ready_holds_up_nothing_and_is_served_when_it_is() -> None:
    line = Line()
    line.put("later", 0, ["m"], now=0.0, ready=30.0)
    assert line.take(0.0) is None
    assert line.pages.seconds_until_ready(0.0) == 30.0
    line.put("now", 0, ["m"], now=0.0, ready=0.0)
    assert line.pages.seconds_until_ready(0.0) == 0.0
    assert line.take(0.0) == ("now", 0)
    line.put("later", 1, ["m"], now=10.0, ready=20.0)
    assert line.pages.seconds_until_ready(10.0) == 10.0
    line.put("later", 2, ["m"], now=15.0, ready=40.0)
    assert line.take(20.0) == ("later", 2)
    assert line.pages.seconds_until_ready(20.0) == 0.0


def test_a_page_that_is_to_be_left_alone_waits_until_then_and_holds_up_no_other() -> None:
    line = Line()
    for url in "ab":
        line.put(url, 1, ["m"], now=0.0, ready=0.0)
    line.pages.seconds_until_ready(0.0)
    line.pages.hold("a", 60.0)
    line.pages.hold("b", -1.0)
    line.pages.hold("unknown", 60.0)
    assert [line.take(0.0), line.take(0.0), line.take(60.0)] == [("b", 1), None, ("a", 1)]


def test_what_is_dropped_waits_no_longer() -> None:
    line = Line()
    for url in "abc":
        line.put(url, 1, ["m"], now=0.0, ready=0.0)
    assert line.drop("b") == 1
    assert line.drop("b") is None
    assert [line.take(0.0) for _ in "abc"] == [("a", 1), ("c", 1), None]


def test_how_long_the_oldest_waits_is_known() -> None:
    line = Line()
    assert line.pages.oldest() is None
    line.put("a", 0, ["m"], now=1.0, ready=1.0)
    line.put("b", 0, ["n"], now=2.0, ready=2.0)
    line.pages.seconds_until_ready(2.0)
    assert line.pages.oldest() == 1.0


@pytest.mark.slow  # two seconds of a core
def test_100_000_short_waits_leave_nothing_in_memory() -> None:
    line = Line()
    for number in range(100_000):
        now = float(number)
        line.put("same", number, [f"m{number}"], now=now, ready=now + 300.0)
        line.put("same", number, [f"m{number}"], now=now, ready=now)
        assert line.take(now) is not None
        line.pages.charge(1.0)
    pages = line.pages
    assert (len(line), pages._ready._lines, pages._ready._waiting) == (0, {}, {})
    assert len(pages._later._heap) <= 100
    assert len(pages._ready._managers._used) <= 1_000
    assert len(pages._ready._hosts._used) <= 1_000


requests = st.lists(
    st.tuples(
        st.sampled_from(["put", "drop", "take"]),
        st.sampled_from("abcdef"),
        st.sets(st.sampled_from("mno"), min_size=1).map(sorted),
        st.integers(0, 5),
        st.integers(0, 3),
    ),
    max_size=80,
)


@given(requests)
def test_whatever_happens_each_page_waits_once_with_its_newest_work(
    asked: list[tuple[str, str, list[str], int, int]],
) -> None:
    line, model, now = Line(), dict[str, tuple[int, float]](), 0.0
    for number, (what, url, managers, delay, passed) in enumerate(asked):
        now += passed
        before = model.get(url)
        if what == "take":
            ready = {url for url, (_, at) in model.items() if at <= now}
            assert (line.pages.seconds_until_ready(now) == 0.0) == (bool(ready) or not model)
            taken = line.take(now)
            assert (taken is not None) == bool(ready)
            if taken is not None:
                assert taken[0] in ready
                assert model.pop(taken[0])[0] == taken[1]
                line.pages.charge(1.0 + delay)
        elif what == "drop":
            assert line.drop(url) == (before and before[0])
            model.pop(url, None)
        else:
            ready_at = now + delay
            found = line.put(url, number, managers, now=now, ready=ready_at)
            assert found == (before and before[0])
            model[url] = number, min(ready_at, before[1]) if before else ready_at
        assert len(line) == len(model)


@given(
    st.lists(st.integers(1, 12), min_size=1, max_size=5),
    st.lists(st.floats(0.1, 30.0), min_size=5, max_size=5),
)
def test_while_all_wait_each_manager_has_its_share_of_the_time(
    pages: list[int], takes: list[float]
) -> None:
    line, used, now = Line(), dict.fromkeys(range(5), 0.0), 0.0
    for _ in range(200):
        for manager, count in enumerate(pages):
            for number in range(count):
                line.put(f"{manager}/{number}", 0, [str(manager)], now=now, ready=now)
        taken = line.take(now)
        assert taken is not None
        manager = int(taken[0].split("/")[0])
        line.pages.charge(takes[manager])
        used[manager] += takes[manager]
        now += takes[manager]
    shares = [used[manager] for manager in range(len(pages))]
    assert max(shares) - min(shares) <= 2 * max(takes)


def test_a_slow_page_is_left_alone_longer_each_time_and_a_quick_one_not_at_all() -> None:
    pages, now, pauses = SlowVisits(), 0.0, []
    for _ in range(6):
        pages.note("slow", 30.0, now)
        pauses.append(pages.held_until("slow") - now)
        now += 1000.0
    assert pauses == [60.0, 120.0, 240.0, 480.0, 480.0, 480.0]
    assert pauses[-1] == 30.0 * LAST_SHARE
    pages.note("slow", SLOW_VISIT_S - 0.1, now)
    assert pages.held_until("slow") == 0
    assert len(pages._slow) == 0


def test_only_so_many_slow_pages_are_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("streams.agents.fetch.politeness.host_pages._REMEMBERED", 10)
    pages = SlowVisits()
    for number in range(1_000):
        pages.note(str(number), 30.0, 0.0)
    assert len(pages._slow) == 10
    assert pages.held_until("999") == 60.0
