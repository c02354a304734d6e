"""What is decided of a page that has nothing of its view, or is a login page."""

from collections.abc import Iterator
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from schemas.codec import versions, wire
from schemas.records.answers import Response
from schemas.records.documents import Document
from schemas.records.losses import LoginFound, LoginLost, SelectionFound, SelectionLost
from schemas.records.page_requests import PageRequest
from schemas.records.views import View, WatchedView
from streams.agents.fetch.due_view import DueView
from streams.agents.fetch.fetched_page import FetchedPage
from streams.agents.fetch.state.failures import (
    MAX_REASON,
    state_after_failure,
    state_after_recovery,
)
from streams.agents.fetch.state.lost_views import (
    MISSES,
    finding,
    state_after_login_page,
    state_after_miss,
    state_after_same_miss,
)

READ = Document(
    "http://d.test/", "w", 1, 1, text="zeus", etag="e", body_hash=b"h", view="v", confidence=0.7
)
VIEW = View(request=PageRequest(credentials="news"))


def due(slot: int) -> DueView:
    return DueView(READ.url, READ.watch, slot, WatchedView("v", VIEW, notices=(1,)))


def step(before: Document, kind: str, slot: int) -> Document:
    match kind:
        case "miss":
            return state_after_miss(
                before, due(slot), FetchedPage(Response(200), b"m", slot), "why"
            )
        case "same miss" if before.misses:
            return state_after_same_miss(before, due(slot), slot)
        case "login":
            return state_after_login_page(before, due(slot), reason="why", at=slot)
        case "failure":
            return state_after_failure(
                before, due(slot), reason="HTTP 500", max_failures=9, at=slot
            )
    return state_after_recovery(before, due(slot), slot, held=b"held")


def published(state: Document) -> Iterator[Any]:
    return (wire.decode(record, *versions.KINDS) for record in state.unpublished)


KINDS = st.sampled_from(["miss", "same miss", "login", "failure", "held"])


@given(st.lists(KINDS, max_size=20))
def test_whatever_is_missed_the_last_text_stays_and_each_loss_has_one_fact(
    kinds: list[str],
) -> None:
    state, facts = READ, []
    for slot, kind in enumerate(kinds, 2):
        before, state = state, step(state, kind, slot)
        new = [each for each in published(state) if isinstance(each, SelectionLost | LoginLost)]
        assert bool(new) == (state.lost != before.lost)
        facts += new
        assert (state.text, state.read_at, state.confidence) == ("zeus", 0, 0.7)
        assert (state.slot, state.version) == (slot, slot)
        assert kind == "failure" or state.failures in {0, before.failures}
        assert state.misses <= MISSES
        assert (state.lost == "selection") == (state.misses == MISSES)
        assert bool(state.missing_since) == bool(state.lost or state.misses)
        if state.lost == "login" and not state.misses:
            assert (state.etag, state.body_hash) == (None, None)
    assert len({fact.id for fact in facts}) == len(facts)
    found = [type(wire.decode(each, *versions.KINDS)) for each in finding(state, due(99), 99)]
    expected = {"selection": [SelectionFound], "login": [LoginFound], "": []}
    assert found == expected[state.lost]


def test_a_reason_is_cut_to_what_a_record_holds() -> None:
    page, reason = FetchedPage(Response(200), b"m", 7), "x" * (MAX_REASON + 1)
    state = READ
    for slot in (2, 3, 4):
        state = state_after_miss(state, due(slot), page, reason)
    (lost,) = published(state)
    assert len(lost.reason) == len(state.missing or "") == MAX_REASON


def test_a_login_page_says_which_credentials_to_set() -> None:
    (lost,) = published(state_after_login_page(None, due(2), reason="a login page", at=7))
    assert isinstance(lost, LoginLost)
    assert (lost.reason, lost.at) == ("a login page (vokter credentials set news)", 7)


def test_what_is_seen_for_the_first_time_begins_to_be_missed_then() -> None:
    state = state_after_miss(None, due(5), FetchedPage(Response(200), b"m", 7), "why")
    assert (state.url, state.watch, state.view) == (READ.url, "w", "v")
    assert (state.text, state.misses, state.missing_since) == (None, 1, 7)
