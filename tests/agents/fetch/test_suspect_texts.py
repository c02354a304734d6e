"""What is nearly gone is believed when it is read a second time."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.codec import wire
from schemas.codec.versions import KINDS
from schemas.records.answers import Response
from schemas.records.changes import DocumentChanged, Region
from schemas.records.documents import Document
from schemas.records.losses import SelectionLost
from schemas.records.views import WatchedView
from streams.agents.fetch.due_view import DueView
from streams.agents.fetch.state.failures import state_after_recovery
from streams.agents.fetch.state.snapshots import state_after_page
from streams.agents.fetch.state.suspect_texts import LEAST, is_held
from tests.fakes.read_pages import read_page
from tests.fakes.regions import changed

LONG = "word " * 100


def after(before: Document | None, text: str, slot: int) -> Document:
    def regions(old: str, new: str) -> tuple[Region, ...]:
        return (changed("old", "new"),) if old != new else ()

    answer = Response(200, etag=f"etag {slot}")
    page = read_page(text, at=slot, response=answer, body_hash=text.encode())
    return state_after_page(
        before, DueView("http://d.test/", "w", slot, WatchedView()), *page, regions, lambda _: "en"
    )


@pytest.mark.parametrize(
    ("old", "new", "held"),
    [
        (LONG, "", True),
        ("a", " ", True),
        (LONG, "x" * 25, True),
        (LONG, "x" * 26, False),
        ("x" * (LEAST - 1), "a", False),
        ("", "", False),
        ("", LONG, False),
        (LONG, LONG, False),
    ],
)
def test_a_text_is_held_if_little_or_nothing_is_left(old: str, new: str, held: bool) -> None:
    assert is_held(Document("http://d.test/", "w", 1, text=old), new) is held


def test_a_page_that_was_half_delivered_changes_nothing() -> None:
    begun = after(None, LONG, 1)
    held = after(begun, "", 2)
    assert held == replace(begun, slot=2, version=2, held=held.held)
    again = after(held, LONG, 3)
    assert (again.unpublished, again.text, again.held) == ((), LONG, b"")


def test_what_is_gone_at_two_visits_is_gone() -> None:
    gone = after(after(after(None, LONG, 1), "", 2), "", 3)
    assert (gone.text, gone.held) == ("", b"")
    said = [type(wire.decode(each, *KINDS)) for each in gone.unpublished]
    assert said == [DocumentChanged, SelectionLost]


def test_another_short_text_is_held_as_well() -> None:
    held = after(after(after(None, LONG, 1), "", 2), "sorry", 3)
    assert (held.text, held.unpublished) == (LONG, ())


def test_a_page_that_is_unchanged_after_it_was_held_is_believed_no_earlier_next_time() -> None:
    held = after(after(None, LONG, 1), "", 2)
    due = DueView("http://d.test/", "w", 3, WatchedView())
    assert after(state_after_recovery(held, due, 3), "", 4).text == LONG


@given(st.lists(st.sampled_from(["", "a", "sorry", LONG, LONG + "x"]), min_size=1))
def test_no_text_is_stored_that_shrank_unless_two_visits_in_a_row_read_it(
    texts: list[str],
) -> None:
    state: Document | None = None
    last = None
    for slot, text in enumerate(texts, 1):
        before, state = state, after(state, text, slot)
        assert state.text is not None
        if before is None or before.text is None or state.text == text:
            is_new = before is not None and before.text != text
            if is_new and before is not None and is_held(replace(before, held=b""), text):
                assert last == text
        else:
            assert (state.text, state.unpublished) == (before.text, ())
        last = text
