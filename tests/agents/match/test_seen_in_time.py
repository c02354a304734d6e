"""A change is for those who were there when it was seen, however late match reads it."""

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import pytest

from schemas.records.changes import DocumentChanged
from schemas.records.failures import DocumentFailing, DocumentRecovered
from schemas.records.notifications import Notification
from schemas.records.requests import Cancel, Expire, Pause, Resume, Subscribe
from schemas.records.subscriptions import Receiver, Subscription
from streams.agents.match.register.registrations import MAX_ENDED, MAX_ENDED_SIZE
from streams.values.lifetimes import REMEMBERED_MS
from streams.values.partitions import partition_of
from tests.agents.match.test_match import URL, A, B, Partition, change, crowd, subscribe
from tests.agents.percolate.test_percolate import A as PAGE
from tests.agents.percolate.test_percolate import change_of, watching, wide
from tests.fakes.events import event
from tests.harness.percolation import PARTITIONS, Percolation

ASKED = 10_000
FEW, MANY = 2, 80
"""Subscriptions of a page: of many there is an index."""


def begun(count: int = FEW) -> tuple[Partition, Subscription]:
    """Subscribe A at the time ASKED to a page that others watch."""
    partition, _ = crowd(count)
    return partition, partition.ask(subscribe(A, "a"), timestamp=ASKED).subscription


def ask(partition: Partition, kind: Any, at: int) -> Any:
    return partition.ask(kind(URL, Receiver(A), request_id=f"{kind.__name__} {at}"), timestamp=at)


def seen(partition: Partition, watch: str, at: int) -> set[str]:
    """Return the subscriptions of A that are notified of what was seen at a time."""
    facts = partition.handle(event(replace(change(watch, at=at), id=f"seen at {at}")))
    return {each.subscription for each in facts if each.receiver == Receiver(A)}


@pytest.mark.parametrize("count", [FEW, MANY])
@pytest.mark.parametrize("is_restarted", [False, True])
@pytest.mark.parametrize("kind", [Pause, Cancel])
def test_what_was_seen_before_a_request_is_notified_though_it_is_read_after_it(
    kind: Any, count: int, is_restarted: bool
) -> None:
    partition, one = begun(count)
    ask(partition, kind, 20_000)
    if is_restarted:
        partition.start()
    times = (ASKED - 1, ASKED, 19_999, 20_000, 30_000)
    expected = [set(), {one.id}, {one.id}, set(), set()]
    assert [seen(partition, one.watch, at) for at in times] == expected


def test_what_was_seen_while_it_was_paused_is_not_notified_after_it_is_resumed() -> None:
    partition, one = begun()
    ask(partition, Pause, 20_000)
    ask(partition, Resume, 30_000)
    ask(partition, Pause, 40_000)
    times = (19_999, 20_000, 29_999, 30_000, 39_999, 40_000)
    found = [seen(partition, one.watch, at) == {one.id} for at in times]
    assert found == [True, False, False, True, True, False]


def test_a_second_subscription_begins_at_once_and_each_is_notified_of_what_it_was_for() -> None:
    partition, first = begun()
    ask(partition, Cancel, 20_000)
    second = partition.ask(subscribe(A, "again"), timestamp=25_000).subscription
    assert second.id != first.id
    times = (19_999, 20_000, 24_999, 25_000)
    found = [seen(partition, first.watch, at) for at in times]
    assert found == [{first.id}, set(), set(), {second.id}]


def test_what_ends_while_others_are_notified_is_notified_of_what_was_seen_before() -> None:
    partition, one = begun()
    rest = partition.agent.decide(event(change(one.watch, at=15_000))).rest
    assert rest is not None
    first = next(send for part in rest for send in part.sends)
    assert first.key != A, "the oldest is the first"
    ask(partition, Cancel, 20_000)
    assert A in [send.key for part in rest for send in part.sends]


def test_an_ended_subscription_counts_for_no_watch_no_quota_and_no_conflict() -> None:
    partition = Partition()
    partition.ask(subscribe(), timestamp=ASKED)
    assert ask(partition, Cancel, 20_000).watch is None
    assert partition.active() == set()
    assert partition.agent.sizes()["subscriptions"] == 0
    assert ask(partition, Cancel, 21_000).code == 7


