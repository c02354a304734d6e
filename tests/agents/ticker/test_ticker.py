"""The the ticker agent: facts and ticks in, fetch commands out."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any
from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.codec import wire
from schemas.records.fetches import Due, FetchDue, Forget
from schemas.records.page_requests import PageRequest
from schemas.records.rendering import Rendering
from schemas.records.subscription_facts import Cancelled, Rejected, Subscribed, SubscriptionFact
from schemas.records.table_rows import Scheduled, TickedThrough
from schemas.records.views import DEFAULT_VIEWS, View, WatchedView
from schemas.records.watches import Watch
from streams.agents.match.register.watch_uses import MAX_IN_ALL
from streams.agents.ticker.agenda import MAX_LOOKED_AT, THROUGH_KEY
from streams.agents.ticker.agent import REPEATED_MS, STORED_EVERY_MS, TickerProcessor
from streams.agents.ticker.commands import MAX_DUE, joined_commands
from streams.app import TICKER
from streams.values.outcome import Outcome, Put, Send
from streams.values.slots import LEAD_MS, TICK_MS, newest_slot
from tests.fakes.events import event
from tests.fakes.subscriptions import subscription
from tests.fakes.views import views

NOW = 1_700_000_000_000
URL = "http://a.test/"
PARTITIONS = {"a.test": 3, "b.test": 1, "c.test": 3}


def agent() -> TickerProcessor:
    made = TickerProcessor(lambda host: PARTITIONS.get(host, 0))
    made.begin(0)
    return made


def fact(watch: Watch | None, url: str = URL, at: int = NOW) -> SubscriptionFact:
    return Cancelled("r", "s", "default", url, watch, at)


@dataclass(frozen=True)
class Tick:
    """The timer's turn at a whole second (epoch ms)."""

    now: int

    @property
    def until(self) -> int:
        """The time up to which all that falls due is commanded."""
        return self.now + TICK_MS + LEAD_MS


def parts_of(outcome: Outcome) -> list[Outcome]:
    every = (outcome, *(outcome.rest or ()))
    return [Outcome(tuple(joined_commands(part.sends)), part.puts) for part in every]


def together(parts: Sequence[Outcome]) -> Outcome:
    sends = tuple(send for part in parts for send in part.sends)
    return Outcome(tuple(joined_commands(sends)), tuple(put for part in parts for put in part.puts))


def decide(made: TickerProcessor, given_fact: Any) -> Outcome:
    if isinstance(given_fact, Tick):
        return together(parts_of(made.tick(0, given_fact.now)))
    return together(parts_of(made.decide(event(given_fact))))


def sends(made: TickerProcessor, given_fact: Any) -> list[Send]:
    return list(decide(made, given_fact).sends)


def commanded(send: Send) -> list[str]:
    assert isinstance(send.record, FetchDue)
    return [each.url for each in send.record.due]


def watch(name: str = "w", interval: int = 60, *content_types: str | None) -> Watch:
    return Watch(name, interval, views(*content_types) if content_types else DEFAULT_VIEWS)


