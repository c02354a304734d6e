"""Filters of terms on their way from percolate to match, which misses none of the terms."""

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.codec import wire
from schemas.records.changes import DocumentChanged
from schemas.records.percolations import (
    DropQuery,
    Interest,
    Percolate,
    StoreQuery,
    TermFilter,
    Watcher,
)
from schemas.records.subscriptions import Options, Receiver, Subscription
from streams.agents.match.agent import MatchProcessor
from streams.agents.match.register.requests import Rules
from streams.agents.percolate import manager_terms
from streams.agents.percolate.agent import PercolateProcessor
from streams.agents.percolate.manager_terms import MAX_ADDED, MAX_TERMS, PAUSE_MS
from streams.matching.terms import term_filters
from streams.values.outcome import Outcome
from streams.values.steps import completed
from tests.fakes.events import event
from tests.fakes.regions import added
from tests.harness.examples import examples

PARTITIONS = 2
OWN = 1
"""The partition of percolate that is looked at: it has odd terms."""
NOW = 1_000_000
PAGE = "https://a.example.org/"


def query(name: int, terms: Iterable[int]) -> StoreQuery:
    receiver = Receiver(session=f"s{name}")
    subscription = Subscription(
        f"s{name}", "", "m", "pages:*", "pages:*", receiver, ("k",), Options(), 1
    )
    return StoreQuery(subscription, tuple(terms), everything=False)


def odd(count: int, start: int = 0) -> range:
    return range(2 * start + 1, 2 * (start + count), 2)


def change() -> Percolate:
    fact = DocumentChanged("c", PAGE, "w", 5, 0, "text/html", "en", (added("Zeus"),), NOW)
    return Percolate(fact, (Watcher("m", ()),))


class Deployment:
    """One partition of percolate, and what one of match knows of it, each with its table."""

    def __init__(self) -> None:
        self.sent: list[Any] = []
        self.stored: dict[bytes, Any] = {}
        self.known: dict[bytes, Any] = {}
        self.restart_percolate()
        self.restart_match()

    def restart_percolate(self) -> None:
        """Forget all but the table."""
        self.running: list[Iterator[Outcome]] = []
        self.percolate = PercolateProcessor(partitions=PARTITIONS)
        self.percolate.begin(OWN)
        for key, row in self.stored.items():
            self.percolate.load(OWN, key, wire.encode(row))

    def restart_match(self) -> None:
        """Forget all but the table."""
        self.match = MatchProcessor(
            partition_of=lambda key: 0, rules=Rules(60), partitions=PARTITIONS
        )
        self.match.begin(0)
        for key, row in self.known.items():
            self.match.load(0, key, wire.encode(row))

    def begin(self, fact: Any, at: int = NOW) -> None:
        """Let percolate decide on a message of a time, and not yet on the parts of the rest."""
        outcome = self.percolate.decide(
            event(fact, topic="percolations", partition=OWN, timestamp=at)
        )
        self._apply(outcome)
        if outcome.rest is not None:
            self.running.append(outcome.rest)

    def part(self) -> None:
        """Let percolate decide on the next part of the oldest outcome."""
        if self.running:
            part = next(self.running[0], None)
            if part is None:
                self.running.pop(0)
            else:
                self._apply(part)

    def decide(self, fact: Any, at: int = NOW) -> list[Any]:
        """Let percolate decide on a message; return what match gets of it."""
        before = len(self.sent)
        self.begin(fact, at)
        while self.running:
            self.part()
        return self.sent[before:]

    def wanted(self, *terms: int) -> bool:
        """Return whether match would send a change with these terms."""
        interests = self.match._memories[0].interests
        of_change = {OWN: set(terms)}
        return bool(completed(interests.partitions("m", of_change, of_change)))

    def _apply(self, outcome: Outcome) -> None:
        sends = list(outcome.sends)
        counts = Counter(each.topic for each in sends if isinstance(each.record, Interest))
        assert {*counts.values()} <= {PARTITIONS}, "each partition of match hears of it"
        for send in sends:
            if send.partition == 0 and send.topic == "interests":
                self.sent.append(send.record)
                self._hear(send.record)
        for put in outcome.puts:
            _write(self.stored, put)

    def _hear(self, record: Any) -> None:
        copy = wire.decode(wire.encode(record), type(record))
        for put in self.match.decide(event(copy, topic="interests")).puts:
            _write(self.known, put)


