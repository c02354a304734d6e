"""Channels: set, tested, chosen for a watch and removed, and their addresses shown nowhere."""

import asyncio
from typing import Any
from unittest.mock import AsyncMock

import pytest
from aiohttp import ClientSession, web
from aiosmtpd.smtp import SMTP
from playwright.async_api import Page, expect

from connectors.channels.processes import SendingProcesses
from connectors.channels.work import Answer
from connectors.page.news.channel_forms import TESTS_PER_MINUTE
from schemas.records.requests import Subscribe
from tests.connectors.page.session.test_guard import token_of
from tests.harness.page import ServedPage
from tests.harness.pages import Pages
from tests.harness.web import served as serving


async def post(
    http: ClientSession, served: ServedPage, path: str, **fields: str
) -> tuple[int, str, str]:
    """Send a form as a browser does; returns the status, the text, and where it led."""
    token = await token_of(http, f"{served.base}/channels")
    sent = {"Origin": served.base}
    async with http.post(served.base + path, data={"token": token, **fields}, headers=sent) as done:
        return done.status, await done.text(), done.url.path_qs


async def test_a_channel_is_set_tested_chosen_and_removed(
    served: ServedPage, http: ClientSession, pages: Pages
) -> None:
    got = list[Any]()

    async def take(request: web.Request) -> web.Response:
        got.append(await request.json())
        return web.Response(status=500 if len(got) > 1 else 200)

    async with serving(take) as (url,):
        address = f"{url.replace('http://', 'json://')}/hush"
        _, text, path = await post(http, served, "/channels", name="team", address=address)
        assert path == "/channels?set=team"
        assert "team is stored" in text
        assert "hush" not in text
        _, text, _ = await post(http, served, "/channels/test", name="team")
        assert "team has accepted a test message" in text
        assert got[0]["title"].startswith("Test notification: ")
        _, text, _ = await post(http, served, "/channels/test", name="team")
        assert "was not accepted: answered 500." in text
    async with http.get(f"{served.base}/add?channel=team") as found:
        text = await found.text()
    assert '<option value="team" selected>team (json)</option>' in text
    page = pages.add("<p>Io")
    fields = {"url": page.url, "send": "channel", "channel": "team", "interval": "600"}
    _, text, _ = await post(http, served, "/add", **fields, do="subscribe")
    (asked,) = [each for each in served.register.asked if isinstance(each, Subscribe)]
    assert asked.receiver.client_url == "channel:team"
    assert "whsec_" not in text
    _, text, _ = await post(http, served, "/channels/remove", name="team")
    assert "json" not in text.partition("<h2>")[0]
    status, text, _ = await post(http, served, "/channels/test", name="team")
    assert status == 404
    status, text, _ = await post(http, served, "/add", **fields, do="subscribe")
    assert "There is no channel" in text


async def test_what_is_wrong_is_said_at_its_field_and_the_address_is_not_sent_back(
    served: ServedPage, http: ClientSession
) -> None:
    wrong = [
        ({"name": "a b", "address": "json://hush"}, "name-error", "1 to 64 letters"),
        ({"name": "a", "address": "hush"}, "address-error", "An address of Apprise is expected"),
        ({"name": "a", "address": "json://hush", "body": "{{"}, "body-error", "Line 1: "),
        (
            {"name": "a", "address": "json://hush", "digest": "daily", "timezone": "Berlin"},
            *("timezone-error", "The IANA name of a time zone is expected (perhaps Europe/Berlin)"),
        ),
        (
            {"name": "a", "address": "json://hush", "language": "xx"},
            *("language-error", "En, de, es, fr, ja, zh-Hans are known"),
        ),
    ]
    for fields, where, what in wrong:
        status, text, _ = await post(http, served, "/channels", **fields)
        assert status == 400
        assert what in text.partition(f'id="{where}"')[2].partition("</p>")[0]
        assert "hush" not in text


async def test_the_digest_of_a_channel_is_chosen_and_changed_without_its_address(
    served: ServedPage, http: ClientSession
) -> None:
    got = list[Any]()

    async def take(request: web.Request) -> web.Response:
        got.append(await request.json())
        return web.Response()

    async with serving(take) as (url,):
        address = f"{url.replace('http://', 'json://')}/hush"
        weekly = {"digest": "weekly", "weekday": "friday", "hour": "17", "timezone": "Asia/Tokyo"}
        await post(http, served, "/channels", name="team", address=address, body="* {{ url }}")
        _, text, _ = await post(
            http, served, "/channels", name="team", body="* {{ url }}", address="", **weekly
        )
        assert "json, weekly digest, Fridays at 17:00 (Asia/Tokyo)" in text
        async with http.get(f"{served.base}/channels?change=team") as found:
            form = (await found.text()).partition('id="set"')[2]
        for shown in ('"friday" selected', '"17" selected', 'value="Asia/Tokyo"', "* {{ url }}"):
            assert shown in form
        assert "hush" not in form
        await post(http, served, "/channels/test", name="team")
        assert got[-1]["message"].startswith(f"{served.base}\n{served.base}\n* http")
        _, text, _ = await post(http, served, "/channels", name="team", address="", digest="off")
        assert "weekly digest, " not in text
        await post(http, served, "/channels/test", name="team")
        assert "This is a test notification" in got[-1]["message"]
    status, text, _ = await post(http, served, "/channels", name="other", address="", digest="off")
    assert (status, "An address of Apprise is expected" in text) == (400, True)


