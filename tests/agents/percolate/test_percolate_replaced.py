"""A subscription for several pages that is replaced while a change of one is on its way."""

from collections.abc import Collection, Iterator
from dataclasses import replace
from itertools import combinations, pairwise, product
from typing import Any

import pytest

from schemas.records.changes import DocumentChanged
from schemas.records.notifications import Notification
from schemas.records.percolations import Percolate, Watcher
from schemas.records.subscriptions import Options, Receiver, Subscription
from streams.agents.match.percolations import Placing
from streams.agents.percolate.agent import PercolateProcessor
from streams.agents.percolate.queries import KEPT_MS
from streams.matching.terms.notifying import DOUBT_MS
from streams.matching.terms.terms import partition_of_term, term_of
from streams.values.outcome import Outcome, Send
from tests.fakes.events import event
from tests.fakes.regions import added
from tests.harness.percolation import PARTITIONS

REPLACED = 5_000_000
"""When the subscription was replaced (epoch ms)."""


def _words() -> list[str]:
    """Return one word for each partition."""
    found: dict[int, str] = {}
    for number in range(50):
        term = term_of(f"word{number}", Options(), "en")
        found.setdefault(partition_of_term(term, "m", PARTITIONS), f"word{number}")
    return [found[each] for each in range(PARTITIONS)]


WORDS = _words()
PLACING = Placing(PARTITIONS, str)
CHANGE = DocumentChanged(
    "c", "https://a.example.org/", "w", 5, 0, "text/html", "en", (added(" ".join(WORDS)),), REPLACED
)
SUBSETS = [
    set(each) for size in range(PARTITIONS + 1) for each in combinations(range(PARTITIONS), size)
]


def subscribed(*keywords: str) -> Subscription:
    receiver = Receiver(session="me")
    return Subscription("s", "", "m", "pages:*", "pages:*", receiver, keywords, Options(), 1)


class Deployment:
    """Percolate with all partitions, and what they notify of one change."""

    def __init__(self, before: Subscription) -> None:
        self.agent = PercolateProcessor(partitions=PARTITIONS)
        for each in range(PARTITIONS):
            self.agent.begin(each)
        self.hear(PLACING.sends(None, before, 0), range(PARTITIONS))

    def hear(self, sends: Iterator[Send], partitions: Collection[int], at: int = 0) -> list[Any]:
        """Let some partitions hear at a time; return what they say of it."""
        return [
            said.record
            for send in sends
            if send.partition in partitions
            for said in self._decide(send.record, send.partition or 0, at).sends
        ]

    def begin(self, change: DocumentChanged, partition: int) -> Iterator[Outcome]:
        found = self._decide(Percolate(change, (Watcher("m", ()),)), partition)
        return found.rest or iter(())

    def _decide(self, record: Any, partition: int, at: int = 0) -> Outcome:
        return self.agent.decide(
            event(record, topic="percolations", partition=partition, timestamp=at)
        )


def notified(parts: Iterator[Outcome]) -> list[Any]:
    return [send.record for part in parts for send in part.sends]


def pairs() -> Iterator[tuple[Subscription, Subscription]]:
    """Yield replacements that keep a word of the change."""
    a, b, c = WORDS
    for before, after in product(((a,), (a, b), (b, a), (c, b, a)), repeat=2):
        if before != after and set(before) & set(after):
            yield subscribed(*before), subscribed(*after)


@pytest.mark.parametrize("late", SUBSETS, ids=str)
def test_whichever_partitions_hear_of_it_first_the_change_is_notified_under_one_id(
    late: set[int],
) -> None:
    others = set(range(PARTITIONS)) - late
    for before, after in pairs():
        deployment = Deployment(before)
        deployment.hear(PLACING.sends(before, after, REPLACED), others)
        found = [
            each
            for partition in range(PARTITIONS)
            for each in notified(deployment.begin(CHANGE, partition))
        ]
        assert len({each.id for each in found}) == 1, (before.keywords, after.keywords)


@pytest.mark.parametrize("early", SUBSETS, ids=str)
def test_a_change_that_is_being_matched_meanwhile_is_notified_under_one_id(early: set[int]) -> None:
    for before, after in pairs():
        deployment = Deployment(before)
        done = [each for at in early for each in notified(deployment.begin(CHANGE, at))]
        begun = [deployment.begin(CHANGE, at) for at in set(range(PARTITIONS)) - early]
        deployment.hear(PLACING.sends(before, after, REPLACED), range(PARTITIONS))
        done += [each for parts in begun for each in notified(parts)]
        assert len({each.id for each in done}) == 1, (before.keywords, after.keywords)


def test_a_later_change_is_notified_once_and_by_the_new_words_alone() -> None:
    later = replace(CHANGE, at=REPLACED + DOUBT_MS)
    for before, after in pairs():
        deployment = Deployment(before)
        deployment.hear(PLACING.sends(before, after, REPLACED), range(PARTITIONS))
        found = [each for at in range(PARTITIONS) for each in notified(deployment.begin(later, at))]
        (one,) = found
        assert isinstance(one, Notification)
        assert {each.keyword for each in one.diffs} == set(after.keywords)


@pytest.mark.parametrize("ended", [None, "paused"])
def test_one_that_ends_or_is_paused_meanwhile_is_not_notified(ended: str | None) -> None:
    before = subscribed(*WORDS)
    after = None if ended is None else replace(before, paused=True)
    deployment = Deployment(before)
    begun = [deployment.begin(CHANGE, at) for at in range(PARTITIONS)]
    deployment.hear(PLACING.sends(before, after, REPLACED), range(PARTITIONS))
    assert [each for parts in begun for each in notified(parts)] == []
    assert deployment.agent.sizes() == {"queries": 0 if ended is None else PARTITIONS}


def test_where_it_has_no_word_any_more_a_subscription_is_forgotten_after_a_while() -> None:
    a, b, _ = WORDS
    deployment, everywhere = Deployment(subscribed(a)), range(PARTITIONS)
    deployment.hear(PLACING.sends(subscribed(a), subscribed(b), REPLACED), everywhere)
    other = replace(subscribed(*WORDS), id="other", manager="n")
    before = deployment.hear(PLACING.sends(None, other, 0), everywhere, REPLACED + KEPT_MS - 1)
    assert deployment.agent.sizes() == {"queries": 2 + PARTITIONS}
    paused = replace(other, paused=True)
    after = deployment.hear(PLACING.sends(other, paused, 0), everywhere, REPLACED + KEPT_MS)
    assert deployment.agent.sizes() == {"queries": 1 + PARTITIONS}
    assert {each.manager for each in before} == {"n"}
    assert {(each.manager, each.partition, each.terms) for each in after} == {("m", 0, ())}


def test_another_request_ends_what_is_left_of_the_one_before() -> None:
    a, b, _ = WORDS
    deployment = Deployment(subscribed(a))
    versions = [subscribed(a), subscribed(b), replace(subscribed(b), paused=True), None]
    for before, after in pairwise(versions):
        deployment.hear(PLACING.sends(before, after, REPLACED), range(PARTITIONS))
        if after is not None and after.paused:
            assert deployment.agent.sizes() == {"queries": 1}
    assert deployment.agent.sizes() == {"queries": 0}
