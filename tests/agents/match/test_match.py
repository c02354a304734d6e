"""The match agent: requests and changes of one partition, from memory."""

import json
from collections import Counter
from dataclasses import replace
from itertools import islice
from typing import Any
from unittest.mock import Mock

import pytest
from hypothesis import given
from hypothesis import strategies as st
from structlog.testing import capture_logs

from schemas.codec import wire
from schemas.records import requests as commands
from schemas.records.changes import DocumentChanged, Returned, Texts
from schemas.records.failures import DocumentFailing, DocumentRecovered, DocumentUnreachable
from schemas.records.losses import LoginFound, LoginLost, SelectionFound, SelectionLost
from schemas.records.notifications import Notification
from schemas.records.requests import Cancel, Expire, Pause, Resume, Rotate, Subscribe
from schemas.records.subscription_facts import Cancelled, Expired, Rejected, Subscribed
from schemas.records.subscriptions import Receiver, Subscription
from schemas.records.table_rows import NotifiedThrough, Registration
from schemas.records.topic_names import FORWARDED
from streams.agents.match.agent import MAX_REQUEST, MatchProcessor, OversizedRequestError
from streams.agents.match.register.decisions import end_by_change
from streams.agents.match.register.memory import DAY, INDEXED
from streams.agents.match.register.registrations import NOTIFIED, Registrations
from streams.agents.match.register.requests import Rules
from streams.agents.match.request_handler import MisplacedError
from streams.text.stemming import PluginLanguage
from streams.values.ids import content_id
from streams.values.outcome import Event, Outcome
from tests.fakes.events import event
from tests.fakes.regions import added
from tests.fakes.variants import varied
from tests.harness.examples import examples

URL = "http://document.test/"
A, B, C = "http://a.test/", "http://b.test/", "http://c.test/"
SEEN = 2_000_000
"""When pages are seen (epoch ms); what is asked for at no other time is asked for before."""


def subscribe(client: str = A, request_id: str | None = "1", **options: Any) -> Subscribe:
    plain = Subscribe(URL, Receiver(client), request_id, keywords=("zeus",))
    return varied(plain, **({"interval": 60} | options))


class Partition:
    """An agent of one partition, with its table and everything it sent."""

    def __init__(self, number: int = 0) -> None:
        self.number = number
        self.rows: dict[bytes, Registration | NotifiedThrough] = {}
        self.start()

    def start(self) -> None:
        self.agent = MatchProcessor(
            partition_of=lambda url: 1 if "other" in url else 0, rules=Rules(60)
        )
        self.agent.begin(self.number)
        for key, record in self.rows.items():
            self.agent.load(self.number, key, wire.encode(record))

    def handle(self, each: Event) -> list[Any]:
        outcomes = self.decide(each)
        sent = [send.record for outcome in outcomes for send in outcome.sends]
        for outcome in outcomes:
            self.write(outcome)
        return sent

    def decide(self, each: Event) -> list[Outcome]:
        """Decide on an event to its end."""
        outcome = self.agent.decide(each)
        return [outcome, *(outcome.rest or ())]

    def write(self, outcome: Outcome, count: int | None = None) -> None:
        for put in outcome.puts[:count]:
            if put.record is None:
                self.rows.pop(put.key, None)
            else:
                assert isinstance(put.record, Registration | NotifiedThrough)
                self.rows[put.key] = put.record

    def tick(self, now: int) -> list[Any]:
        """Return the facts that follow from the timer's turn."""
        outcome = self.agent.tick(self.number, now)
        parts = [outcome, *(outcome.rest or ())]
        for part in parts:
            self.write(part)
        return [send.record for part in parts for send in part.sends]

    def ask(self, request: Any, **given_event: Any) -> Any:
        (fact,) = self.handle(event(request, **given_event))
        return fact

    def active(self) -> set[str]:
        return {each.id for each in self.subscriptions()}

    def subscriptions(self) -> list[Subscription]:
        rows = [row for row in self.rows.values() if isinstance(row, Registration)]
        return [row.subscription for row in rows if row.subscription is not None]


def change(watch: str, text: str = "zeus", at: int = SEEN) -> DocumentChanged:
    return DocumentChanged("change", URL, watch, 5, 0, "text/html", "und", (added(text),), at)


def unreachable(watch: str, at: int = 10**7) -> DocumentUnreachable:
    return DocumentUnreachable("gone", URL, watch, 5, "", "HTTP 500", at)


@pytest.mark.parametrize(
    ("request_", "code"),
    [
        (subscribe(), 0),
        (subscribe(interval=59), 6),
        (Subscribe("nonsense", Receiver(A), "1", keywords=("zeus",)), 1),
        (subscribe("nonsense"), 2),
        (subscribe(keywords=("!",)), 3),
        (subscribe(ignore_added=True, ignore_removed=True), 4),
        (Cancel(URL, Receiver(A), request_id="1"), 7),
    ],
)
def test_every_request_gets_its_code_on_the_subscriptions_topic(
    request_: Subscribe | Cancel, code: int
) -> None:
    (send,) = Partition().agent.decide(event(request_)).sends
    fact = send.record
    assert isinstance(fact, Subscribed | Rejected)
    assert getattr(fact, "code", 0) == code
    assert fact.request_id == "1"
    assert (send.topic, send.key) == ("subscriptions", fact.url)


def test_a_conflict_is_code_5_and_a_cancel_ends_it() -> None:
    partition = Partition()
    first = partition.ask(subscribe())
    assert partition.ask(subscribe(request_id="2")).code == 5
    ended = partition.ask(Cancel(URL, Receiver(A), request_id="3"))
    assert (type(ended), ended.subscription) == (Cancelled, first.subscription.id)
    assert partition.active() == set()


