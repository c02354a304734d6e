"""A word that very many subscriptions have holds no loop, also where nobody is notified of it."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from schemas.records.changes import DocumentChanged
from schemas.records.notifications import Notification
from schemas.records.percolations import Percolate, StoreQuery, Watcher
from schemas.records.subscriptions import Options, Receiver, Subscription
from streams.agents.match import percolations
from streams.agents.percolate import agent as percolate
from streams.agents.percolate.agent import PercolateProcessor
from streams.matching.terms.notifying import is_for as is_for_page
from streams.matching.terms.terms import placed
from streams.values.outcome import Outcome
from streams.values.partitions import partition_of
from tests.agents.percolate.test_percolate import A, change_of, watching, wide
from tests.fakes.events import event
from tests.fakes.regions import added
from tests.harness.percolation import PARTITIONS, Percolation

MANY = 1_000
STEP = 100
PAGE = "https://a.example.org/"
CHANGE = DocumentChanged(
    "c", PAGE, "w", 5, 0, "text/html", "en", (added("Where is the giant?"),), MANY
)


@pytest.fixture(autouse=True)
def _small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(percolate, "STEP", STEP)
    monkeypatch.setattr(percolations, "MANAGERS_STEP", 1)


@pytest.fixture
def looked(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The subscriptions that were looked at since it was cleared."""
    found: list[str] = []

    def is_for(subscription: Subscription, *rest: Any) -> bool:
        found.append(subscription.id)
        return is_for_page(subscription, *rest)

    monkeypatch.setattr(percolate, "is_for", is_for)
    return found


@pytest.mark.parametrize(
    ("document", "keywords", "notified"),
    [
        ("pages:*", ("the",), MANY),
        ("pages:*", ("the", "giant"), MANY),
        ("pages:*", ("*",), MANY),
        ("pages:tag=others", ("the",), 0),
        ("pages:*.example.com", ("*",), 0),
    ],
)
def test_a_word_of_very_many_subscriptions_is_matched_in_parts(
    looked: list[str], document: str, keywords: tuple[str, ...], notified: int
) -> None:
    agent = _agent_with(_subscription(number, document, keywords) for number in range(MANY))
    outcome = agent.decide(_event(Percolate(CHANGE, (Watcher("anna", ("gods",)),))))
    assert not looked
    assert outcome.line == PAGE, "other pages pass it between two parts"
    sent = set[str]()
    for part in outcome.rest or ():
        assert len(looked) <= STEP
        assert len(tuple(part.sends)) <= 1
        records = [each.record for each in part.sends]
        sent.update(each.subscription for each in records if isinstance(each, Notification))
        looked.clear()
    assert len(looked) <= STEP
    assert len(sent) == notified


def test_another_subscription_is_stored_while_a_word_of_many_is_matched(looked: list[str]) -> None:
    agent = _agent_with(_subscription(number, "pages:*", ("the",)) for number in range(MANY))
    parts = iter(agent.decide(_event(Percolate(CHANGE, (Watcher("anna", ()),)))).rest or ())
    _until_sent(parts)
    (query,) = placed(_subscription(MANY, "pages:*", ("zeus",)), 1).values()
    stored = agent.decide(_event(query))
    assert [put.record for put in stored.puts] == [query]
    assert agent.sizes() == {"queries": MANY + 1}
    assert _until_sent(parts) is not None


def test_what_begins_while_a_change_waits_for_its_turn_is_not_notified_of_it() -> None:
    agent = _agent_with(iter([_subscription(1, "pages:*", ("the",))]))
    command = agent.decide(_event(Percolate(CHANGE, (Watcher("anna", ()),))))
    later = replace(_subscription(2, "pages:*", ("the",)), created=CHANGE.at + 1_000)
    (query,) = placed(later, 1).values()
    agent.decide(_event(query))
    sends = [send.record for part in command.rest or () for send in part.sends]
    notified = [each.subscription for each in sends if isinstance(each, Notification)]
    assert notified == [_subscription(1, "pages:*", ("the",)).id]


def test_a_change_that_very_many_managers_wait_for_is_sent_in_parts() -> None:
    deployment = Percolation()
    names = [f"manager-{number}" for number in range(120)]
    for name in names:
        deployment.ask(wide("zeus", manager=name))
        deployment.ask(watching(A, name))
    change = change_of(deployment, A, "zeus")
    deployment.put("changes", change, partition_of(A, PARTITIONS))
    outcomes = deployment.outcomes(*deployment.waiting[0])
    assert len(outcomes) > len(names)
    sends = [send.record for each in outcomes for send in each.sends]
    commands = [each for each in sends if isinstance(each, Percolate)]
    assert [len(each.watchers) for each in commands] == [50, 50, 20]
    deployment.run()
    assert {each.manager for each in deployment.notifications} == set(names)


def _agent_with(subscriptions: Iterator[Subscription]) -> PercolateProcessor:
    agent = PercolateProcessor(partitions=1)
    agent.begin(0)
    for each in subscriptions:
        (query,) = placed(each, 1).values()
        agent.decide(_event(query))
    return agent


def _subscription(number: int, document: str, keywords: tuple[str, ...]) -> Subscription:
    return Subscription(
        id=f"s{number}",
        watch="",
        manager="anna",
        document_url=document,
        url=document,
        receiver=Receiver(session=f"r{number}"),
        keywords=keywords,
        options=Options(ignore_case=True),
        created=number,
    )


def _event(record: StoreQuery | Percolate) -> Any:
    return event(record, topic="percolations", partition=0)


def _until_sent(parts: Iterator[Outcome]) -> Outcome | None:
    return next((part for part in parts if part.sends), None)
