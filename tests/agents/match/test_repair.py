"""The ticker compares itself with the register, and follows it where a fact was lost."""

from collections.abc import Iterator
from itertools import chain, pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from structlog.testing import capture_logs

from schemas.records.fetches import FetchDue, Forget
from schemas.records.requests import Cancel, Pause, Subscribe
from schemas.records.subscriptions import Receiver
from schemas.records.table_rows import Scheduled
from schemas.records.watches import StateWatches, WatchesStated
from streams.agents.match.agent import MatchProcessor
from streams.agents.match.register import reconciliation as statements
from streams.agents.match.register.reconciliation import PERIOD_MS, STATEMENTS, statement_due
from streams.agents.match.register.requests import Rules
from streams.agents.ticker.agent import TickerProcessor
from streams.values import url_hashes
from streams.values.outcome import Outcome
from streams.values.url_hashes import LAST_HASH, url_hash
from tests.fakes.events import event
from tests.fakes.variants import varied

ALL = StateWatches(0, LAST_HASH)
CLIENT = "http://client.test/"
URLS = [f"http://{number}.test/" for number in range(12)]
GIVEN: dict[Any, dict[str, Any]] = {Subscribe: {"keywords": ("zeus",)}, Cancel: {}}


class Both:
    """Match and the ticker of one partition; facts between them may be lost."""

    def __init__(self) -> None:
        self.match = MatchProcessor(partition_of=lambda _: 0, rules=Rules(60))
        self.ticker = TickerProcessor(lambda _: 0)
        self.match.begin(0)
        self.ticker.begin(0)
        self.at = 1_000

    def ask(self, request: Any, *, is_lost: bool = False) -> None:
        self.at += 1
        for send in self._sends(self.match, request):
            if not is_lost:
                list(self._sends(self.ticker, send.record))

    def subscribe(self, url: str, *, is_lost: bool = False, interval: int = 60) -> None:
        plain = Subscribe(url, Receiver(CLIENT), str(self.at), keywords=("zeus",), replace=True)
        self.ask(varied(plain, interval=interval), is_lost=is_lost)

    def cancel(self, url: str, *, is_lost: bool = False) -> None:
        self.ask(Cancel(url, Receiver(CLIENT), str(self.at)), is_lost=is_lost)

    def repair(self, command: StateWatches = ALL) -> list[Any]:
        """State watches and compare; return what the ticker sends."""
        self.at += 1
        facts = [send.record for send in self._sends(self.match, command)]
        return [send.record for fact in facts for send in self._sends(self.ticker, fact)]

    def watched(self) -> dict[str, Any]:
        agenda = self.ticker._agendas[0]
        found = {url: agenda.get(url) for url in agenda.urls()}
        return {url: each.watch for url, each in found.items() if isinstance(each, Scheduled)}

    def registered(self) -> dict[str, Any]:
        memory = self.match._memories[0]
        watches = {url: memory.of(url).watch() for url in memory.urls()}
        return {url: watch for url, watch in watches.items() if watch is not None}

    def _sends(self, agent: Any, fact: Any) -> Iterator[Any]:
        outcome = agent.decide(event(fact, timestamp=self.at))
        for part in (outcome, *(outcome.rest or ())):
            yield from part.sends


def test_a_watch_with_a_lost_fact_is_fetched_after_the_next_comparison() -> None:
    both = Both()
    both.subscribe(URLS[0], is_lost=True)
    assert both.watched() == {}
    with capture_logs() as logs:
        (command,) = both.repair()
    assert isinstance(command, FetchDue)
    assert [due.url for due in command.due] == [URLS[0]]
    assert [line["url"] for line in logs if line["event"] == "watch repaired"] == [URLS[0]]
    assert both.repair() == []


def test_a_watch_that_nobody_has_is_forgotten_after_the_next_comparison() -> None:
    both = Both()
    both.subscribe(URLS[0])
    both.cancel(URLS[0], is_lost=True)
    (command,) = both.repair()
    assert isinstance(command, Forget)
    assert both.watched() == {}


def test_a_watch_that_began_while_the_register_was_stated_stays() -> None:
    both = Both()
    (fact,) = [send.record for send in both._sends(both.match, ALL)]
    both.subscribe(URLS[0])
    list(both._sends(both.ticker, fact))
    assert list(both.watched()) == [URLS[0]]


@pytest.mark.parametrize("request_", [Pause, Cancel])
def test_a_statement_that_waits_in_line_does_not_undo_a_later_fact(
    request_: type[Pause | Cancel],
) -> None:
    both = Both()
    both.subscribe(URLS[0])
    both.subscribe(URLS[1], is_lost=True)
    (stated,) = [send.record for send in both._sends(both.match, ALL)]
    waiting = both.ticker.decide(event(stated, timestamp=both.at))
    for url in URLS[:2]:
        both.ask(request_(url, Receiver(CLIENT), "later"))
    assert both.watched() == both.registered()
    list(waiting.rest or ())
    assert both.watched() == both.registered()


steps = st.lists(
    st.tuples(
        st.sampled_from(["subscribe", "cancel", "pause"]),
        st.sampled_from(URLS),
        st.booleans(),
        st.sampled_from([60, 90]),
    ),
    max_size=25,
)