def test_tags_are_registered_in_canonical_form_and_repeated_in_any() -> None:
    partition = Partition()
    begun = partition.ask(subscribe(lease=60, tags=("prices", " Greek  GODS", "greek gods")))
    assert begun.subscription.options.tags == ("greek gods", "prices")
    again = partition.ask(subscribe(lease=60, tags=("PRICES", "greek gods"), request_id="2"))
    assert again.subscription.id == begun.subscription.id
    (notification,) = partition.handle(event(change(begun.subscription.watch)))
    assert notification.tags == ("greek gods", "prices")


@pytest.mark.parametrize(
    "tags",
    [("a,b",), ("x" * 51,), (" ",), ("a\x00b",), tuple("abcdefghijklmnopqrstu"), ("\u0130" * 30,)],
)
def test_tags_that_are_too_long_too_many_or_no_text_are_refused(tags: tuple[str, ...]) -> None:
    answer = Partition().ask(subscribe(tags=tags))
    assert (answer.code, answer.detail.partition(":")[0]) == (6, "tags")


LEASED = subscribe(lease=60)


def test_a_subscription_that_is_not_asked_for_again_ends_with_its_lease() -> None:
    partition = Partition()
    begun = partition.ask(LEASED, timestamp=1000)
    partition.start()
    assert partition.tick(60_999) == []
    (ended,) = partition.tick(61_000)
    assert (ended.subscription, ended.reason) == (
        begun.subscription.id,
        "it was not asked for again within 60 s",
    )
    assert partition.active() == set()
    assert partition.tick(100_000) == [], "once"


def test_a_lease_that_was_renewed_before_its_end_was_handled_goes_on() -> None:
    partition = Partition()
    begun = partition.ask(LEASED, timestamp=1000)
    late = partition.agent.tick(0, 61_000)
    again = partition.ask(subscribe(request_id="2", lease=60), timestamp=61_001)
    assert again.subscription == begun.subscription
    assert list(late.rest or ()) == []
    assert partition.active() == {begun.subscription.id}
    assert partition.tick(121_000) == []
    assert len(partition.tick(121_001)) == 1


def stop(request_id: str = "stop") -> Cancel:
    return Cancel(URL, Receiver(A), request_id, undo=True)


def test_a_stop_ends_a_subscription_after_a_minute_in_which_nothing_is_notified() -> None:
    partition = Partition()
    begun = partition.ask(subscribe(), timestamp=1000).subscription
    stopped = partition.ask(stop(), timestamp=2000)
    assert (stopped.subscription.id, stopped.watch.paused) == (begun.id, True)
    assert partition.ask(stop("twice"), timestamp=3000).subscription == stopped.subscription
    partition.start()
    assert partition.handle(event(change(begun.watch))) == []
    assert partition.tick(61_999) == []
    late = partition.agent.tick(0, 62_000)
    (ended,) = [send.record for part in late.rest or () for send in part.sends]
    partition.start()
    assert partition.tick(62_000) == [ended], "again after a crash before its row"
    assert isinstance(ended, Cancelled)
    assert (ended.subscription, ended.watch) == (begun.id, None)
    assert partition.ask(stop("late"), timestamp=70_000).code == 7
    assert type(partition.ask(stop(), timestamp=70_000)) is Cancelled, "repeated"
    again = partition.ask(subscribe(request_id="3"), timestamp=71_000).subscription
    assert again.id != begun.id
    assert again.watch != begun.watch, "so it gets a new baseline"


@pytest.mark.parametrize("undo", [Resume(URL, Receiver(A), "undo"), subscribe(request_id="undo")])
@pytest.mark.parametrize("was_paused", [False, True])
def test_an_undone_stop_leaves_a_subscription_as_it_was(undo: Any, was_paused: bool) -> None:
    partition = Partition()
    begun = partition.ask(subscribe(), timestamp=1000).subscription
    if was_paused:
        begun = partition.ask(Pause(URL, Receiver(A), "pause"), timestamp=1500).subscription
    partition.ask(stop(), timestamp=2000)
    assert partition.ask(Cancel(URL, Receiver(B), "other"), timestamp=2500).code == 7
    back, *missed = partition.handle(event(undo, timestamp=61_999))
    assert [(each.since, each.until) for each in missed] == [(2000, 61_999)] * (not was_paused)
    assert back.subscription == replace(begun, pauses=back.subscription.pauses)
    assert back.watch.id == begun.watch, "the snapshots of this watch stay its baseline"
    assert partition.tick(10**7) == []
    assert len(partition.handle(event(change(begun.watch)))) == (not was_paused)


def test_leases_that_end_together_end_part_by_part() -> None:
    partition = Partition()
    begun = [partition.ask(subscribe(each, lease=60), timestamp=1000) for each in (A, B)]
    parts = list(partition.agent.tick(0, 61_000).rest or ())
    assert [len([*part.sends]) for part in parts] == [1, 1]
    facts: list[Any] = [send.record for part in parts for send in part.sends]
    ended = {fact.subscription for fact in facts}
    assert ended == {each.subscription.id for each in begun}


def test_a_crash_before_the_row_repeats_the_same_end_of_a_lease() -> None:
    partition = Partition()
    partition.ask(LEASED, timestamp=1000)
    partition.start()
    parts = partition.agent.tick(0, 61_000).rest or ()
    (lost,) = [send.record for part in parts for send in part.sends]
    partition.start()
    assert partition.tick(61_000) == [lost]


def test_a_rejection_carries_the_watch_that_stays() -> None:
    partition = Partition()
    begun = partition.ask(subscribe())
    assert partition.ask(subscribe(B, interval=1)).watch == begun.watch


def test_keywords_without_a_word_are_dropped() -> None:
    fact = Partition().ask(subscribe(keywords=("zeus", "?!", "hera")))
    assert fact.subscription.keywords == ("zeus", "hera")


def test_a_request_without_an_id_gets_one_of_its_bytes_and_time() -> None:
    partition = Partition()
    each = event(subscribe(request_id=None), timestamp=5000)
    (fact,) = partition.handle(each)
    assert fact.request_id == content_id(each.value, 5000)
    other = partition.ask(subscribe(request_id=None), timestamp=5001)
    assert other.code == 5


