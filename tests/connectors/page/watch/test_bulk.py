"""Several watches are changed at once: those that are ticked, or all of a list."""

from typing import Any

import pytest
from aiohttp import ClientSession
from playwright.async_api import Page, expect

from connectors.access.roles import Role
from schemas.records.requests import Cancel, Pause, Subscribe
from schemas.records.subscriptions import Options, Receiver
from tests.connectors.page.session.test_guard import signed_in
from tests.fakes.subscriptions import URL
from tests.harness.page import ServedPage

HERE = Receiver(session="page")


async def watched(served: ServedPage, *names: str, **fields: Any) -> None:
    """Watch a page of each name, with the name as its tag; the ids are s0, s1 and so on."""
    given: dict[str, Any] = {"receiver": HERE, "keywords": ("zeus",)} | fields
    who = given["receiver"].name
    for name in names:
        options = Options(tags=(name,), interval=600)
        await served.register.ask(
            Subscribe(URL + name, request_id=f"{name} {who}", options=options, **given)
        )


async def asked(served: ServedPage, http: ClientSession, **form: Any) -> tuple[int, str]:
    """Send the form of the list."""
    await signed_in(http, served, served.add_key("default"))
    async with http.get(served.base) as response:
        token = (await response.text()).partition('name="token" value="')[2].partition('"')[0]
    pairs = [("token", token)]
    for name, value in form.items():
        pairs += [(name, each) for each in ([value] if isinstance(value, str) else value)]
    headers = {"Origin": served.base}
    async with http.post(f"{served.base}/watches", data=pairs, headers=headers) as response:
        return response.status, await response.text()


async def test_watches_that_are_ticked_are_paused_without_scripts(
    served: ServedPage, tab: Page
) -> None:
    await watched(served, "a", "b", "c")
    await tab.goto(served.base)
    await expect(tab.get_by_role("button", name="Pause")).to_be_hidden()
    for name in "ab":
        await tab.get_by_role("checkbox", name=URL + name).check()
    await tab.get_by_role("button", name="Pause").click()
    await expect(tab.get_by_role("heading", name="Paused")).to_be_visible()
    await expect(tab.get_by_role("main")).to_contain_text("2 watches")
    await tab.get_by_role("link", name="To the watches").click()
    states = tab.get_by_role("navigation", name="States").get_by_role("link")
    assert await states.all_text_contents() == ["All 3", "Paused 2"]


async def test_all_of_a_list_are_stopped_and_watched_again_by_undo(
    served: ServedPage, tab: Page
) -> None:
    await watched(served, "a", "b", "c")
    await served.register.ask(Pause(URL + "b", HERE, request_id="p"))
    await tab.goto(f"{served.base}/?q=b&sort=name")
    await tab.get_by_label("Select all 1").check()
    await tab.get_by_text("Stop", exact=True).click()
    await tab.get_by_role("button", name="Stop watching").click()
    await expect(tab.get_by_role("heading", name="Stopped")).to_be_visible()
    stopped = served.register.asked[-1]
    assert isinstance(stopped, Cancel)
    assert (stopped.document_url, stopped.undo) == (URL + "b", True)
    await expect(tab.get_by_role("link", name="To the watches")).to_have_attribute(
        "href", "/?q=b&sort=name"
    )
    await tab.get_by_role("button", name="Undo").click()
    await expect(tab.get_by_role("heading", name="Watched again")).to_be_visible()
    again, paused = served.register.asked[-2:]
    assert isinstance(again, Subscribe)
    assert (again.document_url, again.keywords, again.options) == (
        URL + "b",
        ("zeus",),
        Options(tags=("b",), interval=600),
    )
    assert not again.replace
    assert isinstance(paused, Pause)  # it was paused when it was stopped
    await tab.goto(f"{served.base}/?state=paused")
    await expect(tab.locator("tbody tr")).to_have_count(1)
    await expect(tab.locator("tbody a[href='/watch/s1']")).to_be_visible()  # the same one


async def test_a_stopped_watch_has_ended_and_a_second_click_on_undo_changes_nothing(
    served: ServedPage, http: ClientSession
) -> None:
    await watched(served, "a")
    await asked(served, http, action="stop", id="s0")
    async with http.get(f"{served.base}/watch/s0") as response:
        shown = await response.text()
    assert "Undo" in shown
    assert "Stop watching" not in shown
    async with http.get(f"{served.base}/?state=ended") as response:
        assert "/watch/s0" in await response.text()
    for _ in range(2):
        status, text = await asked(served, http, action="again", undo="1", id="s0")
        assert (status, "Not changed" in text) == (200, False)
    one = await served.store.subscriptions.get("default", "s0")
    assert one is not None
    assert (one.state, one.subscription.stopped) == ("active", 0)


