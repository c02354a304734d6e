"""Subscriptions that are notified of a change only once it stands."""

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.codec import wire
from schemas.records.changes import DocumentChanged
from schemas.records.notifications import Notification
from schemas.records.numbers import Conditions, NumberOptions
from schemas.records.requests import Cancel, Pause, Resume, Subscribe
from schemas.records.subscription_facts import Rejected, Subscribed
from schemas.records.subscriptions import Receiver
from schemas.records.views import ViewOptions
from schemas.records.waiting import ChangesWaiting, DocumentVisited, Stood
from streams.agents.match.agent import MatchProcessor
from streams.agents.match.patience.memory import WAITING
from streams.agents.match.register.requests import Rules
from streams.diff.regions import changed_regions
from streams.values.ids import content_id
from streams.values.outcome import Event, Outcome
from tests.fakes.events import event
from tests.fakes.variants import varied

URL = "http://document.test/"
PLAIN = Subscribe(URL, Receiver(session="plain"), "1", keywords=("sold",))
PATIENT = Subscribe(URL, Receiver(session="patient"), "1", keywords=("sold",))
PATIENT = varied(PATIENT, patience_visits=2)
BEGUN = 2_000_000
"""After the subscriptions (epoch ms)."""
OPEN, SOLD = "Zeus sings.\n\nTickets are left.", "Zeus sings.\n\nTickets are sold out."


class Page:
    """A page that is visited, and the match agent that hears of it; rows as they are stored."""

    def __init__(self, *requests: Subscribe) -> None:
        self.rows: dict[bytes, bytes] = {}
        self.log: list[Event] = []
        self.slot, self.text = 0, OPEN
        self.start()
        self.subscribed = [self.ask(each) for each in requests]
        self.watch = self.subscribed[0].subscription.watch

    def start(self) -> None:
        self.agent = MatchProcessor(partition_of=lambda _: 0, rules=Rules(60))
        self.agent.begin(0)
        for key, value in self.rows.items():
            self.agent.load(0, key, value)

    def ask(self, request: Any) -> Any:
        fact, *more = self.handle(event(request))
        self.asked = more
        return fact

    def visit(self, text: str) -> list[Any]:
        """Visit the page with this text; returns what match sends."""
        events = self.events(text)
        return [record for each in events for record in self.handle(each)]

    def events(self, text: str) -> list[Event]:
        self.slot += 1
        regions, self.text = changed_regions(self.text, text), text
        at, name = BEGUN + self.slot * 1000, f"c{self.slot}"
        changed = DocumentChanged(
            name, URL, self.watch, self.slot, 0, "text/html", "en", regions, at
        )
        seen = DocumentVisited(f"v{self.slot}", URL, self.watch, self.slot, at)
        facts = [changed, seen] if regions else [seen]
        return [event(each, topic="changes") for each in facts]

    def handle(self, each: Event) -> list[Any]:
        return [record for part in self.parts(each) for record in self.write(part)]

    def parts(self, each: Event) -> list[Outcome]:
        outcome = self.agent.decide(each)
        return [outcome, *(outcome.rest or ())]

    def write(self, outcome: Outcome) -> list[Any]:
        for put in outcome.puts:
            self.rows.pop(put.key, None)
            if put.record is not None:
                self.rows[put.key] = wire.encode(put.record)
        return [send.record for send in outcome.sends]


def notified(sent: list[Any]) -> list[str]:
    return [each.receiver.session or "" for each in sent if isinstance(each, Notification)]


def stated(sent: list[Any]) -> list[ChangesWaiting]:
    return [each for each in sent if isinstance(each, ChangesWaiting)]


def test_who_has_patience_is_notified_at_the_second_visit_and_others_at_once() -> None:
    page = Page(PLAIN, PATIENT)
    assert notified(page.visit(SOLD)) == ["plain"]
    (late,) = (each for each in page.visit(SOLD) if isinstance(each, Notification))
    assert (late.receiver.session, late.stood, late.at) == (
        "patient",
        Stood(BEGUN + 1000, 2),
        BEGUN + 2000,
    )
    assert late.id == content_id("c1", late.subscription)
    assert [diff.keyword for diff in late.diffs] == ["sold"]
    assert page.visit(SOLD) == []


def test_what_goes_back_is_not_notified_and_a_fact_says_why() -> None:
    page = Page(PATIENT)
    (waits,) = stated(page.visit(SOLD))
    assert (waits.changes, waits.since, waits.dropped) == (1, BEGUN + 1000, 0)
    sent = page.visit(OPEN)
    (dropped,) = stated(sent)
    assert (dropped.changes, dropped.dropped) == (0, 2)  # a sentence went, another came
    assert dropped.reason == "it went back after 1 visit: Tickets are sold out."
    assert notified(sent) == []
    assert [page.visit(OPEN) for _ in range(3)] == [[]] * 3


def test_what_concerns_nobody_who_waits_takes_no_row() -> None:
    page = Page(PATIENT)
    assert page.visit(OPEN + "\n\nHera sings, too.") == []
    assert not any(key.startswith(WAITING) for key in page.rows)