def _write(rows: dict[bytes, Any], put: Any) -> None:
    if put.record is None:
        rows.pop(put.key, None)
    else:
        rows[put.key] = put.record


def kinds(records: list[Any]) -> list[str]:
    return [type(each).__name__ for each in records]


def test_of_many_terms_match_gets_a_filter_and_expects_any_until_then() -> None:
    deployment = Deployment()
    deployment.begin(query(1, odd(1_000)))
    assert [each.many for each in deployment.sent] == [True]
    assert deployment.wanted(999_999)
    while deployment.running:
        deployment.part()
        assert all(deployment.wanted(each) for each in odd(1_000))
    assert kinds(deployment.sent) == ["Interest", "TermFilter", "Interest"]
    assert [deployment.wanted(each) for each in (999_999, 999_997)] == [False, False]


def test_new_terms_are_sent_one_by_one_until_the_next_filter() -> None:
    deployment = Deployment()
    deployment.decide(query(1, odd(1_000)))
    (said,) = deployment.decide(query(2, odd(3, start=5_000)), NOW + 1)
    assert said.terms == tuple(odd(3, start=5_000))
    assert deployment.wanted(*odd(3, start=5_000))
    assert not deployment.wanted(999_999)
    said = deployment.decide(query(3, odd(100, start=6_000)), NOW + PAUSE_MS)
    assert kinds(said) == ["Interest", "TermFilter", "Interest"]
    assert [(each.terms, each.many) for each in said[2:]] == [((), False)]
    assert all(deployment.wanted(each) for each in odd(100, start=6_000))


def test_a_filter_is_made_every_ten_seconds_at_most_and_then_with_any_message() -> None:
    deployment = Deployment()
    deployment.decide(query(1, odd(1_000)))
    said = deployment.decide(query(2, odd(MAX_ADDED + 1, start=5_000)), NOW + 1)
    assert [(each.many, each.terms) for each in said] == [(True, ())]
    assert deployment.decide(query(3, odd(10, start=5_000)), NOW + PAUSE_MS - 1) == []
    assert deployment.wanted(999_999)
    assert kinds(deployment.decide(change(), NOW + PAUSE_MS - 1)) == []
    assert kinds(deployment.decide(change(), NOW + PAUSE_MS)) == ["TermFilter", "Interest"]
    assert not deployment.wanted(999_999)
    assert deployment.decide(change(), NOW + 10 * PAUSE_MS) == []


def test_once_there_are_few_terms_match_forgets_the_filter() -> None:
    deployment = Deployment()
    deployment.decide(query(1, odd(1_000)))
    deployment.decide(query(2, odd(MAX_TERMS)), NOW + 1)
    assert {type(each) for each in deployment.known.values()} == {Interest, TermFilter}
    (said,) = deployment.decide(DropQuery("s1"), NOW + 2)
    assert (said.filter_made, len(said.terms)) == (None, MAX_TERMS)
    assert {type(each) for each in deployment.known.values()} == {Interest}
    deployment.decide(DropQuery("s2"), NOW + 3)
    assert deployment.known == deployment.stored == {}


def test_a_filter_of_terms_that_are_gone_before_it_was_sent_is_forgotten() -> None:
    deployment = Deployment()
    deployment.begin(query(1, odd(1_000)))
    deployment.begin(DropQuery("s1"))
    while deployment.running:
        deployment.part()
    assert deployment.known == {}


