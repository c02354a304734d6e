"""What a schema lets through and the contract does not is refused by name, before any agent."""

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.codec.validity import fault
from schemas.codec.wire import Undecodable, decode, encode
from schemas.records.changes import Diff, DocumentChanged, Edit, Place, Region, Sentence, Span
from schemas.records.deliveries import Delivered
from schemas.records.failures import DocumentUnreachable
from schemas.records.fetches import Due, FetchDue, Forget
from schemas.records.field_types import MAX_INTERVAL, MAX_TIME
from schemas.records.notifications import Notification
from schemas.records.requests import Expire, Subscribe
from schemas.records.subscription_facts import Cancelled, Rejected, Subscribed
from schemas.records.subscriptions import Options, Receiver, Subscription
from schemas.records.table_rows import Scheduled
from schemas.records.urls import canonical
from schemas.records.views import View, WatchedView
from schemas.records.watches import Watch
from tests.fakes.regions import added
from tests.fakes.variants import varied

URL, CLIENT = "http://d.test/", "https://c.test/hook"
WATCH = Watch("w", 60)
SUBSCRIPTION = Subscription(
    "s", "w", "m", URL, URL, Receiver(CLIENT), ("a",), Options(interval=60), 1
)
SUBSCRIBED = Subscribed("r", SUBSCRIPTION, URL, WATCH, 1)
PLACE, SENTENCE = Place(0, "giant"), Sentence(0, 5, ())
CHANGED = DocumentChanged("c", URL, "w", 1, 0, "text/html", "en", (added("giant"),), 1)
DIFF = Diff("added", "a", "a", "a")
NOTIFIED = Notification(
    "n",
    "c",
    "s",
    "m",
    Receiver(CLIENT),
    "ok",
    "D.test",
    "",
    (DIFF,),
    False,
    1,
    0,
    0,
    "w",
    test=False,
)
DUE = Due(URL, "w", 1)
LONG = (WatchedView("v", View("x" * 257)),)


def subscribed(**fields: Any) -> Subscribed:
    return replace(SUBSCRIBED, subscription=varied(SUBSCRIPTION, **fields))


def with_edit(
    change: str,
    removed: Sentence | None,
    added: Sentence | None,
    place: Place | None = PLACE,
) -> DocumentChanged:
    edit = Edit(change, removed, added, "")
    return replace(CHANGED, regions=(Region(place, place, (), (edit,)),))