def test_who_subscribed_after_the_change_is_not_notified_of_it() -> None:
    page = Page(PATIENT)
    page.visit(SOLD)
    later = varied(PATIENT, session="later")
    page.handle(event(later, timestamp=10_000_000))
    assert notified(page.visit(SOLD)) == ["patient"]


@pytest.mark.parametrize(
    ("requests", "expected"),
    [
        ([(Cancel, 2_001)], ["patient", "plain"]),
        ([(Cancel, 2_000)], ["plain"]),
        ([(Cancel, 1_500)], ["plain"]),
        ([(Pause, 2_001), (Resume, 3_000)], ["patient", "plain"]),
        ([(Pause, 500), (Resume, 1_500)], ["plain"]),
        ([(Pause, 1_500), (Resume, 2_500)], ["plain"]),
        ([(Pause, 1_200), (Resume, 1_800)], ["patient", "plain"]),
    ],
)
def test_it_counts_who_was_there_when_it_was_found_and_when_it_had_stood_however_late_it_is_read(
    requests: list[tuple[type[Cancel | Pause | Resume], int]], expected: list[str]
) -> None:
    page = Page(PLAIN, PATIENT)
    events = [*page.events(SOLD), *page.events(SOLD)]
    for number, (kind, after) in enumerate(requests):
        request = kind(URL, PATIENT.receiver, f"later {number}")
        page.handle(event(request, timestamp=BEGUN + after))
    sent = [record for each in events for record in page.handle(each)]
    assert sorted(notified(sent)) == expected


def test_a_change_from_before_a_subscription_that_is_read_again_undoes_nothing() -> None:
    page = Page(PLAIN)
    page.visit(SOLD)
    *events, _ = page.events(OPEN)
    page.handle(event(PATIENT, timestamp=BEGUN + 2_500))
    for each in events:
        page.handle(each)
    page.visit(SOLD)
    assert notified(page.visit(SOLD)) == ["patient"]


def test_who_pauses_or_cancels_meanwhile_is_not_notified() -> None:
    for request in (Pause, Cancel):
        page = Page(PATIENT, varied(PATIENT, session="other"))
        page.visit(SOLD)
        page.ask(request(URL, PATIENT.receiver, "2"))
        assert notified(page.visit(SOLD)) == ["other"]


def test_who_has_no_patience_any_more_is_notified_at_once_of_what_waited() -> None:
    page = Page(PATIENT, varied(PATIENT, session="other"))
    page.visit(SOLD)
    page.ask(varied(PATIENT, request_id="2", replace=True, patience_visits=None))
    (found,) = page.asked
    assert (found.receiver.session, found.stood) == ("patient", Stood(BEGUN + 1000, 1))
    assert notified(page.visit(SOLD)) == ["other"]


def test_rows_that_nobody_waits_for_are_deleted() -> None:
    page = Page(PLAIN, PATIENT)
    page.visit(SOLD)
    assert any(key.startswith(WAITING) for key in page.rows)
    page.ask(Cancel(URL, PATIENT.receiver, "2"))
    page.visit(OPEN)
    assert not any(key.startswith(WAITING) for key in page.rows)


def test_a_manager_may_wait_for_a_page_in_four_ways() -> None:
    ways = [varied(PATIENT, session=str(n), patience_visits=n) for n in range(2, 7)]
    *granted, refused = [*Page(PATIENT).subscribed, Page(*ways[:4]).ask(ways[4])]
    assert all(isinstance(each, Subscribed) for each in granted)
    assert isinstance(refused, Rejected)
    assert "4 different patiences" in refused.detail


def test_conditions_of_a_number_have_no_patience() -> None:
    view = ViewOptions(number=NumberOptions())
    when = Conditions(below="20")
    refused = Page(PATIENT).ask(varied(PATIENT, session="n", view=view, when=when, keywords=()))
    assert isinstance(refused, Rejected)
    assert "patience: not with when" in refused.detail


TEXTS = st.lists(st.sampled_from([OPEN, SOLD, SOLD + "\n\nReally sold.", "Zeus."]), max_size=8)


@given(TEXTS, st.lists(st.tuples(st.integers(0, 12), st.integers(0, 4)), max_size=4))
def test_a_crash_repeats_notifications_and_neither_loses_nor_changes_any(
    texts: list[str], crashes: list[tuple[int, int]]
) -> None:
    requests = PLAIN, PATIENT, varied(PATIENT, session="day", patience=3, patience_visits=None)
    whole = Page(*requests)
    log = [each for text in texts for each in whole.events(text)]
    expected = {each.id: each for each in sent_of(whole, log)}
    page = Page(*requests)
    found: list[Notification] = []
    for at, parts in crashes:
        # What came after the last acknowledged event is read again, with rows as they are.
        found += sent_of(page, log[:at])
        for part in page.parts(log[at])[:parts] if at < len(log) else ():
            found += [each for each in page.write(part) if isinstance(each, Notification)]
        page.start()
    found += sent_of(page, log)
    assert {each.id for each in found} == set(expected)
    assert all(each == expected[each.id] for each in found)


def sent_of(page: Page, log: list[Event]) -> list[Notification]:
    sent = [record for each in log for record in page.handle(each)]
    return [replace(each) for each in sent if isinstance(each, Notification)]
