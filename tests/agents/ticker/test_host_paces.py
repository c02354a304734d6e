"""The pace at which pages of one manager and host are commanded."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.records.table_rows import Scheduled
from schemas.records.watches import Watch
from streams.agents.ticker.agenda import LONGEST_PLANNED_MS, Agenda
from streams.agents.ticker.host_paces import HostPaces

START = 1_700_000_000_000
MINUTE = 60_000
MANY = 20_000


def page(
    path: int | str, interval: int = 60, managers: tuple[str, ...] = ("m",), host: str = "many.test"
) -> Scheduled:
    watch = Watch("w", interval, managers=managers)
    return Scheduled(f"https://{host}/{path}", watch, since=START)


def agenda_of(*groups: Iterable[Scheduled], pause_s: float = 1.0) -> Agenda:
    agenda = Agenda(HostPaces(pause_s))
    for group in groups:
        for scheduled in group:
            agenda.put(scheduled)
    return agenda


def commands(agenda: Agenda, seconds: Iterable[int]) -> Counter[str]:
    """Tick at each second, to the end of what is due; return how often each page is commanded."""
    found = Counter[str]()
    for second in seconds:
        until = START + second * 1000
        while agenda.through < until:
            found.update(due.url for due in agenda.tick(until))
    return found


def test_a_host_is_commanded_hardly_more_often_than_it_can_be_visited() -> None:
    agenda = agenda_of(map(page, range(MANY)))
    commands(agenda, [1])
    found = commands(agenda, range(2, 602))
    assert 600 <= found.total() <= 2 * 600 * 1.2  # a visit a second, and up to two commands


def test_without_a_pause_a_crawl_of_each_second_does_not_flood() -> None:
    agenda = agenda_of((page(number, interval=1) for number in range(10_000)), pause_s=0)
    commands(agenda, [1])
    assert commands(agenda, range(2, 62)).total() <= 60 * 400 * 1.2


@given(
    count=st.integers(1, 400),
    interval=st.integers(1, 600),
    pause_s=st.sampled_from([0.0, 0.1, 1.0, 10.0]),
)
def test_no_host_waits_for_a_command(count: int, interval: int, pause_s: float) -> None:
    paces = HostPaces(pause_s)
    pages = [page(number, interval) for number in range(count)]
    for each in pages:
        paces.replace(None, each)
    paced = paces.interval_of(pages[0])
    assert paced == interval or paced < count * max(pause_s, 0.005)
    assert paced % interval == 0
    assert paced * 2 >= count * pause_s


def test_pages_of_others_are_due_as_ever() -> None:
    others = [page("b", managers=("n",)), page("c", managers=("m",), host="few.test")]
    both = page("d", managers=("m", "n"))
    slow = page("e", interval=86_400)
    agenda = agenda_of(map(page, range(MANY)), others, [both, slow])
    found = commands(agenda, range(1, 601))
    assert [found[each.url] for each in (*others, both)] == [10, 10, 10]
    day = commands(agenda, [600 + 86_400])
    assert day[slow.url] == 1


def test_the_pages_that_are_left_are_due_again_soon() -> None:
    many = [page(number) for number in range(MANY)]
    agenda = agenda_of(many)
    commands(agenda, [1, 2])
    for each in many[10:]:
        agenda.drop(each.url)
    latest = 2 + LONGEST_PLANNED_MS // 1000 + 60
    assert len(commands(agenda, range(3, latest + 1))) == 10


def test_each_page_is_commanded_while_more_and_more_are_added() -> None:
    first = page("first", interval=1)
    agenda, found = agenda_of([first], pause_s=0.1), Counter[str]()
    for second in range(1, 121):
        for number in range(10):
            agenda.put(page(f"{second}-{number}", interval=1))
        found += commands(agenda, [second])
    # Of 100 pages after 10 s, 200 after 20 s and so on, each is commanded every 8 s, 16 s...
    assert found[first.url] >= 5


@pytest.mark.parametrize(
    "changed",
    [
        pytest.param(lambda watch: replace(watch, paused=True), id="paused"),
        pytest.param(lambda watch: replace(watch, max_interval=86_400), id="may be left out"),
    ],
)
def test_pages_for_which_a_host_is_hardly_asked_hold_up_no_others(changed) -> None:  # type: ignore[no-untyped-def]  # a lambda
    rest = [replace(each, watch=changed(each.watch)) for each in map(page, range(1_000))]
    agenda = agenda_of(rest, [page("a")])
    assert commands(agenda, range(1, 601))["https://many.test/a"] == 10
    # As many again, which count until they are changed.
    agenda = agenda_of(map(page, range(1_000)), rest, [page("a")])
    assert commands(agenda, range(1, 601))["https://many.test/a"] == 10


def test_nothing_is_counted_of_pages_that_are_gone() -> None:
    paces = HostPaces(1.0)
    for each in map(page, range(1_000)):
        paces.replace(None, each)
        paces.replace(each, None)
    assert paces.interval_of(page("a")) == 60