def test_a_request_in_json_with_a_mistake_is_rejected_with_what_is_wrong() -> None:
    partition = Partition()
    watched = partition.ask(subscribe())
    body = {"documentUrl": URL + "#x", "requestId": "7", "manager": "desk", "intervall": 60}
    value = json.dumps(body).encode()
    (fact,) = partition.handle(event(wire.decode(value, allow_json=True), value=value))
    assert (fact.request_id, fact.manager, fact.url, fact.code) == ("7", "desk", URL, 6)
    assert fact.detail == "intervall: there is no such field; did you mean interval?"
    assert fact.watch == watched.watch


def test_a_request_in_json_with_a_mistake_is_forwarded_like_others() -> None:
    value = json.dumps({"documentUrl": "http://other.test/", "keywords": "zeus"}).encode()
    each = event(wire.decode(value, allow_json=True), value=value)
    (send,) = Partition().agent.decide(each).sends
    assert (send.key, send.record) == ("http://other.test/", value)


def test_a_request_on_another_partition_is_forwarded_once_with_its_origin() -> None:
    partition = Partition()
    request = Subscribe("http://other.test/#x", Receiver(A), keywords=("zeus",))
    value = json.dumps({"documentUrl": "http://other.test/"}).encode()
    each = event(request, offset=8, timestamp=9, value=value, headers=(("mine", b"x"),))
    outcome = partition.agent.decide(each)
    (send,) = outcome.sends
    assert (send.topic, send.key) == ("subscription-requests", "http://other.test/")
    assert (send.record, send.partition, outcome.puts) == (value, None, ())
    assert send.headers == (("mine", b"x"), (FORWARDED, b"0:8:9"))
    with pytest.raises(MisplacedError):
        partition.agent.decide(event(request, headers=send.headers))


def test_a_forwarded_request_is_applied_once_however_often_it_is_forwarded() -> None:
    partition = Partition()
    origin = ((FORWARDED, b"1:8:9"),)
    fact = partition.ask(subscribe(request_id=None), offset=3, headers=origin)
    assert fact.at == 9
    again = event(subscribe(request_id=None), offset=4, timestamp=77, headers=origin)
    assert partition.handle(again) == []
    # Offsets are counted per origin: this one is new although 3 < 8.
    assert partition.ask(Cancel(URL, Receiver(A), request_id="2"), offset=5).request_id == "2"


def test_a_request_forwarded_again_after_a_crash_has_the_one_answer_that_it_got() -> None:
    partition = Partition()
    partition.ask(subscribe(), offset=3)
    pause = Pause(URL, Receiver(A), request_id="2")
    origin = ((FORWARDED, b"1:8:9"),)
    assert isinstance(partition.ask(pause, offset=4, headers=origin), Subscribed)
    partition.ask(Cancel(URL, Receiver(A), request_id="3"), offset=5)
    partition.start()
    assert partition.handle(event(pause, offset=6, headers=origin)) == []
    # Its client, who sends it again, reads that the subscription has ended.
    assert partition.ask(pause, offset=7).code == 7


def test_an_expire_is_forwarded_too() -> None:
    (send,) = Partition().agent.decide(event(Expire("http://other.test/", "s", "gone"))).sends
    assert send.key == "http://other.test/"


def test_a_request_too_large_for_its_answer_is_refused() -> None:
    agent = Partition().agent
    request = Subscribe("x" * MAX_REQUEST, Receiver(), "1", keywords=())
    with pytest.raises(OversizedRequestError):
        agent.decide(event(request))
    short = Subscribe("x" * (MAX_REQUEST - 200), Receiver(), "1", keywords=())
    (send,) = agent.decide(event(short)).sends
    assert isinstance(send.record, Rejected)
    assert isinstance(send.key, str)
    assert len(wire.encode(send.record)) + len(send.key) < 1_000_000


def test_an_expire_ends_one_subscription_and_only_that() -> None:
    partition = Partition()
    first, second = partition.ask(subscribe(A)), partition.ask(subscribe(B))
    command = Expire(URL, first.subscription.id, "its receiver answered 410 Gone")
    fact = partition.ask(command)
    assert fact.subscription == first.subscription.id
    assert (fact.reason, fact.watch) == (command.reason, second.watch)
    assert partition.handle(event(command)) == []
    assert partition.active() == {second.subscription.id}


def test_a_change_notifies_the_subscriptions_of_its_watch_that_match() -> None:
    partition = Partition()
    first = partition.ask(subscribe(A))
    partition.ask(subscribe(B, keywords=("hera",)))
    watch = first.subscription.watch
    outcomes = partition.decide(event(change(watch), topic="changes"))
    (send,) = [send for outcome in outcomes for send in outcome.sends]
    notified = send.record
    assert isinstance(notified, Notification)
    assert (send.topic, send.key) == ("notifications", A)
    assert notified.id == content_id("change", first.subscription.id)
    assert (notified.status, notified.receiver.client_url) == ("ok", A)
    assert [(diff.event, diff.keyword) for diff in notified.diffs] == [("added", "zeus")]


def test_a_return_to_an_earlier_text_is_said_or_ignored_as_each_subscription_asks() -> None:
    partition = Partition()
    first = partition.ask(subscribe(A)).subscription
    partition.ask(subscribe(B, ignore_returns=True))
    back = Returned(since=SEEN, times=2)
    seen = replace(change(first.watch), returned=back, title="Gods")
    (notified,) = partition.handle(event(seen, topic="changes"))
    assert notified.receiver.client_url == A
    assert (notified.returned, notified.title) == (back, "Gods")
    assert len(partition.handle(event(change(first.watch), topic="changes", offset=1))) == 2


def test_a_text_that_a_page_had_before_the_subscription_is_new_to_it() -> None:
    partition = Partition()
    first = partition.ask(subscribe(A)).subscription
    for minutes, shown in ((0, first.created), (-0.9, first.created), (-1, None)):
        back = Returned(since=first.created + int(minutes * 60_000), times=2)
        seen = replace(change(first.watch), returned=back)
        (notified,) = partition.handle(event(seen, topic="changes"))
        assert (notified.returned and notified.returned.since) == shown


