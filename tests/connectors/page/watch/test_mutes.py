"""What a piece of news offers to mute, and what that makes of the subscription."""

import re
from dataclasses import replace
from typing import Any

import pytest
from aiohttp import ClientSession
from playwright.async_api import Page, expect

from connectors.page.watch.mutes import Mute, mute_of, muted, mutes_of, offered_mutes, unmuted
from schemas.records.changes import Diff, Returned
from schemas.records.requests import Pause, Subscribe
from schemas.records.subscription_facts import Subscribed
from schemas.records.subscriptions import EarlierView, Options, Receiver
from schemas.records.views import Quote, Selector, ViewOptions
from schemas.records.waiting import Stood
from tests.connectors.page.session.test_guard import sent, token_of
from tests.connectors.page.watch.test_changes import AT, changed
from tests.fakes.notifications import NOTIFICATION
from tests.fakes.subscriptions import URL, subscribed
from tests.harness.page import ServedPage

HERE = Receiver(session="page")
QUOTE = Selector(quote=Quote("1,024 visitors"))
RICH = Options(
    interval=900,
    tags=("gods",),
    view=ViewOptions(select=(Selector(css="main"),), exclude=(Selector(css="nav"),), render=True),
)
NOISE, RETURNS, PASSAGE = Mute("noise"), Mute("returns"), Mute("passage", "1,024 visitors")
EARLY = Mute("early")


@pytest.mark.parametrize(
    ("mute", "after"),
    [
        (NOISE, replace(RICH, ignore_noise=True)),
        (RETURNS, replace(RICH, ignore_returns=True)),
        (EARLY, replace(RICH, patience=86_400)),
        (PASSAGE, replace(RICH, view=replace(RICH.view, exclude=(Selector(css="nav"), QUOTE)))),
    ],
)
def test_a_mute_adds_its_option_once_and_its_undo_takes_nothing_else(
    mute: Mute, after: Options
) -> None:
    assert muted(RICH, mute) == after
    assert muted(after, mute) == after
    assert mutes_of(after) == [mute]
    assert unmuted(after, mute) == RICH


def test_a_form_is_read_as_browsers_send_it() -> None:
    assert mute_of({"passage": "a\r\nb"}) == Mute("passage", "a\nb")
    assert mute_of({"mute": "noise"}) == NOISE
    assert [mute_of(each) for each in ({}, {"mute": "all"}, {"passage": " "})] == [None] * 3


def test_news_offer_what_is_on_the_page_now() -> None:
    edited = Diff("removed", "fines", "2", "s", "edited", "Fines: 2 %.", "Fines: 4 %.")
    both = replace(edited, event="added", text="4")
    gone = Diff("removed", "argus", "Argus sleeps.", "s", "removed")
    new = Diff("added", "argus", "x" * 2000, "s", "added")
    fact = replace(NOTIFICATION, diffs=(edited, both, gone, new), returned=Returned(1, 2))
    passages = [Mute("passage", "Fines: 4 %."), Mute("passage", "x" * 1000)]
    assert offered_mutes(fact) == [NOISE, RETURNS, EARLY, *passages]
    waited = replace(fact, stood=Stood(since=1, visits=2))
    assert EARLY not in offered_mutes(waited)
    assert offered_mutes(replace(NOTIFICATION, diffs=(), status="failing")) == []
    many = tuple(replace(new, text=f"text {number}") for number in range(100))
    assert len(offered_mutes(replace(NOTIFICATION, diffs=many))) == 10


async def watched(served: ServedPage) -> str:
    """Subscribe with options, pause, and record a piece of news; returns the subscription's id."""
    request = Subscribe(URL, HERE, keywords=("argus",), options=RICH, request_id="1")
    fact = await served.register.ask(request)
    await served.register.ask(Pause(URL, HERE, request_id="2"))
    name: str = fact.subscription.id
    diff = Diff("added", "argus", "1,024 visitors", "1,024 visitors", "added")
    news = replace(NOTIFICATION, subscription=name, receiver=HERE, diffs=(diff,), title="Giants")
    await served.store.read_side.record([news])
    return name