async def test_a_channel_has_the_language_of_the_page_on_which_it_is_set(
    served: ServedPage, http: ClientSession
) -> None:
    got = list[Any]()

    async def take(request: web.Request) -> web.Response:
        got.append(await request.json())
        return web.Response()

    async with serving(take) as (url,):
        address = url.replace("http://", "json://")
        http.headers["Accept-Language"] = "fr"
        daily = {"digest": "daily", "timezone": "UTC"}
        await post(http, served, "/channels", name="team", address=address, **daily)
        await post(http, served, "/channels/test", name="team")
        del http.headers["Accept-Language"]
        async with http.get(f"{served.base}/channels?change=team") as found:
            assert '<option value="fr" lang="fr" selected>' in await found.text()
        await post(http, served, "/channels", name="team", address="", language="de")
        await post(http, served, "/channels/test", name="team")
    assert [each["title"].partition(":")[0] for each in got] == [
        "Notification de test ",
        "Testbenachrichtigung",
    ]


async def test_who_sends_too_much_is_asked_to_wait(
    served: ServedPage, http: ClientSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    await post(http, served, "/channels", name="team", address="json://hush")
    full = AsyncMock(side_effect=BlockingIOError("100 messages of this manager wait already"))
    monkeypatch.setattr(SendingProcesses, "send", full)
    for path in ("/channels", "/channels/test"):
        status, text, _ = await post(http, served, path, name="team", address="json://hush")
        assert status == 503
        assert "other messages of yours wait" in text


async def test_no_more_test_messages_are_sent_than_a_person_sends(
    served: ServedPage, http: ClientSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    sent = AsyncMock(return_value=Answer(status=200))
    monkeypatch.setattr(SendingProcesses, "send", sent)
    await post(http, served, "/channels", name="team", address="json://hush")
    sent.reset_mock()
    for _ in range(TESTS_PER_MINUTE):
        assert (await post(http, served, "/channels/test", name="team"))[0] == 200
    status, text, _ = await post(http, served, "/channels/test", name="team")
    assert status == 429
    assert f"No more than {TESTS_PER_MINUTE} test messages" in text
    assert sent.await_count == TESTS_PER_MINUTE


async def test_an_e_mail_is_set_with_a_form_after_a_test_was_accepted(
    served: ServedPage, http: ClientSession
) -> None:
    mails = list[Any]()

    class Mailbox:
        async def handle_DATA(self, _: Any, __: Any, envelope: Any) -> str:  # noqa: N802 - its name
            mails.append(envelope)
            return "250 OK" if len(mails) > 1 else "550 no"

    server = await asyncio.get_running_loop().create_server(lambda: SMTP(Mailbox()), "127.0.0.1", 0)
    form = {
        "name": "mail",
        "kind": "mail",
        "mail_to": "io@olympus.test",
        "mail_from": "vokter@olympus.test",
        "mail_security": "none",
        "do": "test",
    }
    async with server:
        port = server.sockets[0].getsockname()[1]
        form["mail_server"] = f"127.0.0.1:{port}"
        status, text, _ = await post(http, served, "/channels", **form)
        assert status == 400
        assert "The test message was not accepted: the mail server answered 550" in text
        assert 'value="io@olympus.test"' in text
        assert await served.store.credentials.all_of("default") == []
        _, text, path = await post(http, served, "/channels", **form)
    assert path == "/channels?tested=mail"
    assert "mail has accepted a test message, and is stored" in text
    assert "e-mail to i…@olympus.test" in text
    assert len(mails) == 2
    status, text, _ = await post(
        http, served, "/channels", **{**form, "mail_to": "io", "mail_password": "hush", "do": ""}
    )
    assert "One address such as" in text.partition('id="mail_to-error"')[2].partition("</p>")[0]
    assert "hush" not in text


async def test_the_fields_of_the_chosen_service_are_shown_and_what_is_typed_unseen_at_wish(
    served: ServedPage, tab: Page
) -> None:
    await tab.goto(f"{served.base}/channels")
    server = tab.get_by_role("textbox", name="Server")
    await expect(server).to_be_visible()
    await tab.get_by_label("Service").select_option("Telegram")
    await expect(tab.get_by_label("Token of the bot")).to_be_visible()
    await expect(server).to_be_hidden()
    await tab.get_by_label("Service").select_option("address")
    address = tab.get_by_label("Address", exact=True)
    await expect(address).to_have_attribute("type", "password")
    await tab.get_by_role("button", name="Show").click()
    await expect(address).to_have_attribute("type", "text")
