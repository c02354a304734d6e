"""When a watch notifies: the field of the form, and what its page says of what waits."""

import pytest
from aiohttp import ClientSession

from connectors.page.add.add_form import AddForm, read_form, request_body
from connectors.page.watch.states import patience_text
from schemas.records.requests import Subscribe
from schemas.records.subscriptions import Options, Receiver
from schemas.records.waiting import ChangesWaiting
from tests.fakes.subscriptions import URL
from tests.harness.page import ServedPage


@pytest.mark.parametrize(
    ("chosen", "options"),
    [
        ("", {}),
        ("3 visits", {"patienceVisits": 3}),
        ("86400", {"patience": 86_400}),
        ("forever", {}),
    ],
)
def test_the_form_asks_for_the_patience_that_was_chosen(
    chosen: str, options: dict[str, int]
) -> None:
    body = request_body(read_form({"url": URL, "patience": chosen}))
    assert {name: body[name] for name in body if name.startswith("patience")} == options
    assert AddForm().patience == ""


@pytest.mark.parametrize(
    ("send", "hours", "zone", "per_day", "options"),
    [
        ("webhook", "Mon-Fri 8-18", "", "", {"hours": "Mon-Fri 8-18"}),
        ("channel", "8-18", "Asia/Tokyo", "", {"hours": "8-18", "timezone": "Asia/Tokyo"}),
        ("webhook", "", "Asia/Tokyo", "5", {"maxPerDay": 5, "timezone": "Asia/Tokyo"}),
        ("webhook", "", "", "few", {"maxPerDay": "few"}),
        ("webhook", "", "Asia/Tokyo", "", {}),
        ("here", "8-18", "Asia/Tokyo", "5", {}),
    ],
)
def test_the_form_asks_for_times_where_somebody_is_notified(
    send: str, hours: str, zone: str, per_day: str, options: dict[str, int | str]
) -> None:
    form = {"url": URL, "send": send, "channel": "team", "hours": hours, "timezone": zone}
    body = request_body(read_form({**form, "per_day": per_day}))
    names = "hours", "maxPerDay", "timezone"
    assert {name: body[name] for name in names if name in body} == options


@pytest.mark.parametrize(
    ("seconds", "visits", "text"),
    [
        (None, None, ""),
        (5_400, None, "once a change has stood for 90 minutes"),
        (None, 3, "once a change has stood for 3 visits"),
    ],
)
def test_patience_is_shown_in_words(seconds: int | None, visits: int | None, text: str) -> None:
    assert patience_text(Options(patience=seconds, patience_visits=visits)) == text


async def test_the_page_of_a_watch_says_what_waits_and_what_did_not_stand(
    served: ServedPage, http: ClientSession
) -> None:
    options = Options(interval=60, patience_visits=3, hours="Mon 8-9", timezone="Asia/Tokyo")
    request = Subscribe(URL, Receiver("channel:team"), "1", keywords=("argus",), options=options)
    fact = await served.register.ask(request)
    reason = "it went back after 2 visits: <b>Argus sleeps.</b>"
    waits = ChangesWaiting(
        "w", URL, fact.subscription.watch, 0, 3, 1, fact.at, 2, reason, fact.at, fact.at
    )
    await served.store.read_side.record([waits])
    async with http.get(f"{served.base}/watch/{fact.subscription.id}") as answer:
        text = await answer.text()
    assert "once a change has stood for 3 visits" in text
    assert "Notifies at Mon 8-9 (Asia/Tokyo); the rest waits, and is sent together" in text
    assert "1 change waits, since" in text
    assert "2 did not stand" in text
    assert "it went back after 2 visits: &lt;b&gt;Argus sleeps.&lt;/b&gt;" in text