@pytest.mark.parametrize("others", [0, INDEXED])
def test_keywords_of_the_whole_document_are_found_in_texts_that_come_with_the_change(
    others: int,
) -> None:
    partition = Partition()
    for number in range(others):
        partition.ask(subscribe(f"http://other{number}.test/", keywords=(f"word{number}",)))
    first = partition.ask(subscribe(A, keywords=("hera zeus",), scope="document")).subscription
    partition.ask(subscribe(B, keywords=("hera zeus",)))
    texts = Texts("hera", "hera. zeus")
    seen = replace(change(first.watch), texts=texts)
    (notified,) = partition.handle(event(seen, topic="changes"))
    assert notified.subscription == first.id
    assert [(each.event, each.text) for each in notified.diffs] == [("added", "zeus")]


def test_a_change_of_another_watch_notifies_nobody() -> None:
    partition = Partition()
    partition.ask(subscribe())
    assert partition.handle(event(change("another"), topic="changes")) == []
    assert partition.handle(event(unreachable("another"), topic="changes")) == []
    assert len(partition.active()) == 1


def test_a_change_in_a_view_notifies_the_subscriptions_with_that_view_only() -> None:
    partition = Partition()
    first = partition.ask(subscribe(A)).subscription
    plain = partition.ask(subscribe(B, content_type="text/plain")).subscription
    for view, client in ((first.view_id, A), (plain.view_id, B)):
        seen = replace(change(first.watch), view=view)
        outcomes = partition.decide(event(seen, topic="changes"))
        (send,) = [send for outcome in outcomes for send in outcome.sends]
        assert send.key == client
    assert partition.handle(event(replace(change(first.watch), view="x"), topic="changes")) == []


def test_a_document_that_is_unreadable_in_a_view_ends_the_subscriptions_with_that_view() -> None:
    partition = Partition()
    mine = partition.ask(subscribe(A)).subscription
    strangers = partition.ask(subscribe(B, content_type="image/png")).subscription
    failed = replace(unreachable(mine.watch), view=strangers.view_id)
    sent = partition.handle(event(failed, topic="changes"))
    assert [each.subscription for each in sent if isinstance(each, Notification)] == [strangers.id]
    (ended,) = [each for each in sent if isinstance(each, Expired)]
    assert ended.watch == partition.ask(Pause(URL, Receiver(C), request_id="p")).watch
    assert partition.active() == {mine.id}


def test_an_end_that_is_read_again_leaves_a_subscription_that_came_later() -> None:
    partition = Partition()
    plain = partition.ask(subscribe(A), timestamp=1000).subscription
    other = partition.ask(subscribe(B, content_type="text/plain"), timestamp=1000).subscription
    gone = unreachable(plain.watch, at=2000)
    assert len(partition.handle(event(gone, topic="changes"))) == 2
    later = partition.ask(subscribe(C), timestamp=3000).subscription
    assert later.watch == plain.watch, "the other view keeps it"
    assert partition.handle(event(gone, topic="changes")) == []
    assert partition.active() == {other.id, later.id}


def test_an_end_that_is_read_again_leaves_a_subscription_that_was_changed_later() -> None:
    partition = Partition()
    own = partition.ask(subscribe(A, content_type="text/plain"), timestamp=1000).subscription
    gone = unreachable(own.watch, at=2000)
    assert partition.handle(event(gone, topic="changes")) == []
    partition.ask(replace(subscribe(A), request_id="2", replace=True), timestamp=3000)
    assert partition.handle(event(gone, topic="changes")) == []
    assert partition.active() == {own.id}
    again = replace(gone, at=4000)
    assert len(partition.handle(event(again, topic="changes"))) == 2


@pytest.mark.parametrize("later", [
    replace(subscribe(A), request_id="2"),
    replace(subscribe(A), request_id="2", replace=True),
    commands.Test(URL, Receiver(A), request_id="2"),
    Resume(URL, Receiver(A), request_id="2"),
])  # fmt: skip
def test_an_end_ends_a_subscription_that_a_later_request_left_as_it_was(later: Any) -> None:
    partition = Partition()
    own = partition.ask(subscribe(A), timestamp=1000).subscription
    partition.handle(event(later, timestamp=3000))
    assert partition.active() == {own.id}
    partition.start()
    (notified, ended) = partition.handle(event(unreachable(own.watch, at=2000), topic="changes"))
    assert (notified.status, type(ended)) == ("timeout", Expired)
    assert partition.active() == set()


def test_each_subscription_ends_after_as_many_failures_as_it_allows() -> None:
    partition = Partition()
    few = partition.ask(subscribe(A, max_failures=2)).subscription
    usual = partition.ask(subscribe(B)).subscription
    never = partition.ask(subscribe(C, max_failures=0)).subscription
    gone = replace(unreachable(few.watch), failures=2, max_failures=10)
    (ended,) = [
        each for each in partition.handle(event(gone, topic="changes")) if isinstance(each, Expired)
    ]
    assert ended.subscription == few.id
    assert ended.watch is not None
    assert [view.max_failures for view in ended.watch.views] == [None]
    gone = replace(gone, failures=10)
    (ended,) = [
        each for each in partition.handle(event(gone, topic="changes")) if isinstance(each, Expired)
    ]
    assert ended.subscription == usual.id
    assert partition.handle(event(replace(gone, failures=10**6), topic="changes")) == []
    assert partition.active() == {never.id}


@pytest.mark.parametrize(("language", "said"), [("he", "he"), ("und", "")])
def test_a_notification_says_the_language_of_the_page_if_it_is_known(
    language: str, said: str
) -> None:
    partition = Partition()
    watch = partition.ask(subscribe(A)).subscription.watch
    fact = replace(change(watch), language=language)
    (notified,) = partition.handle(event(fact, topic="changes"))
    assert isinstance(notified, Notification)
    assert notified.language == said