async def test_pages_are_checked_at_once_and_a_paused_one_says_why_not(
    served: ServedPage, tab: Page
) -> None:
    await watched(served, "a", "b")
    await served.register.ask(Pause(URL + "b", HERE, request_id="p"))
    await tab.goto(served.base)
    await tab.get_by_label("Select all 2").check()
    await tab.get_by_role("button", name="Check now").click()
    await expect(tab.get_by_role("heading", name="Checked soon")).to_be_visible()
    await expect(tab.get_by_role("main")).to_contain_text("The watch is paused. Resume it first.")
    await expect(tab.locator("main p time")).to_have_count(1)


async def test_a_watch_that_ended_is_watched_again(served: ServedPage, tab: Page) -> None:
    await watched(served, "a", receiver=Receiver("http://client.test/hook"))
    await served.register.ask(Cancel(URL + "a", Receiver("http://client.test/hook"), "c"))
    await tab.goto(f"{served.base}/watch/s0")
    await tab.get_by_role("button", name="Watch again").click()
    await expect(tab.get_by_role("heading", name="Watched again")).to_be_visible()
    await expect(tab.get_by_role("main")).to_contain_text("whsec_")
    await tab.get_by_role("link", name=URL + "a").click()
    await expect(tab.locator("#facts")).to_contain_text("zeus")
    await expect(tab.get_by_role("button", name="Pause")).to_be_visible()


@pytest.mark.parametrize(
    ("form", "options"),
    [
        ({"action": "tag", "tags": "Prices, urgent"}, Options(tags=("a", "prices", "urgent"))),
        ({"action": "untag", "tags": "a"}, Options()),
        ({"action": "interval", "every": "2", "unit": "3600"}, Options(tags=("a",), interval=7200)),
    ],
)
async def test_a_change_of_options_leaves_the_others(
    served: ServedPage, http: ClientSession, form: dict[str, str], options: Options
) -> None:
    await watched(served, "a")
    assert (await asked(served, http, id="s0", **form))[0] == 200
    one = await served.store.subscriptions.get("default", "s0")
    assert one is not None
    changed = one.subscription.options
    assert (set(changed.tags), changed.interval) == (set(options.tags), options.interval)
    assert one.subscription.keywords == ("zeus",)


async def test_watches_are_moved_to_a_receiver_that_does_not_have_them_yet(
    served: ServedPage, http: ClientSession
) -> None:
    await watched(served, "a", "b")
    await watched(served, "b", receiver=Receiver(session="other"))
    form = {"action": "move", "receiver": "session other", "id": ["s0", "s1"]}
    status, text = await asked(served, http, **form)
    assert status == 200
    assert "Not changed" in text
    assert text.count("This page is already watched for this receiver.") == 1
    page = await served.store.subscriptions.page("default", None, 9)
    active = {
        (each.subscription.receiver.name, each.subscription.document_url.removeprefix(URL))
        for each in page.items
        if each.ended is None
    }
    assert active == {("other", "a"), ("page", "b"), ("other", "b")}


@pytest.mark.parametrize(
    ("form", "reason"),
    [
        ({"id": "s0", "action": ""}, "does not say what to do"),
        ({"id": "s0", "action": "rotate"}, "does not say what to do"),
        ({"action": "pause"}, "No watch was chosen"),
        ({"id": "of somebody else", "action": "pause"}, "No watch was chosen"),
        ({"id": "s0", "action": "tag", "tags": " , "}, "Enter a tag"),
        ({"id": "s0", "action": "move", "receiver": "x"}, "Choose the receiver"),
        ({"id": "s0", "action": "interval", "every": "²", "unit": "60"}, "whole number"),
        ({"id": "s0", "action": "interval", "every": "1", "unit": "7"}, "whole number"),
        ({"id": [f"x{at}" for at in range(501)], "action": "pause"}, "No more than 500"),
    ],
)
async def test_a_form_that_says_too_little_changes_nothing(
    served: ServedPage, http: ClientSession, form: dict[str, Any], reason: str
) -> None:
    await watched(served, "a")
    status, text = await asked(served, http, **form)
    assert status == 400
    assert reason in text
    assert len(served.register.asked) == 1


async def test_a_list_that_is_not_read_by_a_writer_has_nothing_to_tick(
    served: ServedPage, http: ClientSession
) -> None:

    await watched(served, "a")
    await signed_in(http, served, served.add_key("default", role=Role.READ))
    async with http.get(served.base) as response:
        text = await response.text()
    assert 'name="id"' not in text
    assert 'name="all"' not in text


async def test_a_tag_leaves_the_secrets_of_webhooks_as_they_are(
    served: ServedPage, http: ClientSession
) -> None:
    await watched(served, "a", receiver=Receiver("http://client.test/hook"))
    status, text = await asked(served, http, action="tag", tags="gods", id="s0")
    assert (status, "Tagged" in text, "secrets" in text) == (200, True, False)
