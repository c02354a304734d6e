"""The agenda of one partition: which watches are due at a tick."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.codec import wire
from schemas.records.fetches import Due
from schemas.records.table_rows import Scheduled, TickedThrough
from schemas.records.watches import Watch
from streams.agents.ticker.agenda import MAX_LOOKED_AT, MIN_REBUILT, THROUGH_KEY, Agenda
from streams.values.slots import hold_back_ms, newest_slot
from tests.fakes.views import views

START = 1_700_000_000_000
MINUTE = 60_000
VIEWS = views(None, "text/html")
URLS = ("http://a.test/", "http://b.test/", "http://c.test/")


def scheduled(url: str = URLS[0], interval: int = 60, since: int = START) -> Scheduled:
    return Scheduled(url, Watch("w", interval, VIEWS, managers=("m",)), since)


def due(agenda: Agenda, time: int) -> list[Due]:
    return list(agenda.tick(time))


def loaded(rows: dict[bytes, bytes]) -> Agenda:
    agenda = Agenda()
    for key, value in rows.items():
        agenda.load(key, value)
    return agenda


def test_a_url_is_due_at_its_slot_and_not_before() -> None:
    agenda = Agenda()
    agenda.put(scheduled())
    slot = newest_slot(URLS[0], 60, START + MINUTE)
    assert due(agenda, slot - 1) == []
    assert due(agenda, slot) == [Due(URLS[0], "w", slot, VIEWS, ("m",), interval=60)]
    assert due(agenda, slot + MINUTE - 1) == []
    assert [each.slot for each in due(agenda, slot + MINUTE)] == [slot + MINUTE]


def test_after_a_downtime_only_the_newest_slot_of_each_url_is_due() -> None:
    agenda = Agenda()
    for url in URLS:
        agenda.put(scheduled(url))
    agenda.through = START
    now = START + 100 * MINUTE
    found = due(agenda, now)
    assert sorted((each.url, each.slot) for each in found) == [
        (url, newest_slot(url, 60, now)) for url in URLS
    ]


def test_what_was_ticked_through_before_a_restart_is_not_due_again() -> None:
    now = START + 10 * MINUTE
    rows = {
        URLS[0].encode(): wire.encode(scheduled()),
        THROUGH_KEY: wire.encode(TickedThrough(now)),
    }
    for order in (rows, dict(reversed(rows.items()))):
        agenda = loaded(order)
        assert due(agenda, now + 1) == []
        assert [each.slot for each in due(agenda, now + MINUTE)] == [
            newest_slot(URLS[0], 60, now + MINUTE)
        ]


def test_a_paused_url_is_not_due_until_it_is_resumed() -> None:
    agenda = Agenda()
    agenda.put(scheduled())
    agenda.put(replace(scheduled(), watch=Watch("w", 60, VIEWS, paused=True)))
    assert due(agenda, START + 10 * MINUTE) == []
    known = agenda.get(URLS[0])
    assert known is not None
    assert known.watch.paused
    since = START + 10 * MINUTE
    agenda.put(scheduled(since=since))
    slot = newest_slot(URLS[0], 60, since + MINUTE)
    assert [each.slot for each in due(agenda, since + MINUTE)] == [slot]


def test_a_removed_url_is_no_longer_due() -> None:
    agenda = Agenda()
    agenda.put(scheduled())
    agenda.drop(URLS[0])
    agenda.drop("http://never.test/")
    assert due(agenda, START + 10 * MINUTE) == []
    assert agenda.get(URLS[0]) is None


def test_a_shorter_interval_counts_from_the_next_tick_on() -> None:
    agenda = Agenda()
    agenda.put(scheduled(interval=86_400))
    due(agenda, START + MINUTE)
    agenda.put(scheduled(interval=1))
    now = START + MINUTE + 1000
    assert [each.slot for each in due(agenda, now)] == [newest_slot(URLS[0], 1, now)]


def test_a_longer_interval_silences_the_old_slots() -> None:
    agenda = Agenda()
    agenda.put(scheduled(interval=60))
    due(agenda, START)
    agenda.put(scheduled(interval=86_400))
    slots = [each.slot for tick in range(1440) for each in due(agenda, START + tick * MINUTE)]
    assert slots == [newest_slot(URLS[0], 86_400, START + 1439 * MINUTE)]


def overdue_agenda(count: int) -> Agenda:
    agenda = Agenda()
    for number in range(count):
        agenda.put(scheduled(f"http://a.test/{number}"))
    return agenda


def test_one_tick_looks_at_a_bounded_number_and_the_same_tick_goes_on() -> None:
    agenda, now = overdue_agenda(2 * MAX_LOOKED_AT + 7), START + MINUTE
    found = [due(agenda, now) for _ in range(3)]
    assert [len(each) for each in found] == [MAX_LOOKED_AT, MAX_LOOKED_AT, 7]
    assert len({each.url for several in found for each in several}) == 2 * MAX_LOOKED_AT + 7
    assert agenda.through == now


def test_a_tick_that_has_not_looked_at_everything_is_not_ticked_through() -> None:
    agenda = overdue_agenda(MAX_LOOKED_AT + 1)
    due(agenda, START + MINUTE)
    assert agenda.through == 0


def test_what_was_commanded_before_a_restart_is_not_looked_at_again() -> None:
    agenda, now = Agenda(), START + 1000 * MINUTE
    agenda.load(THROUGH_KEY, wire.encode(TickedThrough(now)))
    for number in range(MAX_LOOKED_AT + 1):
        row = scheduled(f"http://a.test/{number}", interval=86_400)
        agenda.load(row.url.encode(), wire.encode(row))
    due(agenda, now + 1)
    assert agenda.through == now + 1


@pytest.mark.slow  # two seconds of a core
def test_a_watch_that_is_changed_very_often_takes_no_more_memory() -> None:
    agenda = Agenda()
    for number in range(100_000):
        agenda.put(scheduled(interval=86_400 - number % 2))
        assert agenda.entries <= MIN_REBUILT + 3


@pytest.mark.slow  # two seconds of a core
def test_a_hundred_thousand_short_lives_leave_nothing() -> None:
    agenda = Agenda()
    for number in range(100_000):
        agenda.put(scheduled(f"http://a.test/{number}", interval=86_400))
        agenda.drop(f"http://a.test/{number}")
    assert (len(agenda), agenda.entries <= MIN_REBUILT + 1) == (0, True)


CHANGES = st.lists(
    st.tuples(
        st.sampled_from(URLS),
        st.sampled_from([None, 1, 7, 60]),
        st.integers(1, 20_000),
        st.booleans(),
    ),
    max_size=30,
)


@given(CHANGES)
def test_two_owners_of_a_partition_agree_on_every_slot(
    changes: list[tuple[str, int | None, int, bool]],
) -> None:
    """One lived through everything; the other is loaded from the rows at each tick."""
    veteran, rows, now = Agenda(), dict[bytes, bytes](), START
    for url, interval, pause, restart in changes:
        now += pause
        newcomer = loaded(rows)
        found = due(veteran, now)
        assert sorted(found, key=repr) == sorted(due(newcomer, now), key=repr)
        assert len({each.url for each in found}) == len(found)
        rows[THROUGH_KEY] = wire.encode(TickedThrough(now))
        if interval is None:
            veteran.drop(url)
            rows.pop(url.encode(), None)
        else:
            known = veteran.get(url)
            row = scheduled(url, interval, known.since if known else now)
            veteran.put(row)
            rows[url.encode()] = wire.encode(row)
        if restart:
            veteran = loaded(rows)


@given(CHANGES)
def test_ticks_with_nothing_due_may_be_left_out(
    changes: list[tuple[str, int | None, int, bool]],
) -> None:
    """What is due is the same; a restart may repeat a slot, and loses none."""
    ticked, passing, restarted = Agenda(), Agenda(), Agenda()
    rows, now = dict[bytes, bytes](), START
    for url, interval, pause, _ in changes:
        now += pause
        found = due(ticked, now)
        assert (passing.pass_by(now), found) in ((True, []), (False, due(passing, now)))
        restarted = loaded(rows)
        if not restarted.pass_by(now):
            assert {repr(each) for each in found} <= {repr(each) for each in due(restarted, now)}
            rows[THROUGH_KEY] = wire.encode(TickedThrough(now))
        else:
            assert not found
        known = ticked.get(url)
        row = scheduled(url, interval or 60, known.since if known else now)
        ticked.put(row)
        passing.put(row)
        rows[url.encode()] = wire.encode(row)


@given(st.integers(1, 90), st.lists(st.integers(1, 200_000), min_size=1, max_size=40))
def test_every_tick_yields_the_newest_slot_since_the_one_before(
    interval: int, pauses: list[int]
) -> None:
    agenda, before = Agenda(), START
    agenda.put(scheduled(interval=interval))
    agenda.through = START
    for pause in pauses:
        now = before + pause
        held_back = hold_back_ms(interval)
        newest = newest_slot(URLS[0], interval, now - held_back)
        assert [each.slot for each in due(agenda, now)] == [newest] * (newest > before - held_back)
        before = now