@pytest.mark.parametrize(
    ("fact", "name"),
    [
        (FetchDue((replace(DUE, slot=-1),)), "slot"),
        (FetchDue((replace(DUE, slot=MAX_TIME + 1),)), "slot"),
        (FetchDue((DUE, replace(DUE, url="garbage"))), "url"),
        (FetchDue((replace(DUE, url="http:///x"),)), "url"),
        (FetchDue((replace(DUE, url="ftp://d.test/"),)), "url"),
        (FetchDue((replace(DUE, url=URL + "x" * 2048),)), "url"),
        (FetchDue((replace(DUE, slot=2**60),)), "slot"),
        (FetchDue((replace(DUE, views=LONG),)), "content_type"),
        (Forget("", "w"), "url"),
        (Forget(URL, "w" * 257), "watch"),
        (Expire(URL, "s", "x" * 10_001), "reason"),
        (Expire(URL, "s\r\nheader: x", ""), "subscription"),
        (replace(SUBSCRIBED, watch=replace(WATCH, interval=0)), "interval"),
        (replace(SUBSCRIBED, watch=replace(WATCH, interval=-60)), "interval"),
        (replace(SUBSCRIBED, watch=replace(WATCH, interval=MAX_INTERVAL + 1)), "interval"),
        (replace(SUBSCRIBED, watch=replace(WATCH, views=LONG)), "content_type"),
        (replace(SUBSCRIBED, url="garbage"), "url"),
        (replace(SUBSCRIBED, at=-1), "at"),
        (subscribed(interval=0), "interval"),
        (subscribed(keywords=()), "keywords"),
        (subscribed(snippet_offset=-1), "snippet_offset"),
        (subscribed(snippet_offset=201), "snippet_offset"),
        (subscribed(client_url="nowhere"), "client_url"),
        (subscribed(client_url=None), "session"),
        (subscribed(session="both"), "session"),
        (Cancelled("r", "s", "m", "garbage", WATCH, 1), "url"),
        (Rejected("r", "m", 1, "", "garbage", WATCH, 1), "url"),
        (with_edit("added", None, None), "edits"),
        (with_edit("edited", None, SENTENCE), "edits"),
        (with_edit("removed", SENTENCE, SENTENCE), "edits"),
        (with_edit("added", None, SENTENCE, place=None), "edits"),
        (with_edit("added", None, Sentence(0, 6, ())), "edits"),
        (with_edit("added", None, Sentence(3, 3, ())), "edits"),
        (with_edit("added", None, Sentence(-1, 3, ())), "edits"),
        (with_edit("edited", SENTENCE, Sentence(1, 4, (Span(0, 2),))), "edits"),
        (with_edit("edited", SENTENCE, Sentence(1, 4, (Span(2, 4), Span(1, 3)))), "edits"),
        (with_edit("turned", SENTENCE, SENTENCE), "change"),
        (with_edit("added", None, SENTENCE, place=Place(-1, "giant")), "start"),
        (with_edit("added", None, SENTENCE, place=Place(2**62, "giant")), "start"),
        (replace(CHANGED, title="x" * 301), "title"),
        (subscribed(scope="page"), "scope"),
        (replace(CHANGED, part=-1), "part"),
        (replace(CHANGED, language="x" * 257), "language"),
        (DocumentUnreachable("c", URL, "w", 1, "", "x" * 10_001, 1), "reason"),
        (varied(NOTIFIED, client_url="nowhere"), "client_url"),
        (varied(NOTIFIED, client_url=None), "session"),
        (replace(NOTIFIED, status="perhaps"), "status"),
        (replace(NOTIFIED, id="x" * 257), "id"),
        (replace(NOTIFIED, id="a\r\nb"), "id"),
        (replace(NOTIFIED, manager="x" * 257), "manager"),
        (replace(NOTIFIED, diffs=(replace(DIFF, event="moved"),)), "event"),
        (Delivered("n", "s", "m", CLIENT, -1, 200, 1), "attempts"),
    ],
    ids=lambda value: str(value)[:60],
)
def test_a_fact_that_breaks_the_contract_is_refused_by_the_name_of_its_field(
    fact: Any, name: str
) -> None:
    with pytest.raises(Undecodable, match=rf"may not say this: .*\b{name}\b") as refused:
        decode(encode(fact), type(fact))
    assert len(str(refused.value)) < 300


@pytest.mark.parametrize(
    "fact",
    [
        SUBSCRIBED,
        CHANGED,
        NOTIFIED,
        FetchDue((DUE,)),
        FetchDue((replace(DUE, slot=MAX_TIME),)),
        Forget(URL, "w"),
    ],
    ids=lambda fact: type(fact).__name__,
)
def test_a_fact_that_keeps_to_it_passes(fact: Any) -> None:
    assert decode(encode(fact), type(fact)) == fact


def test_a_request_is_left_to_the_register_and_a_row_to_its_agent() -> None:
    assert (
        fault(Subscribe("garbage", Receiver(), keywords=(), options=Options(interval=-5))) is None
    )
    assert fault(Scheduled("garbage", Watch("w", 0), -5)) is None


def test_a_rejected_request_may_have_named_anything() -> None:
    assert fault(Rejected("r", "m", 1, "", "garbage", None, 1)) is None


@given(st.text(alphabet="ab./:@[]!~%2e?#é ", max_size=30), st.text(max_size=60))
def test_every_canonical_url_passes(host: str, path: str) -> None:
    found = canonical(f"http://h{host}/{path}")
    assert found is None or fault(Forget(found, "w")) is None