def test_who_asks_for_it_is_notified_that_a_document_fails_and_is_read_again() -> None:
    partition = Partition()
    asks = partition.ask(subscribe(A, notify_failures=True)).subscription
    partition.ask(subscribe(B))
    partition.ask(subscribe(C, notify_failures=True, content_type="text/plain"))
    names = "n", URL, asks.watch, 5, ""
    failing = DocumentFailing(*names, "HTTP 500", SEEN, title="Giants")
    recovered = DocumentRecovered(*names, SEEN, title="Giants")
    for fact, status in ((failing, "failing"), (recovered, "recovered")):
        (notified,) = partition.handle(event(fact, topic="changes"))
        assert isinstance(notified, Notification)
        assert (notified.subscription, notified.status, notified.diffs) == (asks.id, status, ())
        assert notified.title == "Giants"
    partition.ask(Pause(URL, Receiver(A), request_id="p"))
    assert partition.handle(event(failing, topic="changes")) == []


def test_who_waits_for_more_failures_is_not_notified_of_fewer_nor_of_their_end() -> None:
    partition = Partition()
    third = partition.ask(subscribe(A, notify_failures=True, failing_after=3)).subscription
    first = partition.ask(subscribe(B, notify_failures=True)).subscription
    names = "n", URL, third.watch, 5, ""

    def notified(fact: DocumentFailing | DocumentRecovered) -> list[tuple[str, str]]:
        found = partition.handle(event(fact, topic="changes"))
        assert all(isinstance(each, Notification) for each in found)
        return [(each.subscription, each.reason) for each in found]

    assert notified(DocumentFailing(*names, "HTTP 500", SEEN + 7)) == [(first.id, "HTTP 500")]
    again = "3 times in a row, at last: HTTP 500"
    assert notified(DocumentFailing(*names, "HTTP 500", SEEN + 8, failures=3)) == [
        (third.id, again)
    ]
    both = notified(DocumentRecovered(*names, SEEN + 9, failures=3))
    assert {each for each, _ in both} == {first.id, third.id}
    assert notified(DocumentFailing(*names, "HTTP 500", SEEN + 10)) == [(first.id, "HTTP 500")]
    assert notified(DocumentRecovered(*names, SEEN + 11, failures=2)) == [(first.id, "")]


@pytest.mark.parametrize(
    ("kind", "status"),
    [
        (SelectionLost, "lost"),
        (SelectionFound, "found"),
        (LoginLost, "lost"),
        (LoginFound, "found"),
    ],
)
def test_who_asks_for_it_is_notified_of_a_loss_with_its_reason(kind: Any, status: str) -> None:
    partition = Partition()
    asks = partition.ask(subscribe(A, notify_failures=True)).subscription
    partition.ask(subscribe(B))
    partition.ask(subscribe(C, notify_failures=True, content_type="text/plain"))
    reason = ("nothing matches",) if status == "lost" else ()
    if status == "found":
        lost = SelectionLost("l", URL, asks.watch, 4, "text/html", "nothing matches", SEEN)
        partition.handle(event(lost, topic="changes"))
    fact = kind("n", URL, asks.watch, 5, "text/html", *reason, SEEN)
    (notified,) = partition.handle(event(fact, topic="changes"))
    assert isinstance(notified, Notification)
    assert (notified.subscription, notified.status) == (asks.id, status)
    assert notified.reason == "".join(reason)
    assert partition.active() >= {asks.id}, "no subscription ends"
    partition.ask(Pause(URL, Receiver(A), request_id="p"))
    assert partition.handle(event(replace(fact, id="m"), topic="changes")) == []


def test_a_session_is_notified_under_its_id() -> None:
    partition = Partition()
    request = varied(subscribe(), client_url=None, session="me")
    watch = partition.ask(request).subscription.watch
    outcomes = partition.decide(event(change(watch), topic="changes"))
    (send,) = [send for outcome in outcomes for send in outcome.sends]
    assert send.key == "me"


def test_a_document_that_is_unreachable_times_all_its_subscriptions_out() -> None:
    partition = Partition()
    begun = [partition.ask(subscribe(client)).subscription for client in (A, B, C)]
    sent = partition.handle(event(unreachable(begun[0].watch), topic="changes"))
    notified = [each for each in sent if isinstance(each, Notification)]
    ended = [each for each in sent if isinstance(each, Expired)]
    assert {each.subscription for each in notified} == {each.id for each in begun}
    assert {each.status for each in notified} == {"timeout"}
    assert {each.subscription for each in ended} == {each.id for each in begun}
    assert [each.watch for each in ended] == [None] * 3
    assert {each.reason for each in ended} == {"HTTP 500"}
    assert partition.active() == set()
    assert partition.handle(event(unreachable(begun[0].watch), topic="changes")) == []