def test_a_lease_that_has_ended_had_not_when_a_page_was_seen_before() -> None:
    partition, _ = crowd(FEW)
    leased = Subscribe(URL, Receiver(A), "a", keywords=("zeus",))
    leased = replace(leased, options=replace(leased.options, interval=60, lease=60))
    one = partition.ask(leased, timestamp=ASKED).subscription
    partition.tick(ASKED + 60_000)
    assert one.id not in partition.active()
    assert seen(partition, one.watch, ASKED + 59_999) == {one.id}
    assert seen(partition, one.watch, ASKED + 60_000) == set()


def test_who_is_gone_is_notified_of_nothing_more() -> None:
    partition, one = begun()
    partition.ask(Expire(URL, one.id, "410", receiver=Receiver(A)), timestamp=20_000)
    assert seen(partition, one.watch, 15_000) == set()


def test_a_worker_whose_clock_is_behind_has_seen_no_page_before_its_slot() -> None:
    partition, one = begun()
    behind = replace(change(one.watch, at=ASKED - 3_600_000), slot=ASKED + 500)
    assert A in [each.receiver.client_url for each in partition.handle(event(behind))]


def test_a_clock_that_was_ahead_moves_no_beginning() -> None:
    partition, watch = crowd(FEW)
    ask_at = 5_000
    partition.ask(subscribe(B, "b"), timestamp=ASKED)  # a broker whose clock is ahead
    one = partition.ask(subscribe(A, "a"), timestamp=ask_at).subscription
    assert one.created == ASKED, "times of a page's facts never go back"
    assert seen(partition, watch, ask_at) == {one.id}
    assert seen(partition, watch, ask_at - 1) == set()


def test_of_what_has_ended_no_more_is_remembered_than_there_is_room_for() -> None:
    partition, watch = crowd(FEW)
    for number in range(3 * MAX_ENDED):
        partition.ask(subscribe(A, f"{number}"), timestamp=ASKED + 10 * number)
        ask(partition, Cancel, ASKED + 10 * number + 5)
    assert sum(len(each.ended) for each in rows(partition)) == MAX_ENDED
    long = tuple("word" + "x" * 90 + str(number) for number in range(MAX_ENDED_SIZE // 90))
    partition.ask(subscribe(A, "long", keywords=long), timestamp=10**6)
    ask(partition, Cancel, 2 * 10**6)
    assert sum(len(each.ended) for each in rows(partition)) == 0
    assert seen(partition, watch, 10**6 + 5) == set()


def rows(partition: Partition) -> Iterable[Any]:
    return [each for each in partition.rows.values() if hasattr(each, "ended")]


def test_what_ended_hours_ago_is_forgotten_with_the_next_request() -> None:
    partition, _ = begun()
    ask(partition, Cancel, 20_000)
    partition.ask(subscribe(A, "again"), timestamp=20_000 + REMEMBERED_MS)
    assert sum(len(each.ended) for each in rows(partition)) == 0


def test_a_failure_that_was_seen_before_the_end_is_notified_after_it() -> None:
    partition, _ = crowd(FEW)
    one = partition.ask(subscribe(A, "a", notify_failures=True), timestamp=ASKED).subscription
    names = URL, one.watch, 5, "text/html"
    partition.handle(event(DocumentFailing("f", *names, "HTTP 500", 15_000)))
    ask(partition, Cancel, 20_000)

    def statuses(fact: Any) -> list[str]:
        return [each.status for each in partition.handle(event(fact))]

    assert statuses(DocumentFailing("g", *names, "HTTP 500", 18_000)) == ["failing"]
    assert statuses(DocumentFailing("h", *names, "HTTP 500", 20_000)) == []
    assert statuses(DocumentRecovered("r", *names, 19_000)) == ["recovered"]
    assert statuses(DocumentRecovered("s", *names, 20_000)) == []


def test_a_page_that_was_watched_when_it_was_seen_counts_for_several_pages() -> None:
    deployment = Percolation()
    for request in (wide("zeus"), watching(PAGE)):
        deployment.ask(request)
    watched = change_of(deployment, PAGE, "zeus")
    end = Cancel(PAGE, Receiver(session="anna-reader"), "end", "anna")
    partition = partition_of(PAGE, PARTITIONS)
    deployment.waiting.append(("match", event(end, partition=partition, timestamp=2_000_000)))
    deployment.run()
    assert deployment.answers[-1].at == 2_000_000
    assert len(several(deployment, replace(watched, at=1_999_999, id="1"))) == 1
    assert several(deployment, replace(watched, at=2_000_000, id="2")) == []


def several(deployment: Percolation, fact: DocumentChanged) -> list[Notification]:
    """Return the notifications of subscriptions for several pages."""
    return [each for each in deployment.change(fact) if each.pages]