async def test_mutes_change_nothing_but_their_options_though_the_store_lags(
    served: ServedPage, http: ClientSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = await watched(served)
    before = await served.store.subscriptions.get("default", name)
    assert before is not None

    async def late(*_: Any) -> Any:
        return before

    token = await token_of(http, f"{served.base}/news")
    with monkeypatch.context() as lagging:
        lagging.setattr(served.store.subscriptions, "get", late)
        for form in ({"mute": "noise"}, {"mute": "early"}, {"passage": "1,024 visitors"}):
            path = f"/watch/{name}/mute"
            response = await sent(http, served, path, token=token, **form)
            assert response.status == 200
    found = await served.store.subscriptions.get("default", name)
    assert found is not None
    wanted = muted(muted(muted(RICH, NOISE), EARLY), PASSAGE)
    assert found.subscription == replace(before.subscription, options=wanted)
    assert found.subscription.paused
    for form in ({"mute": "noise"}, {"mute": "early"}, {"passage": "1,024 visitors"}):
        assert (
            await sent(http, served, f"/watch/{name}/unmute", token=token, **form)
        ).status == 200
    found = await served.store.subscriptions.get("default", name)
    assert found == before


async def test_what_cannot_be_muted_is_refused_with_its_reason(
    served: ServedPage, http: ClientSession
) -> None:
    name = await watched(served)
    token = await token_of(http, f"{served.base}/news")
    response = await sent(http, served, f"/watch/{name}/mute", token=token)
    assert response.status == 400
    response = await sent(http, served, "/watch/nothing/mute", token=token, mute="noise")
    assert response.status == 404
    long = "x" * 1001
    response = await sent(http, served, f"/watch/{name}/mute", token=token, passage=long)
    assert response.status == 415
    assert "1,000" in re.sub(r"<[^>]*>", "", await response.text())


async def test_a_passage_is_muted_from_its_news_and_that_is_undone(
    served: ServedPage, tab: Page
) -> None:
    await watched(served)
    await tab.goto(f"{served.base}/news")
    await tab.get_by_text("Mute", exact=True).press("Enter")
    await tab.get_by_role("button", name="Not this passage").press("Enter")
    await expect(tab.get_by_role("heading", name="Muted")).to_be_visible()
    await tab.get_by_role("main").get_by_role("link").first.click()
    await expect(tab.locator(".muted")).to_contain_text("1,024 visitors")
    await tab.get_by_role("button", name="Undo").press("Enter")
    await expect(tab.get_by_role("heading", name="Notified again")).to_be_visible()
    await tab.get_by_role("link", name="To the watch").click()
    await expect(tab.get_by_role("heading", name="Changes")).to_be_visible()
    await expect(tab.locator(".muted")).to_have_count(0)


async def test_what_changed_before_a_passage_was_muted_stays_in_the_timeline(
    served: ServedPage, http: ClientSession
) -> None:
    fact = subscribed()
    assert isinstance(fact, Subscribed)
    one = replace(fact.subscription, view_id="muted", earlier_views=(EarlierView("", AT + 500),))
    before, after = changed("c1", "A.", "A.\n\nBefore it."), changed("c2", "A.", "A.\n\nAfter it.")
    after = replace(after, view="muted", at=AT + 1000)
    later = replace(fact, subscription=one, at=fact.at + 1)
    await served.store.read_side.record([fact, before, later, after])
    async with http.get(f"{served.base}/watch/s1") as response:
        text = await response.text()
    assert re.findall(r"<ins>(.*?)</ins>", text) == ["After it.", "Before it."]
    assert "2 changes in" in text
    async with http.get(f"{served.base}/watch/s1/change/c1") as response:
        assert "Before it." in await response.text()
