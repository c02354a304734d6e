"""The state of a document after a fetch."""

from dataclasses import replace
from hashlib import sha256
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.codec import wire
from schemas.records.answers import Reading, Response
from schemas.records.changes import DocumentChanged, Region, Returned, Texts
from schemas.records.documents import Document
from schemas.records.failures import DocumentUnreachable
from schemas.records.numbers import NumberPoint, NumberReading, unpacked_series
from schemas.records.views import View, WatchedView
from streams.agents.fetch.due_view import DueView
from streams.agents.fetch.fetched_page import FetchedPage
from streams.agents.fetch.state import changes as parts_of_changes
from streams.agents.fetch.state import snapshots
from streams.agents.fetch.state.failures import state_after_failure, state_after_recovery
from streams.agents.fetch.state.recurring_texts import flapping_until, remembered, text_hash
from streams.agents.fetch.state.snapshots import (
    MAX_TEXT,
    baseline_for,
    is_too_large,
    state_after_page,
)
from streams.diff.regions import changed_regions
from streams.values.ids import content_id
from tests.fakes.read_pages import read_page
from tests.fakes.regions import added, changed

START, MINUTE = 1_800_000_000_000, 60_000
DUE = DueView("http://d.test/", "w", 2000, WatchedView())
ANSWER = Response(200, b"<p>new", etag='"2"', last_modified="today")
STORED = Document(
    DUE.url, "w", 1000, 1000, "old", "text/html", "en", '"1"', "yesterday", b"old", 3, "HTTP 500"
)


def regions(*texts: str) -> tuple[Region, ...]:
    return tuple(map(added, texts))


def page(text: str = "new", at: int = 9, **reading: Any) -> tuple[FetchedPage, Reading]:
    return read_page(text, at=at, response=ANSWER, **reading)


def after(before: Document | None, *texts: str) -> Document:
    return state_after_page(
        before, DUE, *page(), lambda old, new: regions(*texts), lambda text: "de"
    )


def failed(
    before: Document | None, due: DueView, reason: str, max_failures: int, at: int
) -> Document:
    return state_after_failure(before, due, reason=reason, max_failures=max_failures, at=at)


def changes(document: Document) -> list[DocumentChanged]:
    return [wire.decode(record, DocumentChanged) for record in document.unpublished]


def test_a_state_after_a_page_has_all_that_the_next_fetch_needs() -> None:
    state = after(STORED)
    assert state == Document(
        DUE.url, "w", 2000, 2000, "new", "text/html", "en", '"2"', "today", b"hash", read_at=9
    )  # fmt: skip


def test_a_change_back_to_an_earlier_text_says_since_when_and_how_often() -> None:
    state = None
    notified = []
    for number, text in enumerate(["a", "b", "a", "a ", "b", "a", "c"]):
        read = page(text, START + MINUTE * number)
        due = replace(DUE, slot=number)
        state = state_after_page(state, due, *read, lambda *_: regions("word"), lambda _: "de")
        notified += [each.returned for each in changes(state)]
    second = Returned(START + MINUTE, 1)
    assert notified == [None, Returned(START, 1), None, second, Returned(START, 2), None]
    assert state is not None
    assert state.flapping_until == flapping_until(state.past) > 0


def test_the_last_title_is_kept_though_no_text_has_changed() -> None:
    first = after(None, "added")
    assert (STORED.title, first.title) == ("", "")
    read = page(title="Giants")
    state = state_after_page(first, DUE, *read, lambda *_: (), lambda _: "de")
    assert (state.title, changes(state)) == ("Giants", [])


def test_a_text_without_a_change_is_not_remembered_as_another() -> None:
    state = None
    for number, text in enumerate(["Tax: 5%", "Tax: 5 %"] * 4):
        read = page(text, START + number * MINUTE)
        state = state_after_page(state, DUE, *read, changed_regions, lambda _: "en")
    assert state is not None
    assert state.past == remembered(b"", text_hash("Tax: 5%"), START)[0]
    assert state.flapping_until == 0


def test_a_new_watch_remembers_nothing() -> None:
    state = after(None)
    assert after(baseline_for(state, replace(DUE, watch="other"))).past == state.past


def test_the_same_text_again_keeps_the_time_at_which_it_was_first_read() -> None:
    assert after(replace(STORED, text="new", read_at=5)).read_at == 5
    assert after(replace(STORED, text="old", read_at=5)).read_at == 9


def test_the_change_is_in_the_same_state_as_the_page() -> None:
    (change,) = changes(after(STORED, "word"))
    assert change == DocumentChanged(
        content_id(DUE.url, "", 2000, 0),
        DUE.url,
        "w",
        2000,
        0,
        "text/html",
        "de",
        regions("word"),
        9,
        body_sha256=sha256(b"<p>new").hexdigest(),
    )


@pytest.mark.parametrize("before", [None, replace(STORED, text=None)])
def test_a_first_page_is_no_change(before: Document | None) -> None:
    assert after(before, "word").unpublished == ()