def test_a_tick_reaches_to_the_next_one_and_stores_so_in_its_own_partition() -> None:
    ticker = TickerProcessor(lambda host: 3)
    ticker.begin(5)
    ticker.decide(replace(event(fact(watch())), partition=5))
    slot = newest_slot(URL, 60, NOW + 60_000)
    tick = Tick((slot - LEAD_MS - 1) // TICK_MS * TICK_MS)
    outcome = together(parts_of(ticker.tick(5, tick.now)))
    command = FetchDue((Due(URL, "w", slot, interval=60),))
    assert outcome.sends == (Send("fetches", None, command, 3),)
    assert outcome.puts == (Put(THROUGH_KEY, TickedThrough(tick.until)),)


def test_a_second_in_which_nothing_is_due_decides_nothing() -> None:
    made, slot = agent(), newest_slot(URL, 60, NOW + 60_000)
    made.begin(5)
    made.decide(replace(event(fact(watch())), partition=5))
    second = (slot - LEAD_MS - 1) // TICK_MS * TICK_MS
    assert made.tick(5, second - 1) == Outcome()
    assert made.tick(5, second) != Outcome()


def test_a_late_tick_takes_no_slot_of_the_next_second() -> None:
    made = agent()
    made.decide(event(fact(watch(interval=1))))
    lateness = [0, 990, 0, 500, 0]
    found = [len(sends(made, Tick(NOW + n * 1000 + late))) for n, late in enumerate(lateness)]
    assert found == [1] * len(lateness), "each second has its visit"


def test_one_partition_stores_once_a_minute_how_far_it_is_and_a_start_does_so_at_once() -> None:
    made = agent()
    made.begin(5)
    found = []
    for tick in (Tick(NOW + second * 1000) for second in range(121)):
        puts = made.tick(0, tick.now).puts
        assert puts in ((), (Put(THROUGH_KEY, TickedThrough(tick.until)),))
        found += [tick.now - NOW] * len(puts)
        assert made.tick(5, tick.now) == Outcome(), "one partition is enough"
    assert found == [0, STORED_EVERY_MS, 2 * STORED_EVERY_MS]


def test_while_something_is_due_a_start_repeats_ten_seconds_at_most() -> None:
    made = agent()
    made.decide(event(fact(watch(interval=1))))
    ticks = [Tick(NOW + second * 1000) for second in range(60)]
    stored = [[put.record for put in decide(made, tick).puts] for tick in ticks]
    assert stored[::10] == [[TickedThrough(tick.until)] for tick in ticks[::10]]
    assert sum(map(len, stored)) == 6
    assert REPEATED_MS == 10_000


def test_what_was_stored_less_than_a_minute_ago_is_not_stored_at_a_start() -> None:
    made = agent()
    made.load(0, THROUGH_KEY, wire.encode(TickedThrough(NOW)))
    assert made.tick(0, NOW + 50_000) == Outcome()
    assert made.tick(0, NOW + 60_000).puts


def test_each_tick_reaches_as_far_as_the_next_one() -> None:
    assert TICKER.timer_s is not None
    assert TICKER.timer_s * 1000 == TICK_MS


def test_a_new_watch_is_due_at_once_on_the_partition_of_its_host() -> None:
    outcome = decide(agent(), fact(watch("w", 60, None, "text/html")))
    command = FetchDue((Due(URL, "w", NOW, views(None, "text/html")),))
    assert outcome.sends == (Send("fetches", None, command, 3),)
    assert [put.key for put in outcome.puts] == [URL.encode()]


def test_the_same_watch_again_commands_nothing() -> None:
    made = agent()
    decide(made, fact(watch()))
    assert decide(made, fact(watch(), at=NOW + 9)) == Outcome((), ())


def test_a_rejection_on_a_url_that_is_watched_changes_nothing() -> None:
    made = agent()
    decide(made, fact(watch()))
    assert decide(made, Rejected("r", "m", 5, "", URL, watch(), NOW)) == Outcome((), ())
    assert decide(made, Rejected("r", "m", 1, "", "nonsense", None, NOW)) == Outcome((), ())


def test_a_change_of_interval_is_kept_and_commands_nothing_at_once() -> None:
    made = agent()
    decide(made, fact(watch()))
    outcome = decide(made, fact(watch(interval=7), at=NOW + 1))
    assert outcome.sends == ()
    assert len(outcome.puts) == 1
    tick = Tick(NOW + 7000)
    (send,) = sends(made, tick)
    assert send.record == FetchDue((Due(URL, "w", newest_slot(URL, 7, tick.until), interval=7),))


def test_a_watch_with_a_new_view_is_due_at_once_and_with_one_less_it_is_not() -> None:
    made = agent()
    decide(made, fact(watch()))
    (send,) = sends(made, fact(watch("w", 60, None, "text/html"), at=NOW + 1))
    assert send.record == FetchDue((Due(URL, "w", NOW + 1, views(None, "text/html"), interval=60),))
    assert sends(made, fact(watch("w", 60, "text/html"), at=NOW + 2)) == []
    paused = replace(watch("w", 60, "text/a"), paused=True)
    assert sends(made, fact(paused, at=NOW + 3)) == []


def test_a_command_has_no_more_views_than_fit_a_message() -> None:
    made = TickerProcessor(lambda host: 3)
    made.begin(0)
    every = [f"{'x' * 250}{number:03}" for number in range(MAX_IN_ALL)]
    for number in range(3):
        url = f"http://d.test/{'p' * 2000}{number}"
        many = Watch("w", 60, views(*(every if number else every[:1])))
        decide(made, Cancelled("r", "s", "m", url, many, NOW))
    commands = sends(made, Tick(NOW + 60_000))
    assert sorted(len(commanded(command)) for command in commands) == [1, 2]
    assert all(len(wire.encode(command.record)) < 900_000 for command in commands)  # type: ignore[arg-type]  # no bytes


def test_a_new_watch_that_replaces_another_is_due_at_once() -> None:
    made = agent()
    decide(made, fact(watch()))
    (send,) = sends(made, fact(watch("v"), at=NOW + 1))
    assert send.record == FetchDue((Due(URL, "v", NOW + 1),))


def test_a_paused_watch_is_kept_and_not_fetched_and_due_at_once_when_it_is_resumed() -> None:
    made = agent()
    decide(made, fact(watch()))
    paused = replace(watch(), paused=True)
    outcome = decide(made, fact(paused, at=NOW + 1))
    assert outcome == Outcome((), (Put(URL.encode(), Scheduled(URL, paused, NOW)),))
    assert decide(made, fact(paused, at=NOW + 2)) == Outcome((), ())
    assert sends(made, Tick(NOW + 10**6)) == []
    resumed = decide(made, fact(watch(), at=NOW + 10**6))
    command = FetchDue((Due(URL, "w", NOW + 10**6),))
    assert resumed.sends == (Send("fetches", None, command, 3),)
    assert decide(made, fact(watch(), at=NOW + 10**6)) == Outcome((), ())


def test_a_paused_watch_is_not_fetched_when_it_is_first_seen_or_changed() -> None:
    made = agent()
    assert sends(made, fact(replace(watch(), paused=True))) == []
    assert sends(made, fact(replace(watch(interval=7), paused=True), at=NOW + 1)) == []
    assert sends(made, Tick(NOW + 10**6)) == []


def test_a_paused_watch_that_ends_is_forgotten() -> None:
    made = agent()
    decide(made, fact(replace(watch(), paused=True)))
    (send,) = sends(made, fact(None))
    assert send.record == Forget(URL, "w")


def test_a_document_that_nobody_watches_is_forgotten_once() -> None:
    made = agent()
    decide(made, fact(watch()))
    outcome = decide(made, fact(None))
    assert outcome.sends == (Send("fetches", None, Forget(URL, "w"), 3),)
    assert [(put.key, put.record) for put in outcome.puts] == [(URL.encode(), None)]
    assert decide(made, fact(None)) == Outcome((), ())
    assert list(sends(made, Tick(NOW + 10**6))) == []


def rendered_watch(*views: WatchedView) -> Watch:
    return replace(watch(), views=views)


def test_what_needs_a_browser_is_due_on_a_topic_apart() -> None:
    rendered = WatchedView("r", View(request=PageRequest(rendering=Rendering())))
    fetches, renders = sends(agent(), fact(rendered_watch(*DEFAULT_VIEWS, rendered)))
    assert (fetches.topic, renders.topic) == ("fetches", "renders")
    assert isinstance(fetches.record, FetchDue)
    assert isinstance(renders.record, FetchDue)
    assert [each.elsewhere for each in fetches.record.due] == [("r",)]
    assert [each.views for each in renders.record.due] == [(rendered,)]


def test_a_document_that_was_ever_rendered_is_forgotten_by_both_agents() -> None:
    rendered = WatchedView("r", View(request=PageRequest(rendering=Rendering())))
    made = agent()
    decide(made, fact(rendered_watch(*DEFAULT_VIEWS, rendered)))
    decide(made, fact(watch()))
    found = sends(made, fact(None))
    assert [(send.topic, send.record) for send in found] == [
        ("fetches", Forget(URL, "w")),
        ("renders", Forget(URL, "w")),
    ]


def test_a_repeated_end_ends_no_later_watch() -> None:
    made = agent()
    facts = [fact(watch()), fact(None, at=NOW + 1), fact(watch("v"), at=NOW + 2)]
    for each in facts:
        decide(made, each)
    assert [send.record for each in facts for send in sends(made, each)] == []


def test_one_tick_makes_one_command_per_partition_with_each_url_once() -> None:
    made = agent()
    hosts = ("a.test", "b.test", "c.test")
    urls = [f"http://{host}/{number}" for host in hosts for number in range(5)]
    for url in urls:
        decide(made, fact(watch(), url))
    commands = sends(made, Tick(NOW + 100_000))
    assert sorted(each.partition or 0 for each in commands) == [1, 3]
    assert {each.topic for each in commands} == {"fetches"}
    found = [(url, each.partition) for each in commands for url in commanded(each)]
    assert sorted(found) == [(url, PARTITIONS[url.split("/")[2]]) for url in urls]


def test_a_tick_that_was_handled_makes_nothing_again() -> None:
    made = agent()
    decide(made, fact(watch()))
    assert decide(made, Tick(NOW + 100_000)).sends
    assert decide(made, Tick(NOW + 100_000)) == Outcome((), ())
    assert decide(made, Tick(NOW + 45_000)) == Outcome((), ())


@pytest.mark.slow  # three seconds of a core
def test_a_downtime_that_left_very_many_overdue_is_caught_up_part_by_part() -> None:
    made, tick = agent(), Tick(NOW + 100_000)
    urls = {f"http://a.test/{number}" for number in range(3 * MAX_LOOKED_AT)}
    for url in urls:
        decide(made, fact(watch(), url))
    found, parts = list[str](), parts_of(made.tick(0, tick.now))
    for part in parts:
        commands = [url for send in part.sends for url in commanded(send)]
        assert len(commands) <= MAX_LOOKED_AT
        found += commands
    assert (len(found), set(found)) == (len(urls), urls)
    puts = [put.record for part in parts for put in part.puts]
    assert puts == [TickedThrough(tick.until)] == [put.record for put in parts[-1].puts]


def test_what_falls_due_after_a_clock_was_ahead_for_a_while_is_commanded() -> None:
    made, years = agent(), 10 * 365 * 24 * 3600 * 1000
    paused = "http://b.test/"
    decide(made, fact(watch()))
    decide(made, fact(replace(watch(), paused=True), paused))
    assert sends(made, Tick(NOW + years))
    sends(made, Tick(NOW))
    for minute in range(1, 4):
        tick = Tick(NOW + minute * 60_000)
        (send,) = sends(made, tick)
        slot = newest_slot(URL, 60, tick.until)
        assert send.record == FetchDue((Due(URL, "w", slot, interval=60),))


def test_how_far_it_is_is_stored_at_once_after_a_clock_was_ahead_for_a_while() -> None:
    made = agent()
    assert decide(made, Tick(NOW + 3_600_000)).puts
    tick = Tick(NOW)
    assert [put.record for put in decide(made, tick).puts] == [TickedThrough(tick.until)]


def test_a_clock_that_is_a_little_behind_the_last_owners_repeats_nothing() -> None:
    made = agent()
    decide(made, fact(watch()))
    assert sends(made, Tick(NOW + 100_000))
    assert sends(made, Tick(NOW + 45_000)) == []


def test_every_command_fits_a_message_of_one_megabyte() -> None:
    made = agent()
    long = "http://b.test/".ljust(2040, "x")
    for number in range(2 * MAX_DUE + 1):
        decide(made, fact(watch("w" * 32, 60, "\U0001f600" * 256), f"{long}{number}"))
    commands = sends(made, Tick(NOW + 100_000))
    assert sum(len(commanded(send)) for send in commands) == 2 * MAX_DUE + 1
    for send in commands:
        assert isinstance(send.record, FetchDue)
        assert len(wire.encode(send.record)) < 1_000_000


WATCHES = st.none() | st.builds(
    Watch,
    st.sampled_from("vw"),
    st.sampled_from([1, 60]),
    st.sampled_from([views(None), views(None, "text/a"), views("text/b")]),
    st.booleans(),
)
LOG = st.lists(
    st.tuples(st.sampled_from(["http://a.test/", "http://b.test/"]), WATCHES) | st.just(None),
    min_size=1,
    max_size=25,
)


class Partition:
    """An agent, its table and what it sent, with restarts from the table."""

    def __init__(self) -> None:
        self.rows: dict[bytes, Any] = {}
        self.sent: list[tuple[int, Any]] = []
        self.agent = agent()

    def handle(self, number: int, given_fact: Any, *, durable: bool = True) -> None:
        outcome = decide(self.agent, given_fact)
        self.sent += [(number, send.record) for send in outcome.sends]
        for put in outcome.puts if durable else ():
            self.rows[put.key] = put.record
            if put.record is None:
                del self.rows[put.key]

    def restart(self) -> None:
        self.agent = agent()
        for key, record in self.rows.items():
            self.agent.load(0, key, wire.encode(record))


def facts(log: list[Any]) -> list[Any]:
    """Time facts and ticks, two seconds apart."""
    times = enumerate(log)
    return [
        Tick(NOW + 2000 * number)
        if entry is None
        else fact(entry[1], entry[0], NOW + 2000 * number)
        for number, entry in times
    ]


@given(LOG, st.data())
def test_a_crash_before_the_table_was_written_repeats_the_same_commands(
    log: list[Any], data: st.DataObject
) -> None:
    events = facts(log)
    quiet, crashed = Partition(), Partition()
    # How far it is is stored at each tick, also where nothing is due.
    module = "streams.agents.ticker.agent"
    with patch(f"{module}.STORED_EVERY_MS", 0), patch(f"{module}.REPEATED_MS", 0):
        for number, each in enumerate(events):
            quiet.handle(number, each)
            if data.draw(st.booleans()):
                crashed.handle(number, each, durable=False)
                crashed.restart()
            crashed.handle(number, each)
    assert crashed.rows == quiet.rows
    by_event = defaultdict(list)
    for number, command in crashed.sent:
        by_event[number].append(command)
    for number, command in quiet.sent:
        assert command in by_event[number]
    for number, commands in by_event.items():
        assert {*commands} == {command for n, command in quiet.sent if n == number}


@given(LOG, st.data())
def test_a_replay_of_what_was_handled_ends_in_the_same_table(
    log: list[Any], data: st.DataObject
) -> None:
    events = facts(log)
    quiet, replayed = Partition(), Partition()
    for number, each in enumerate(events):
        quiet.handle(number, each)
        replayed.handle(number, each)
    replayed.restart()
    for number in range(data.draw(st.integers(0, len(events))), len(events)):
        replayed.handle(number, events[number])
    # For a watch that began, ended and began again, the replay sets a new beginning.
    plain = {key: getattr(row, "watch", row) for key, row in replayed.rows.items()}
    assert plain == {key: getattr(row, "watch", row) for key, row in quiet.rows.items()}


@given(LOG, st.data())
def test_a_crash_loses_no_command_though_not_every_tick_is_stored(
    log: list[Any], data: st.DataObject
) -> None:
    quiet, crashed = Partition(), Partition()
    for number, each in enumerate(facts(log)):
        quiet.handle(number, each)
        if data.draw(st.booleans()):
            crashed.handle(number, each, durable=False)
            crashed.restart()
        crashed.handle(number, each)
    assert {repr(command) for command in quiet.sent} <= {repr(command) for command in crashed.sent}


@given(LOG)
def test_each_url_is_commanded_at_most_once_per_event(log: list[Any]) -> None:
    partition = Partition()
    for number, each in enumerate(facts(log)):
        before = len(partition.sent)
        partition.handle(number, each)
        new = [command for _, command in partition.sent[before:]]
        urls = [due.url for command in new if isinstance(command, FetchDue) for due in command.due]
        assert len(set(urls)) == len(urls)


@given(LOG)
def test_what_is_paused_or_not_watched_is_never_commanded(log: list[Any]) -> None:
    partition, watched = Partition(), dict[str, Watch | None]()
    for number, each in enumerate(facts(log)):
        if not isinstance(each, Tick):
            watched[each.url] = each.watch
        before = len(partition.sent)
        partition.handle(number, each)
        for _, command in partition.sent[before:]:
            for due in command.due if isinstance(command, FetchDue) else ():
                current = watched[due.url]
                assert current is not None
                assert (due.watch, current.paused) == (current.id, False)


def test_100_000_partitions_that_came_and_left_leave_nothing_in_memory() -> None:
    agent = TickerProcessor(lambda host: 0)
    for number in range(100_000):
        agent.begin(number)
        if number % 100 == 99:
            agent.released()
    assert not agent._agendas


def checked(at: int, made_at: int = NOW, was: Watch | None = None) -> Subscribed:
    """Return the fact that a check was granted for a time (epoch ms)."""
    held = subscription("s")
    return Subscribed("r", held, URL, was or watch(), made_at, at)


def test_a_check_is_commanded_at_once_and_once_and_no_failure_postpones_it() -> None:
    made = agent()
    sends(made, fact(watch()))
    sends(made, Tick(NOW))
    due = Due(URL, "w", NOW + 5, interval=None)
    assert sends(made, checked(NOW + 5)) == [Send("fetches", None, FetchDue((due,)), 3)]
    assert sends(made, checked(NOW + 5)) == [], "the fact is read again after a crash"
    assert sends(made, fact(watch())) == [], "a later fact does not ask for it again"


def test_a_later_check_is_commanded_when_it_is_due_also_after_a_restart() -> None:
    slot = newest_slot(URL, 3600, NOW) + 3_600_000
    later = slot - 1_000_000
    made, rows = agent(), dict[bytes, Any]()
    for each in (fact(watch(interval=3600)), Tick(NOW), checked(later, was=watch(interval=3600))):
        rows |= {put.key: put.record for put in decide(made, each).puts}
    again = agent()
    for key, record in sorted(rows.items()):
        again.load(0, key, wire.encode(record))
    for ticker in (made, again):
        ticks = [Tick(later - 1000 * ahead) for ahead in (30, 20, 10)]
        before = [send for tick in ticks for send in sends(ticker, tick)]
        (send,) = sends(ticker, Tick(later))
        assert before == []
        assert send.record == FetchDue((Due(URL, "w", later, interval=None),))
        assert sends(ticker, Tick(later + 60_000)) == []


def test_a_check_at_a_slot_is_the_visit_of_that_slot() -> None:
    made, slot = agent(), newest_slot(URL, 60, NOW) + 120_000
    sends(made, fact(watch()))
    sends(made, Tick(NOW))
    sends(made, checked(slot))
    sends(made, Tick(slot - 30_000))
    (send,) = sends(made, Tick(slot))
    assert send.record == FetchDue((Due(URL, "w", slot, interval=None),))
    (following,) = sends(made, Tick(slot + 60_000))
    assert following.record == FetchDue((Due(URL, "w", slot + 60_000, interval=60),))


def test_a_planned_check_of_a_watch_that_is_paused_or_ended_is_not_made() -> None:
    for after in (replace(watch(interval=3600), paused=True), None):
        made, later = agent(), NOW + 100_000
        sends(made, fact(watch(interval=3600)))
        sends(made, Tick(NOW))
        sends(made, checked(later, was=watch(interval=3600)))
        sends(made, fact(after))
        assert sends(made, Tick(later)) == []
