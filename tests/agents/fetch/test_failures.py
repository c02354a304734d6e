"""What is said of a document that fails: by whom its view is used, and what they ask for."""

from dataclasses import replace

import pytest

from schemas.codec import versions, wire
from schemas.records.documents import Document
from schemas.records.failures import DocumentFailing, DocumentRecovered, DocumentUnreachable
from schemas.records.views import WatchedView
from streams.agents.fetch.due_view import DueView
from streams.agents.fetch.state.failures import state_after_failure, state_after_recovery
from streams.agents.fetch.state.snapshots import state_after_page
from tests.fakes.read_pages import read_page

DEFAULT = 3
PAGE = read_page("new")


def due(slot: int = 1, **watched: object) -> DueView:
    return DueView("http://d.test/", "w", slot, replace(WatchedView(), **watched))  # type: ignore[arg-type]  # its fields


def failed(before: Document | None, asked: DueView) -> Document:
    return state_after_failure(before, asked, reason="HTTP 404", max_failures=DEFAULT, at=9)


def said(document: Document) -> list[object]:
    return [wire.decode(record, *versions.KINDS) for record in document.unpublished]


def ends(times: int, **watched: object) -> list[tuple[int, int]]:
    """Fail so often; the failures at which subscriptions end, and the deployment's number."""
    document, found = None, []
    for slot in range(1, times + 1):
        document = failed(document, due(slot, **watched))
        for fact in said(document):
            assert isinstance(fact, DocumentUnreachable)
            found.append((fact.failures, fact.max_failures))
    return found


@pytest.mark.parametrize(
    ("watched", "expected"),
    [
        ({}, [(3, 3), (4, 3)]),
        ({"max_failures": 2}, [(2, 3), (3, 3), (4, 3)]),
        ({"max_failures": 4}, [(3, 3), (4, 3)]),
        ({"max_failures": 4, "by_default": False}, [(4, 3)]),
        ({"by_default": False}, []),
    ],
)
def test_the_smallest_number_that_a_subscription_allows_counts(
    watched: dict[str, object], expected: list[tuple[int, int]]
) -> None:
    assert ends(4, **watched) == expected


def test_who_asks_for_it_is_notified_of_the_first_failure_and_of_the_next_reading() -> None:
    first = failed(None, due(1, notices=(1,)))
    second = failed(first, due(2, notices=(1,)))
    (failing,) = said(first)
    assert isinstance(failing, DocumentFailing)
    assert (failing.reason, failing.at, second.unpublished) == ("HTTP 404", 9, ())
    read = state_after_page(second, due(3, notices=(1,)), *PAGE, lambda *_: (), lambda _: "en")
    same = state_after_recovery(second, due(3, notices=(1,)), 9)
    for state in (read, same):
        (recovered,) = said(state)
        assert isinstance(recovered, DocumentRecovered)
        assert state.failures == 0
    again = state_after_page(read, due(4, notices=(1,)), *PAGE, lambda *_: (), lambda _: "en")
    assert again.unpublished == ()


def test_who_waits_for_more_failures_is_notified_of_the_last_of_them_once() -> None:
    document, found = None, []
    for slot in range(1, 6):
        document = failed(document, due(slot, notices=(2, 4), by_default=False))
        found += [(slot, fact.failures) for fact in said(document)]  # type: ignore[attr-defined]  # a failure
    assert found == [(2, 2), (4, 4)]
    assert document is not None
    (recovered,) = said(state_after_recovery(document, due(6, notices=(2, 4)), 9))
    assert isinstance(recovered, DocumentRecovered)
    assert recovered.failures == 5
    short = failed(None, due(1, notices=(2, 4)))
    assert state_after_recovery(short, due(2, notices=(2, 4)), 9).unpublished == ()


def test_nothing_is_said_of_it_where_nobody_asks() -> None:
    first = failed(None, due(1))
    assert first.unpublished == ()
    assert state_after_recovery(first, due(2), 9).unpublished == ()
