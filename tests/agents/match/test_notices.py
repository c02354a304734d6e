"""Who is notified that a document is there again was notified that it was not."""

from dataclasses import replace
from typing import Any

import pytest

from schemas.records.failures import DocumentFailing, DocumentRecovered
from schemas.records.losses import LoginFound, SelectionFound, SelectionLost
from schemas.records.requests import Cancel, Pause, Rename, Resume, Subscribe
from schemas.records.subscriptions import Receiver, Subscription
from tests.agents.match.test_match import URL, A, B, Partition, subscribe
from tests.fakes.events import event
from tests.fakes.variants import varied

THIRD = {"notify_failures": True, "failing_after": 3}
FIRST = {"notify_failures": True}


class Watched(Partition):
    """A page with one subscription, and what its visits find."""

    def __init__(self, **options: Any) -> None:
        super().__init__()
        self.subscription: Subscription = self.ask(subscribe(A, **options)).subscription
        self._slot = 0

    def replaced(self, **options: Any) -> None:
        request = subscribe(A, request_id=f"r{self._slot}", **options)
        self.ask(replace(request, replace=True), timestamp=2_000_000 + self._slot)

    def says(self, kind: type[Any], *reason: str, **more: Any) -> list[str]:
        self._slot += 1
        fact = kind(
            f"n{self._slot}", URL, self.subscription.watch, self._slot, "", *reason, 9_000_000,
            **more,
        )  # fmt: skip
        return [each.status for each in self.handle(event(fact, topic="changes"))]

    def fails(self, times: int) -> list[str]:
        return self.says(DocumentFailing, "HTTP 500", failures=times)

    def recovers(self, times: int) -> list[str]:
        return self.says(DocumentRecovered, failures=times)


def test_who_asks_for_fewer_failures_than_there_are_is_notified_of_none_and_of_no_end() -> None:
    page = Watched(**THIRD)
    page.fails(1)
    page.fails(2)
    page.replaced(**FIRST)
    assert page.recovers(2) == []
    assert (page.fails(1), page.recovers(1)) == (["failing"], ["recovered"])


def test_who_asks_for_more_failures_is_notified_of_the_end_of_those_it_knows() -> None:
    page = Watched(**FIRST)
    assert page.fails(1) == ["failing"]
    page.replaced(**THIRD)
    assert (page.recovers(2), page.recovers(2)) == (["recovered"], [])


def test_who_subscribes_while_a_document_fails_or_is_lost_is_not_notified_of_the_end() -> None:
    page = Watched(**FIRST)
    assert (page.fails(1), page.says(SelectionLost, "gone")) == (["failing"], ["lost"])
    page.ask(subscribe(B, request_id="late", **FIRST))
    assert page.recovers(1) == ["recovered"]
    assert page.says(SelectionFound) == ["found"]


@pytest.mark.parametrize(("lost", "reason"), [(DocumentFailing, "HTTP 500"), (SelectionLost, "-")])
def test_an_end_while_a_subscription_was_paused_is_over_when_it_is_resumed(
    lost: type[Any], reason: str
) -> None:
    ends = DocumentRecovered if lost is DocumentFailing else LoginFound
    page = Watched(**FIRST)
    assert len(page.says(lost, reason)) == 1
    page.ask(Pause(URL, Receiver(A), request_id="p"))
    assert page.says(ends) == []
    page.ask(Resume(URL, Receiver(A), request_id="q"))
    assert page.says(ends) == []


@pytest.mark.parametrize(
    "again",
    [varied(subscribe(A, request_id="again", **FIRST), replace=True, content_type="text/plain"),
     None],
)  # fmt: skip
def test_another_view_and_another_subscription_of_the_same_client_know_of_no_failure(
    again: Subscribe | None,
) -> None:
    page = Watched(**FIRST)
    page.fails(1)
    if again is None:
        page.ask(Cancel(URL, Receiver(A), request_id="end"))
        again = subscribe(A, request_id="again", **FIRST)
    begun = page.ask(again, timestamp=3_000_000).subscription
    page.subscription = begun
    assert page.says(DocumentRecovered, failures=1, view=begun.view_id) == []


def test_a_worker_that_takes_over_knows_who_was_notified() -> None:
    page = Watched(**FIRST)
    assert page.fails(1) == ["failing"]
    page.start()
    assert page.recovers(1) == ["recovered"]


def test_who_was_notified_of_a_failure_is_notified_of_its_end_also_after_a_rename() -> None:
    page = Watched(**FIRST)
    assert page.fails(1) == ["failing"]
    page.ask(Rename(URL, Receiver(A), "n", new_name="in stock"))
    page.start()
    assert page.recovers(1) == ["recovered"]
    assert page.recovers(1) == []


def test_who_is_renamed_while_others_are_notified_is_notified_too() -> None:
    page = Watched(**FIRST)
    page.ask(subscribe(B, request_id="second", **FIRST))
    watch = page.subscription.watch
    fact = DocumentFailing("f", URL, watch, 1, "", "HTTP 500", 9_000_000, failures=1)
    outcome = page.agent.decide(event(fact, topic="changes"))
    rest = iter(outcome.rest or ())
    parts = [outcome, next(rest)]
    page.ask(Rename(URL, Receiver(B), "n", new_name="in stock"))
    parts += rest
    assert len([send for each in parts for send in each.sends]) == 2
    page._slot = 1
    assert page.recovers(1) == ["recovered", "recovered"]