def test_after_a_restart_match_hears_again_what_it_may_not_have_heard() -> None:
    deployment = Deployment()
    deployment.decide(query(1, odd(1_000)))
    deployment.restart_percolate()
    said = deployment.decide(query(2, odd(3, start=5_000)), NOW + 1)
    assert kinds(said) == ["Interest", "TermFilter", "Interest"]
    assert deployment.wanted(*odd(3, start=5_000))
    assert not deployment.wanted(999_999)


def test_a_term_that_comes_while_a_filter_is_made_is_sent_with_it() -> None:
    deployment = Deployment()
    deployment.begin(query(1, odd(3_000)))
    deployment.part()
    deployment.begin(query(2, [99_999]))
    while deployment.running:
        deployment.part()
        assert deployment.wanted(99_999)
    assert deployment.sent[-1].terms == (99_999,)
    assert not deployment.wanted(999_999)


def test_a_term_that_comes_back_while_a_filter_without_it_is_made_is_not_missed() -> None:
    deployment, again = Deployment(), odd(200, start=900)
    deployment.decide(query(1, odd(900)))
    deployment.decide(query(2, again), NOW + PAUSE_MS)
    deployment.begin(DropQuery("s2"), NOW + 2 * PAUSE_MS)
    deployment.part()
    deployment.begin(query(2, again), NOW + 2 * PAUSE_MS)
    while deployment.running:
        assert all(deployment.wanted(each) for each in again)
        deployment.part()
    assert [deployment.sent[-1].terms, deployment.wanted(999_999)] == [tuple(again), False]


def test_a_filter_that_match_cannot_read_hides_no_term(monkeypatch: pytest.MonkeyPatch) -> None:
    deployment = Deployment()
    deployment.decide(query(1, odd(1_000)))
    monkeypatch.setattr(term_filters, "SCHEME", term_filters.SCHEME + 1)
    deployment.restart_match()
    assert all(deployment.wanted(each) for each in (*odd(1_000), 999_999))


numbers = st.lists(st.integers(0, 60).map(lambda each: 2 * each + 1), max_size=8, unique=True)
moves = st.lists(
    st.one_of(
        st.tuples(st.just("store"), st.integers(0, 6), numbers),
        st.tuples(st.just("drop"), st.integers(0, 6)),
        st.tuples(st.just("change")),
        st.tuples(st.just("wait"), st.integers(0, 12_000)),
        st.tuples(st.just("parts"), st.integers(1, 20)),
        st.tuples(st.just("restart percolate")),
        st.tuples(st.just("restart match")),
    ),
    max_size=50,
)


@pytest.fixture
def _early(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is so of many terms is so of a few; a filter is made term by term."""
    monkeypatch.setattr(manager_terms, "MAX_TERMS", 4)
    monkeypatch.setattr(manager_terms, "MAX_ADDED", 3)
    monkeypatch.setattr(manager_terms, "MAX_FILTERED", 40)
    monkeypatch.setattr(term_filters, "STEP", 2)


@pytest.mark.usefixtures("_early")
@examples(200)
@given(moves)
def test_whatever_happens_while_filters_are_on_the_way_match_misses_no_term(
    taken: list[Any],
) -> None:
    deployment, now = Deployment(), NOW
    for move, *values in taken:
        if move == "wait":
            now += values[0]
        else:
            _do(deployment, move, values, now)
        terms = {term for each in deployment.stored.values() for term in each.terms}
        assert all(deployment.wanted(each) for each in terms)


def _do(deployment: Deployment, move: str, values: list[Any], now: int) -> None:
    match move:
        case "store":
            deployment.begin(query(*values), now)
        case "drop":
            deployment.begin(DropQuery(f"s{values[0]}"), now)
        case "change":
            deployment.begin(change(), now)
        case "parts":
            for _ in range(values[0]):
                deployment.part()
        case "restart percolate":
            deployment.restart_percolate()
        case "restart match":
            deployment.restart_match()
