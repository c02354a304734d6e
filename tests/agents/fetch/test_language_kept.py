"""When the language of a document is detected again: once much of its text has changed."""

from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.records.changes import Edit, Sentence
from schemas.records.documents import Document
from schemas.records.views import WatchedView
from streams.agents.fetch.due_view import DueView
from streams.agents.fetch.examining import examine
from streams.agents.fetch.state.failures import state_after_failure
from streams.agents.fetch.state.snapshots import state_after_page
from streams.diff.regions import changed_regions
from streams.text.language import detect_language
from tests.fakes.read_pages import read_page

DUE = DueView("http://d.test/", "w", 0, WatchedView())
ENGLISH = "The giant never closes all of his hundred eyes, not even when he sleeps at night."
GERMAN = "Der Riese schließt niemals alle seine hundert Augen, auch nicht wenn er nachts schläft."


class Visits:
    """One document, read repeatedly; ``detected`` are texts with a detected language."""

    def __init__(self) -> None:
        self.document = Document(DUE.url, "w", 0)
        self.detected: list[str] = []

    def visit(self, text: str) -> str | None:
        page = read_page(text, "text/plain", 0)
        for _ in range(2):
            found = state_after_page(self.document, DUE, *page, changed_regions, self._detect)
            self.document = found
            if not found.held:
                break
        return self.document.language

    def _detect(self, text: str) -> str:
        self.detected.append(text)
        return detect_language(text)


def visited(*texts: str) -> Visits:
    visits = Visits()
    for text in texts:
        visits.visit(text)
    return visits


def test_a_small_change_keeps_the_language() -> None:
    texts = [ENGLISH, ENGLISH.replace("hundred", "98"), ENGLISH.replace("night", "noon")]
    assert visited(*texts).detected == [ENGLISH]


@pytest.mark.parametrize("later", [GERMAN, "", f"{ENGLISH} {GERMAN} {GERMAN}"])
def test_a_text_that_has_changed_much_is_detected_again(later: str) -> None:
    visits = visited(ENGLISH, later)
    assert visits.detected == [ENGLISH, later]
    assert visits.document.language == detect_language(later)


def test_what_is_left_after_much_was_removed_is_detected_again() -> None:
    assert visited(f"{ENGLISH}\n{GERMAN}", GERMAN).detected == [f"{ENGLISH}\n{GERMAN}", GERMAN]


def test_a_language_that_comes_word_by_word_is_noticed() -> None:
    old, new = ENGLISH.split(), GERMAN.split()
    visits = Visits()
    for count in range(max(len(old), len(new)) + 1):
        language = visits.visit(" ".join(new[:count] + old[count:]))
    assert language == "de"
    assert len(visits.detected) < 5


def test_changes_count_from_the_last_detection_on() -> None:
    visits = visited(ENGLISH, GERMAN, GERMAN.replace("hundert", "98"))
    assert visits.detected == [ENGLISH, GERMAN]
    assert visits.document.drift == len("hundert")


def test_a_failed_fetch_forgets_neither_language_nor_drift() -> None:
    before = visited(ENGLISH, ENGLISH.replace("hundred", "98")).document
    after = state_after_failure(before, DUE, reason="HTTP 500", max_failures=10, at=0)
    assert replace(after, failures=0, last_error=None) == replace(before, unpublished=())


words = st.lists(st.sampled_from(["argus", "hera", "io", "zeus", "giant", "eye"]), max_size=12)


def extent(edit: Edit, side: Sentence | None) -> int:
    """The characters of a side that changed."""
    if side is None or edit.change == "moved":
        return 0
    spans = side.changed if edit.change == "edited" else (side,)
    return sum(span.end - span.start for span in spans)


@pytest.mark.long
@given(st.lists(words.map(" ".join), min_size=1, max_size=8))
def test_no_text_is_kept_under_a_language_of_which_half_has_changed(texts: Sequence[str]) -> None:
    visits, changed, looks = Visits(), 0, 0
    for old, new in zip(["", *texts], texts, strict=False):
        visits.visit(new)
        edits = [edit for region in changed_regions(old, new) for edit in region.edits]
        changed += sum(
            max(extent(edit, side) for side in (edit.removed, edit.added)) for edit in edits
        )
        if len(visits.detected) > looks:
            assert visits.detected[-1] == new
            assert looks == 0 or changed * 2 >= len(new)
            changed, looks = 0, len(visits.detected)
        else:
            assert changed * 2 < len(new)


def test_the_earlier_language_is_known_where_a_text_is_detected_again() -> None:
    before = Document(DUE.url, "w", 0, text="東京", language="ja", read_at=1)
    fetched, reading = read_page("札幌市中央区", "text/plain", 0)
    (after,) = examine(lambda *_: [reading], [(before, DUE)], fetched)
    assert isinstance(after, Document)
    (again,) = examine(lambda *_: [reading], [(after, DUE)], fetched)
    assert isinstance(again, Document)
    assert (again.text, again.language) == (reading.text, "ja")