@given(steps, st.integers(1, 4))
def test_after_a_comparison_ticker_has_what_the_register_has_whatever_was_lost(
    taken: list[tuple[str, str, bool, int]], stated: int
) -> None:
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(statements, "MAX_STATED", stated)
        both = Both()
        for what, url, is_lost, interval in taken:
            if what == "subscribe":
                both.subscribe(url, is_lost=is_lost, interval=interval)
            elif what == "cancel":
                both.cancel(url, is_lost=is_lost)
            else:
                both.ask(Pause(url, Receiver(CLIENT), str(both.at)), is_lost=is_lost)
        both.repair()
    assert both.watched() == both.registered()


meanwhile = st.lists(
    st.one_of(
        st.tuples(
            st.sampled_from([Subscribe, Cancel]), st.sampled_from(URLS), st.integers(-50, 50)
        ),
        st.sampled_from(["a part of match", "an event of ticker", "a part of ticker"]),
    ),
    max_size=40,
)


@given(st.sets(st.sampled_from(URLS)), meanwhile, st.integers(1, 4))
def test_a_comparison_leaves_what_changes_while_it_goes_on_whatever_clocks_say(
    before: set[str], taken: list[Any], most: int
) -> None:
    both, at = Both(), 100_000
    for url in sorted(before):
        both.subscribe(url)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(statements, "MAX_STATED", most)
        patched.setattr(url_hashes, "STEP", 1)
        statement = both.match.decide(event(ALL, timestamp=at))
        stating, comparing = iter(statement.rest or ()), iter([Outcome()])
        facts: list[Any] = []
        for number, what in enumerate([*taken, *["a part of match"] * 50]):
            match what:
                case "a part of match":
                    facts += next(stating, Outcome()).sends
                case "an event of ticker" if facts:
                    outcome = both.ticker.decide(event(facts.pop(0).record, timestamp=at))
                    comparing = chain(comparing, outcome.rest or ())
                case "a part of ticker":
                    next(comparing, None)
                case kind, url, skew:
                    request = kind(url, Receiver(CLIENT), str(number), **GIVEN[kind])
                    facts += both.match.decide(event(request, timestamp=at + skew)).sends
        for fact in facts:
            outcome = both.ticker.decide(event(fact.record, timestamp=at))
            comparing = chain(comparing, outcome.rest or ())
        list(comparing)
    assert both.watched() == both.registered()
    assert not both.ticker._agendas[0]._latest, "noted only during comparisons"


def test_a_comparison_of_equals_sends_and_stores_nothing() -> None:
    both = Both()
    for url in URLS:
        both.subscribe(url)
    assert both.repair() == []


def test_all_watches_are_compared_once_in_so_many_periods() -> None:
    ranges = [statement_due(number * PERIOD_MS) for number in range(STATEMENTS)]
    assert (ranges[0].first, ranges[-1].last) == (0, LAST_HASH)
    assert all(a.last + 1 == b.first for a, b in pairwise(ranges))
    assert statement_due(STATEMENTS * PERIOD_MS) == ranges[0]


def test_a_part_of_the_register_is_stated_in_facts_of_limited_size(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(statements, "MAX_STATED", 4)
    both = Both()
    for url in URLS:
        both.subscribe(url)
    half = StateWatches(0, LAST_HASH // 2)
    facts = [send.record for send in both._sends(both.match, half)]
    assert all(isinstance(fact, WatchesStated) for fact in facts)
    assert (facts[0].first, facts[-1].last) == (half.first, half.last)
    assert all(a.last + 1 == b.first for a, b in pairwise(facts))
    assert all(len(fact.watches) <= 4 for fact in facts)
    named = {stated.url for fact in facts for stated in fact.watches}
    assert named == {url for url in URLS if url_hash(url) <= half.last}


def test_match_states_watches_once_in_a_period() -> None:
    match = MatchProcessor(partition_of=lambda _: 0, rules=Rules(60))
    match.begin(0)
    times = [1_000 + n * PERIOD_MS // 5 for n in range(20)]
    ticked = [(now, match.tick(0, now)) for now in times]
    sends: list[Any] = [
        (now, send) for now, each in ticked for part in each.rest or () for send in part.sends
    ]
    stated = [statement_due(n * PERIOD_MS) for n in (1, 2, 3)]
    assert [(send.record.first, send.record.last) for _, send in sends] == [
        (each.first, each.last) for each in stated
    ]
    assert all(send.record.at == now for now, send in sends)
    assert {(send.topic, send.partition) for _, send in sends} == {("subscriptions", 0)}


def test_what_other_owners_have_stated_meanwhile_is_not_stated_again() -> None:
    match = MatchProcessor(partition_of=lambda _: 0, rules=Rules(60))
    match.begin(0)
    assert match.tick(0, 1_000).rest is None
    match.released()
    match.begin(0)
    assert match.tick(0, 1_000 + PERIOD_MS).rest is None
    assert match.tick(0, 1_000 + 2 * PERIOD_MS).rest is not None, "the next period is its own"