def test_an_error_while_subscriptions_time_out_leaves_the_rest_as_it_was(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    partition = Partition()
    for client in (A, B):
        watch = partition.ask(subscribe(client)).subscription.watch
    with monkeypatch.context() as patched:
        known = Registrations()
        for key, row in partition.rows.items():
            assert isinstance(row, Registration)
            known.put(key, row)
        ended = end_by_change(known, next(iter(known)), unreachable(watch).id, 1)
        once = Mock(side_effect=[ended, ValueError])
        patched.setattr("streams.agents.match.changes.end_by_change", once)
        with pytest.raises(ValueError):  # noqa: PT011 - it is the mock's
            partition.decide(event(unreachable(watch), topic="changes"))
    assert len(partition.handle(event(change(watch), topic="changes"))) == 1
    sent = partition.handle(event(unreachable(watch), topic="changes"))
    assert sum(isinstance(each, Expired) for each in sent) == 2, "also the one that had ended"


def test_what_ended_long_ago_is_deleted_from_the_table() -> None:
    partition = Partition()
    partition.ask(Cancel(URL, Receiver(A), request_id="1"), timestamp=1000)
    assert len(partition.rows) == 1
    partition.ask(subscribe(B), timestamp=1001 + DAY)
    assert len(partition.rows) == 1
    assert len(partition.active()) == 1


REQUESTS = st.one_of(
    st.builds(
        subscribe,
        st.sampled_from([A, B]),
        st.sampled_from(["1", "2", "3", None]),
        replace=st.booleans(),
        interval=st.sampled_from([1, 60, 90]),
        content_type=st.sampled_from([None, "text/html"]),
    ),
    st.builds(
        Cancel,
        st.just(URL),
        st.builds(Receiver, st.sampled_from([A, B])),
        request_id=st.sampled_from(["1", "2", None]),
    ),
    st.sampled_from(["expire", "unreachable"]),
)


def log(entries: list[Any]) -> list[Event]:
    """Make events of entries; 'expire' is aimed at what there is when it comes."""
    partition, events = Partition(), list[Event]()
    for offset, entry in enumerate(entries):
        active = sorted(partition.active())
        fact = entry
        if entry == "expire":
            fact = Expire(URL, active[0] if active else "none", "gone")
        elif entry == "unreachable":
            watches = {each.watch for each in partition.subscriptions()}
            fact = unreachable(next(iter(watches), "none"), at=1000 + offset)
        events.append(event(fact, offset=offset, timestamp=1000 + offset))
        partition.handle(events[-1])
    return events


def answer(fact: Any) -> tuple[Any, ...] | None:
    """The answer that a caller gets, by request; None for facts that answer none."""
    match fact:
        case Subscribed():
            client = fact.subscription.receiver.client_url
            return (fact.request_id, client, "subscribed", fact.subscription.id)
        case Cancelled():
            return (fact.request_id, "cancelled", fact.subscription)
        case Rejected():
            return (fact.request_id, fact.code)
    return None


class Crashing:
    """A partition that crashes; ``answers`` has all that each event was ever answered."""

    def __init__(self, events: list[Event]) -> None:
        self.events = events
        self.partition = Partition()
        self.answers: list[set[tuple[Any, ...]]] = [set() for _ in events]

    def note(self, number: int, sent: list[Any]) -> None:
        self.answers[number] |= {found for fact in sent if (found := answer(fact))}

    def handle(self, numbers: range) -> None:
        for number in numbers:
            self.note(number, self.partition.handle(self.events[number]))

    def crash(self, numbers: range, data: st.DataObject) -> int:
        """Decide and send, but bring only a beginning of the puts to the table."""
        decided = [self.partition.decide(self.events[number]) for number in numbers]
        for number, outcomes in zip(numbers, decided, strict=True):
            self.note(number, [send.record for outcome in outcomes for send in outcome.sends])
        durable = data.draw(st.integers(0, len(decided)))
        for outcomes in decided[:durable]:
            for outcome in outcomes:
                self.partition.write(outcome)
        for outcomes in decided[durable : durable + 1]:
            for outcome in outcomes[: data.draw(st.integers(0, len(outcomes)))]:
                self.partition.write(outcome)
        self.partition.start()
        return numbers.start + durable


@examples(150)
@given(st.lists(REQUESTS, max_size=14), st.data())
def test_after_any_crashes_every_request_has_one_answer_and_the_table_is_the_same(
    entries: list[Any], data: st.DataObject
) -> None:
    events = log(entries)
    quiet, broken = Crashing(events), Crashing(events)
    quiet.handle(range(len(events)))
    done = 0
    while done < len(events):
        done = broken.crash(range(done, data.draw(st.integers(done, len(events)))), data)
        # The offsets were not committed: what was durable comes again from any point on.
        again = data.draw(st.integers(0, done))
        broken.handle(range(again, min(done + 1, len(events))))
        done += 1
    assert broken.partition.rows == quiet.partition.rows
    for each, one, other in zip(events, quiet.answers, broken.answers, strict=True):
        assert one == other
        assert len(one) == isinstance(each.fact, Subscribe | Cancel), each.fact


@examples(150)
@given(st.lists(REQUESTS, max_size=14))
def test_all_subscriptions_of_a_url_share_one_watch_that_its_facts_carry(
    entries: list[Any],
) -> None:
    partition = Partition()
    for each in log(entries):
        facts = partition.handle(each)
        rows = partition.subscriptions()
        assert len({row.watch for row in rows}) == bool(rows)
        notified = [fact.watch for fact in facts if hasattr(fact, "request_id")]
        for watch in notified:
            assert (watch is None) == (not rows)
            assert watch is None or watch.id == rows[0].watch
            assert watch is None or watch.interval == min(row.options.interval for row in rows)


def test_equal_options_of_new_subscriptions_are_one_object() -> None:
    partition = Partition()
    for client in (A, B):
        partition.ask(wire.decode(wire.encode(subscribe(client, interval=61)), Subscribe))
    first, second = (each.options for each in partition.subscriptions())
    assert first.interval == 61
    assert first is second


def test_a_change_is_matched_with_the_stemmer_that_is_current() -> None:
    lengths = iter((7, 3, 7))

    def language(code: str) -> str:
        length = next(lengths)
        return PluginLanguage(code, f"{length} letters", lambda word: word[:length])

    partition = Partition()
    partition.agent = MatchProcessor(partition_of=lambda url: 0, rules=Rules(60), language=language)
    partition.agent.begin(0)
    answer = partition.ask(subscribe(keywords=("gigantes",), enable_stemming=True))
    notified = change(answer.subscription.watch, "gigas")
    assert [len(partition.handle(event(notified, topic="changes"))) for _ in range(3)] == [0, 1, 0]


def test_a_paused_subscription_is_notified_of_no_change_until_it_is_resumed() -> None:
    partition = Partition()
    begun = partition.ask(subscribe()).subscription
    partition.ask(subscribe(B))
    assert partition.ask(Pause(URL, Receiver(A), request_id="2")).subscription.paused
    assert [
        notified.receiver.client_url for notified in partition.handle(event(change(begun.watch)))
    ] == [B]
    partition.start()
    assert [
        notified.receiver.client_url for notified in partition.handle(event(change(begun.watch)))
    ] == [B]
    partition.ask(Resume(URL, Receiver(A), request_id="3"))
    assert {
        notified.receiver.client_url for notified in partition.handle(event(change(begun.watch)))
    } == {
        A,
        B,
    }


def test_a_paused_subscription_is_notified_of_its_end() -> None:
    partition = Partition()
    begun = partition.ask(subscribe()).subscription
    partition.ask(Pause(URL, Receiver(A), request_id="2"))
    notified, ended = partition.handle(event(unreachable(begun.watch)))
    assert (notified.status, notified.receiver.client_url) == ("timeout", A)
    assert isinstance(ended, Expired)
    assert partition.active() == set()


def test_a_test_notification_goes_to_its_client_after_the_answer() -> None:
    partition = Partition()
    begun = partition.ask(subscribe()).subscription
    request = commands.Test(URL, Receiver(A), request_id="2")
    outcome = partition.agent.decide(event(request))
    answer, notified = outcome.sends
    assert isinstance(answer.record, Subscribed)
    assert answer.record.subscription == begun
    assert isinstance(notified.record, Notification)
    assert (notified.topic, notified.key, notified.record.test) == ("notifications", A, True)


def test_a_test_notification_is_repeated_with_the_same_id_after_a_crash_before_its_row() -> None:
    partition = Partition()
    partition.ask(subscribe())
    each = event(commands.Test(URL, Receiver(A), request_id="2"))
    first = [send.record for send in partition.agent.decide(each).sends]
    partition.start()
    assert partition.handle(each) == first
    assert partition.handle(each) == []


def test_who_cancels_or_subscribes_while_a_change_waits_is_not_notified_of_it() -> None:
    partition = Partition()
    watch = partition.ask(subscribe(A, A), timestamp=10).watch.id
    partition.ask(subscribe(B, B), timestamp=11)
    outcome = partition.agent.decide(event(change(watch, at=12)))
    partition.ask(Cancel(URL, Receiver(B), request_id="end"), timestamp=12)
    partition.ask(subscribe(C, C), timestamp=13)
    assert outcome.rest is not None
    assert [send.key for part in outcome.rest for send in part.sends] == [A]


def test_the_notifications_of_one_document_are_of_one_line() -> None:
    partition = Partition()
    watch = partition.ask(subscribe()).watch.id
    for fact in (change(watch), unreachable(watch)):
        outcome = partition.agent.decide(event(fact))
        assert (outcome.sends, outcome.puts, outcome.line) == ((), (), URL)


def test_a_request_of_a_topic_that_began_again_is_decided_though_its_offset_was() -> None:
    partition = Partition()
    partition.ask(subscribe(), offset=1000, timestamp=5000)
    cancel = event(Cancel(URL, Receiver(A), request_id="2"), offset=3, timestamp=6000)
    with capture_logs() as logs:
        (fact,) = partition.handle(cancel)
    assert isinstance(fact, Cancelled)
    (said,) = [line for line in logs if line["log_level"] == "warning"]
    assert (said["offset"], said["decided"]) == (3, 1000)
    partition.start()
    assert partition.handle(cancel) == [], "and once only"


def test_a_forwarded_request_of_a_topic_that_began_again_is_decided() -> None:
    partition = Partition()
    partition.ask(subscribe(), offset=5, headers=((FORWARDED, b"1:800:1000000"),))
    cancel = Cancel(URL, Receiver(A), request_id="2")
    again = {"offset": 6, "timestamp": 1_000_002, "headers": ((FORWARDED, b"1:8:1000001"),)}
    assert isinstance(partition.ask(cancel, **again), Cancelled)


def crowd(count: int) -> tuple[Partition, str]:
    """Subscribe so many clients, all with the same keyword."""
    partition = Partition()
    for number in range(count):
        client = f"http://{number}.test/"
        watch = partition.ask(subscribe(client, client), timestamp=number).watch.id
    return partition, watch


def meanwhile(partition: Partition, fact: Any, parts: int, *requests: Any) -> set[str | None]:
    """Decide these requests after so many parts of a change, and return whom it notifies."""
    rest = partition.agent.decide(event(fact)).rest
    assert rest is not None
    sends = [send for part in islice(rest, parts) for send in part.sends]
    assert not sends, "the requests come first"
    for request in requests:
        partition.ask(request, timestamp=10_000)
    sends += [send for part in rest for send in part.sends]
    return {str(send.key) for send in sends}


def test_who_renews_a_subscription_while_the_concerned_are_searched_is_notified() -> None:
    everybody = {f"http://{number}.test/" for number in range(80)}
    client = "http://7.test/"
    for parts in (1, 2, 3):
        partition, watch = crowd(80)
        again = replace(subscribe(client, "again", interval=90), replace=True)
        assert meanwhile(partition, change(watch), parts, again) == everybody


def test_who_cancels_while_the_concerned_are_searched_is_not_notified() -> None:
    partition, watch = crowd(80)
    client = "http://7.test/"
    cancel = Cancel(URL, Receiver(client), request_id="end")
    assert client not in meanwhile(partition, change(watch), 2, cancel)


@pytest.mark.parametrize("request_", [Cancel, Pause])
def test_who_cancels_or_pauses_while_others_are_notified_is_not_notified(
    request_: type[Cancel | Pause],
) -> None:
    partition, watch = crowd(80)
    rest = partition.agent.decide(event(change(watch))).rest
    assert rest is not None
    first = next(send for part in rest for send in part.sends)
    client = "http://79.test/"
    assert first.key != client
    partition.ask(request_(URL, Receiver(client), request_id="end"), timestamp=10_000)
    sent = [str(send.key) for part in rest for send in part.sends]
    assert set(sent) == {f"http://{number}.test/" for number in range(1, 79)}


def test_who_rotates_a_secret_while_others_are_notified_is_notified_with_the_new_one() -> None:
    partition, watch = crowd(80)
    rest = partition.agent.decide(event(change(watch))).rest
    assert rest is not None
    next(send for part in rest for send in part.sends)
    client = "http://79.test/"
    partition.ask(Rotate(URL, Receiver(client), request_id="new"), timestamp=10_000)
    sent = {str(send.key): send.record for part in rest for send in part.sends}
    notified = sent[client]
    assert isinstance(notified, Notification)
    assert notified.rotation == 1


def test_who_cancels_while_others_read_that_a_document_fails_is_not_notified() -> None:
    partition = Partition()
    begun = partition.ask(subscribe(A, notify_failures=True)).subscription
    partition.ask(subscribe(B, notify_failures=True))
    failing = DocumentFailing("n", URL, begun.watch, 5, "", "HTTP 500", SEEN)
    rest = partition.agent.decide(event(failing)).rest
    assert rest is not None
    (first,) = next(rest).sends
    for client in {A, B} - {first.key}:
        partition.ask(Cancel(URL, Receiver(str(client)), request_id="end"))
    assert list(rest) == []


def applied(partition: Partition, fact: Any, parts: int | None = None) -> list[Any]:
    """Make the first parts of what follows from a fact durable, and return what was sent."""
    sent = []
    for part in islice(partition.agent.decide(event(fact)).rest or (), parts):
        sent += [send.record for send in part.sends]
        partition.write(part)
    return sent


def test_after_a_crash_a_change_is_matched_from_where_it_was_written_down(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("streams.agents.match.notifying.NOTED", 10)
    partition, watch = crowd(95)
    sent = applied(partition, change(watch), parts=70)
    assert 40 < len(sent) < 95
    partition.start()
    rest = applied(partition, change(watch))
    assert len({each.id for each in sent + rest}) == 95
    assert len(sent) + len(rest) < 95 + 10
    assert applied(partition, change(watch)) == [], "it is matched to its end"
    again = replace(change(watch), id="next")
    assert len(applied(partition, again)) == 95


def test_what_is_left_of_an_earlier_change_does_not_shorten_the_next_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("streams.agents.match.notifying.NOTED", 10)
    partition, watch = crowd(30)
    applied(partition, change(watch), parts=30)
    assert any(key.startswith(NOTIFIED) for key in partition.rows)
    partition.start()
    assert len(applied(partition, replace(change(watch), id="next"))) == 30


def test_many_subscriptions_end_one_by_one_and_after_a_crash_only_those_that_are_left() -> None:
    partition, watch = crowd(100)
    assert applied(partition, unreachable(watch), parts=60) == []
    assert len(partition.active()) == 40
    partition.start()
    sent = applied(partition, unreachable(watch), parts=40 + 1 + 70)
    assert sum(isinstance(each, Expired) for each in sent) == 70
    assert partition.active() == set()
    partition.start()
    sent = applied(partition, unreachable(watch))
    assert sum(isinstance(each, Expired) for each in sent) == 30
    assert sent[-1].watch is None
    assert applied(partition, unreachable(watch)) == []


@pytest.mark.parametrize("parts", range(4))
def test_who_is_notified_of_an_end_has_ended_before_later_requests_whenever_a_worker_dies(
    parts: int,
) -> None:
    partition, watch = crowd(1)
    (ended,) = partition.active()
    client = "http://0.test/"
    sent = applied(partition, unreachable(watch, at=2000), parts)
    partition.start()
    again = replace(subscribe(client, "again", interval=90), replace=True)
    later = partition.ask(again, timestamp=3000).subscription
    sent += applied(partition, unreachable(watch, at=2000))
    notified = {each.subscription for each in sent if isinstance(each, Notification)}
    assert notified == ({ended} if parts else set())
    assert (later.id == ended) == (not parts)
    assert partition.active() == {later.id}


def test_an_end_is_published_when_it_is_durable() -> None:
    partition, watch = crowd(3)
    parts = list(partition.agent.decide(event(unreachable(watch))).rest or ())
    (awaited,) = (number for number, part in enumerate(parts) if part.awaited)
    assert not any(part.sends for part in parts[:awaited])
    assert sum(len(part.puts) for part in parts[:awaited]) == 3
    assert sum(len(list(part.sends)) for part in parts[awaited:]) == 6


def test_the_end_of_a_watch_takes_work_in_proportion_to_its_subscriptions(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    calls: Counter[str] = Counter()
    for name in ("get", "__getitem__", "__iter__"):
        method = getattr(Registrations, name)

        def counted(*arguments: Any, name: str = name, method: Any = method) -> Any:
            calls[name] += 1
            return method(*arguments)

        monkeypatch.setattr(Registrations, name, counted)
    work = {}
    for count in (100, 400):
        partition, watch = crowd(count)
        calls.clear()
        applied(partition, unreachable(watch))
        work[count] = sum(calls.values())
    assert work[400] < 5 * work[100]


def test_who_subscribes_while_a_watch_ends_ends_with_it() -> None:
    partition, watch = crowd(3)
    rest = partition.agent.decide(event(unreachable(watch))).rest
    assert rest is not None
    partition.write(next(rest))
    late = partition.ask(subscribe(C, C), timestamp=99)
    assert late.subscription.watch == watch
    for part in rest:
        partition.write(part)
    assert partition.active() == set()


@pytest.mark.slow  # three seconds of a core
def test_100_000_partitions_that_came_and_left_leave_nothing_in_memory() -> None:
    agent = Partition().agent
    row = wire.encode(Registration(subscription=None, applied=(), answers=(), at=0))
    for number in range(100_000):
        agent.begin(number)
        agent.load(number, f"{URL}\0a".encode(), row)
        if number % 100 == 99:
            agent.released()
    assert set(agent.sizes().values()) == {0}
    assert not agent._memories
