"""What match keeps in memory and what its table holds agree, before and after a recovery."""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from schemas.codec import wire
from schemas.records.changes import DocumentChanged
from schemas.records.notifications import Notification
from schemas.records.subscriptions import Subscription
from schemas.records.table_rows import Registration
from streams.agents.match.agent import MatchProcessor
from streams.agents.match.register.requests import Rules
from streams.engine.faust.state import PatchedStore
from tests.fakes.events import event
from tests.fakes.regions import added
from tests.harness.local_copies import opened
from tests.harness.register_model import requests

REQUESTS, DOCUMENTS, CLIENTS = 1_500, 3, 150
"""So many clients of a document that it has an index."""


def rows(store: PatchedStore) -> Iterator[tuple[bytes, bytes]]:
    return (row for row in store._db_for_partition(0).items() if row[0] != store.offset_key)


def subscribed(store: PatchedStore) -> list[Subscription]:
    """The subscriptions that the table holds, but for paused ones."""
    found = (wire.decode(value, Registration).subscription for _, value in rows(store))
    return [each for each in found if each is not None and not each.paused]


def notified(agent: MatchProcessor, there: list[Subscription], words: str) -> Counter[str]:
    """How often each subscription is notified when these words come into each document."""
    found: Counter[str] = Counter()
    for url, watch in {(each.url, each.watch) for each in there}:
        change = DocumentChanged(
            "c", url, watch, 5, 0, "text/html", "en", (added(words),), at=2_000_000
        )
        parts = agent.decide(event(change, topic="changes")).rest or ()
        sends = [send for part in parts for send in part.sends]
        facts = [send.record for send in sends if isinstance(send.record, Notification)]
        found.update(fact.subscription for fact in facts)
    return found


@pytest.mark.parametrize("seed", [0, pytest.param(1, marks=pytest.mark.slow)])
def test_index_and_table_agree_whatever_was_asked_for_and_also_after_a_recovery(
    tmp_path: Path, seed: int
) -> None:
    agent, store = MatchProcessor(partition_of=lambda url: 0, rules=Rules(60)), opened(tmp_path)
    agent.begin(0)
    for number, request in enumerate(requests(REQUESTS, DOCUMENTS, CLIENTS, seed)):
        puts = agent.decide(event(request, offset=number)).puts
        encoded = [(p.key, None if p.record is None else wire.encode(p.record)) for p in puts]
        store.write(0, encoded, number)
    there = subscribed(store)
    assert max(Counter(each.url for each in there).values()) >= 64
    store._db_for_partition(0).close()

    again, recovered = opened(tmp_path), MatchProcessor(partition_of=lambda url: 0, rules=Rules(60))
    recovered.begin(0)
    for key, value in rows(again):
        recovered.load(0, key, value)
    words = " ".join(word for each in there for word in each.keywords)
    expected = Counter(each.id for each in there)
    assert notified(agent, there, words) == expected
    assert notified(recovered, there, words) == expected
    one = there[len(there) // 2]
    assert notified(recovered, there, one.keywords[0])[one.id] == 1
