"""What waits to stand, against pages as collections of sentences."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.records.changes import DocumentChanged, Region
from schemas.records.table_rows import Waiting, WaitingChange
from schemas.records.waiting import DocumentVisited
from streams.agents.match.patience.memory import Patience
from streams.agents.match.patience.waiting import (
    MAX_WAITING,
    after_visit,
    take_in,
    waiting_fact,
    with_change,
)
from streams.diff.regions import changed_regions
from tests.fakes.regions import added, sentences

URL = "http://document.test/"
SENTENCES = st.sampled_from(
    [
        "Zeus sleeps.",
        "Zeus wakes.",
        "Hera sings a song.",
        "The tickets are sold out.",
        "Argus has a hundred eyes.",
        "Io runs.",
    ]
)
# A sentence that comes with its item although it stands elsewhere, too, is no difference here.
PAGES = st.lists(SENTENCES, max_size=6, unique=True)
MINUTE = 60_000


def change(slot: int, regions: tuple[Region, ...], part: int = 0) -> DocumentChanged:
    at = slot * MINUTE
    return DocumentChanged(f"c{slot}", URL, "w", slot, part, "text/html", "en", regions, at)


def visit(slot: int, watch: str = "w") -> DocumentVisited:
    return DocumentVisited(f"v{slot}", URL, watch, slot, slot * MINUTE)


def joined(sentences_: list[str]) -> str:
    """A page of items with one sentence each; of larger ones a change shows all that they have."""
    return "\n\n".join(sentences_)


class Page:
    """A page of which every visit is taken in."""

    def __init__(self, text: str, patience: Patience) -> None:
        self.text = text
        self.slot = 0
        self.patience = patience
        self.waiting = Waiting()

    def visited(self, text: str) -> list[WaitingChange]:
        """Visit the page with this text, and return what stands."""
        self.slot += 1
        regions = changed_regions(self.text, text)
        self.text = text
        if regions:
            self.waiting, new = take_in(self.waiting, change(self.slot, regions))
            if new is not None:
                self.waiting, none = with_change(self.waiting, new)
                assert not none
        self.waiting, standing = after_visit(self.waiting, visit(self.slot), self.patience)
        return list(standing)


def net(changes: list[WaitingChange]) -> Counter[str]:
    """How many of each sentence changes have added; less than none if they have taken it."""
    found: Counter[str] = Counter()
    for each in changes:
        for region in each.change.regions:
            gone, come = sentences(region)
            found.update(filter(None, come.split("\n")))
            found.subtract(filter(None, gone.split("\n")))
    return found


def difference(old: list[str], new: list[str]) -> Counter[str]:
    found = Counter(new)
    found.subtract(old)
    return found


def same(one: Counter[str], other: Counter[str]) -> bool:
    return all(one[each] == other[each] for each in one.keys() | other.keys())


@given(st.lists(PAGES, min_size=1, max_size=8), st.integers(2, 4))
def test_what_was_notified_and_what_waits_are_all_that_has_changed(
    pages: list[list[str]], visits: int
) -> None:
    page, notified = Page(joined(pages[0]), Patience(visits=visits)), Counter[str]()
    for text in pages[1:]:
        notified.update(net(page.visited(joined(text))))
        waits = net(list(page.waiting.changes))
        waits.update(notified)
        assert same(waits, difference(pages[0], text))


@given(st.lists(PAGES, min_size=2, max_size=8), st.integers(2, 4))
def test_what_is_notified_was_found_at_as_many_visits_in_a_row(
    pages: list[list[str]], visits: int
) -> None:
    page = Page(joined(pages[0]), Patience(visits=visits))
    for number, text in enumerate(pages[1:], 1):
        for sentence, count in net(page.visited(joined(text))).items():
            last = [Counter(each)[sentence] for each in pages[number - visits + 1 : number + 1]]
            before = Counter(pages[number - visits])[sentence]
            assert len(last) == visits
            if count > 0:
                assert min(last) >= 1
            if count < 0:
                assert before >= 1 or min(last) < max(Counter(each)[sentence] for each in pages)


@given(PAGES, PAGES, PAGES, st.integers(2, 4))
def test_a_page_that_stays_as_it_is_leaves_nothing_waiting(
    first: list[str], second: list[str], third: list[str], visits: int
) -> None:
    page = Page(joined(first), Patience(visits=visits))
    page.visited(joined(second))
    for _ in range(visits):
        page.visited(joined(third))
    assert not page.waiting.changes


@given(PAGES, st.lists(PAGES, max_size=3))
def test_a_page_that_goes_back_leaves_nothing_to_notify(
    first: list[str], between: list[list[str]]
) -> None:
    page = Page(joined(first), Patience(visits=100))
    for text in [*between, first]:
        assert page.visited(joined(text)) == []
    assert same(net(list(page.waiting.changes)), Counter())


def test_a_word_that_stands_for_three_visits_is_notified_at_the_third() -> None:
    page = Page("Zeus.", Patience(visits=3))
    assert page.visited("Zeus.\nArgus.") == []
    assert page.visited("Zeus.\nArgus.") == []
    (standing,) = page.visited("Zeus.\nArgus.")
    assert (standing.visits, standing.change.at) == (3, MINUTE)
    assert page.visited("Zeus.\nArgus.") == []


def test_a_duration_is_over_at_the_first_visit_after_it() -> None:
    page = Page("Zeus.", Patience(seconds=90))
    assert page.visited("Argus has come.") == []
    assert page.visited("Argus has come.") == []
    assert len(page.visited("Argus has come.")) == 1


def test_what_goes_back_is_dropped_and_it_is_said_why() -> None:
    page = Page("Zeus.", Patience(visits=3))
    page.visited("Zeus.\nThe tickets are sold out.")
    page.visited("Zeus.\nThe tickets are sold out.")
    page.visited("Zeus.")
    fact = waiting_fact(page.waiting, page.patience, visit(3))
    assert (fact.changes, fact.since, fact.dropped, fact.dropped_at) == (0, 0, 1, 3 * MINUTE)
    assert fact.reason == "it went back after 2 visits: The tickets are sold out."


def test_a_sentence_that_is_edited_again_waits_from_its_beginning_as_one_edit() -> None:
    page = Page("The gate is open today.", Patience(visits=2))
    page.visited("The gate is closed today.")
    assert page.visited("The gate is locked today.") == []
    (standing,) = page.visited("The gate is locked today.")
    (region,) = standing.change.regions
    assert sentences(region) == ("The gate is open today.", "The gate is locked today.")
    (edit,) = region.edits
    assert edit.change == "edited"
    assert edit.added is not None
    (span,) = edit.added.changed
    assert region.added is not None
    assert region.added.text[span.start : span.end] == "locked"


def test_a_number_that_counts_on_does_not_make_a_sentence_wait_again() -> None:
    page = Page("Tickets for the show are available.", Patience(visits=3))
    page.visited("Tickets for the show are sold out, 12 people wait.")
    page.visited("Tickets for the show are sold out, 15 people wait.")
    (standing,) = page.visited("Tickets for the show are sold out, 19 people wait.")
    assert "19 people" in sentences(standing.change.regions[0])[1]


def test_a_price_that_goes_on_changing_waits_again() -> None:
    page = Page("The price today is 10 EUR.", Patience(visits=2))
    assert page.visited("The price today is 12 EUR.") == []
    assert page.visited("The price today is 13 EUR.") == []
    assert len(page.visited("The price today is 13 EUR.")) == 1


def test_a_change_that_is_read_again_changes_nothing() -> None:
    page = Page("Zeus.", Patience(visits=3))
    page.visited("Zeus.\nArgus.")
    again = take_in(page.waiting, change(1, changed_regions("Zeus.", "Zeus.\nArgus.")))
    assert again == (page.waiting, None)
    assert after_visit(page.waiting, visit(1), page.patience) == (page.waiting, ())


def test_another_watch_begins_with_nothing_that_waits() -> None:
    page = Page("Zeus.", Patience(visits=3))
    page.visited("Zeus.\nArgus.")
    after, standing = after_visit(page.waiting, visit(9, watch="other"), page.patience)
    assert (after.changes, after.dropped, standing) == ((), 1, ())
    assert after.reason == "the watch ended, and began again"


@pytest.mark.parametrize("count", [1, 3, 9])
def test_what_has_no_room_waits_no_longer_the_oldest_first(count: int) -> None:
    waiting, over = Waiting(), list[WaitingChange]()
    for slot in range(1, count + 1):
        waiting, without = with_change(waiting, change(slot, (added("x" * 200_000),)))
        over += without
    assert [each.change.slot for each in (*over, *waiting.changes)] == list(range(1, count + 1))
    assert len(waiting.changes) == min(count, MAX_WAITING // 200_000 - 1)