def test_only_the_state_of_this_watch_is_a_baseline() -> None:
    assert baseline_for(STORED, DUE) == STORED
    assert baseline_for(None, DUE) is None
    assert baseline_for(STORED, replace(DUE, watch="other")) is None


def test_a_failure_counts_and_keeps_the_snapshot() -> None:
    expected = replace(STORED, slot=2000, version=2000, failures=4, last_error="HTTP 404")
    assert failed(STORED, DUE, "HTTP 404", 10, 9) == expected
    assert failed(None, DUE, "HTTP 404", 10, 9).failures == 1


def test_the_last_failure_ends_the_watch_under_a_separate_id_and_names_the_page() -> None:
    state = failed(replace(STORED, title="Giants"), DUE, "HTTP 404", 4, 9)
    (record,) = state.unpublished
    name = content_id(DUE.url, "", "w", 2000, "timeout")
    values = name, DUE.url, "w", 2000, "text/html", "HTTP 404", 9, "", 4, 4
    expected = DocumentUnreachable(*values, title="Giants")
    assert wire.decode(record, DocumentUnreachable) == expected


@pytest.mark.parametrize(("asked", "expected"), [(None, ""), ("text/csv", "text/csv")])
def test_the_end_of_a_document_that_was_never_read_has_the_type_it_was_to_be_read_as(
    asked: str | None, expected: str
) -> None:
    (record,) = failed(
        None, replace(DUE, watched=WatchedView("v", View(asked))), "gone", 1, 9
    ).unpublished
    assert wire.decode(record, DocumentUnreachable).content_type == expected


def test_a_document_that_keeps_failing_never_says_two_things_under_one_id() -> None:
    first = failed(STORED, DUE, "HTTP 404", 4, 9)
    second = failed(first, replace(DUE, slot=3000), "no answer", 4, 10)
    gone = [wire.decode(state.unpublished[0], DocumentUnreachable) for state in (first, second)]
    assert len({fact.id for fact in gone}) == 2


def test_recovery_resets_the_failures_and_nothing_else() -> None:
    state = state_after_recovery(STORED, DUE, 9)
    assert state == replace(STORED, slot=2000, version=2000, failures=0, last_error=None)


@given(st.lists(st.text(min_size=1, max_size=40), max_size=12), st.integers(1, 2_000))
def test_parts_have_every_region_once_in_order_and_are_no_larger_than_they_must_be(
    texts: list[str], limit: int
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(parts_of_changes, "MAX_PART", limit)
        parts = changes(after(STORED, *texts))
    assert [region for part in parts for region in part.regions] == list(regions(*texts))
    assert [part.part for part in parts] == list(range(len(parts)))
    assert len({part.id for part in parts}) == len(parts)
    for part in parts:
        size = sum(len(each.added.text.encode()) + 296 for each in part.regions if each.added)
        assert size <= limit or len(part.regions) == 1


def test_the_largest_part_fits_a_message() -> None:
    old, new = "x" * snapshots.MAX_TEXT, "y" * snapshots.MAX_TEXT
    due = replace(DUE, watched=WatchedView(documents=True))
    state = state_after_page(
        replace(STORED, text=old),
        due,
        *page(new),
        lambda old, new: (changed("x" * 1_000_000, "y" * 1_000_000),) * 6,
        lambda text: "de",
    )
    assert [len(record) < 16 * 1024 * 1024 for record in state.unpublished] == [True, True]


def test_both_texts_are_in_a_change_only_if_a_subscription_looks_into_the_whole_document() -> None:
    due = replace(DUE, watched=WatchedView(documents=True))
    for each, texts in ((DUE, None), (due, Texts("a b", "a c"))):
        state = state_after_page(
            replace(STORED, text="a b"),
            each,
            *page("a c"),
            lambda old, new: regions("c"),
            lambda text: "de",
        )
        (record,) = state.unpublished
        assert wire.decode(record, DocumentChanged).texts == texts


def test_a_number_adds_a_point_to_the_series_which_goes_with_the_change() -> None:
    first = state_after_page(None, DUE, *priced("20 EUR", 5), changed_regions, lambda _: "und")
    same = state_after_page(first, DUE, *priced("20 EUR", 6), changed_regions, lambda _: "und")
    second = state_after_page(same, DUE, *priced("19 EUR", 7), changed_regions, lambda _: "und")
    points = NumberPoint(5, "20", "EUR"), NumberPoint(7, "19", "EUR")
    assert unpacked_series(same.series) == points[:1]
    assert unpacked_series(second.series) == points
    (change,) = changes(second)
    assert change.numbers == points


def priced(text: str, at: int) -> tuple[FetchedPage, Reading]:
    value, unit = text.split()
    return page(text, at, number=NumberReading(value, unit, text))


@pytest.mark.parametrize("character", ["z", "\u00e9", "\u3042", "\U0001f600"])
def test_the_size_of_a_text_is_counted_in_bytes(character: str) -> None:
    most = character * (MAX_TEXT // len(character.encode()))
    assert not is_too_large(most)
    assert is_too_large(most + character)
