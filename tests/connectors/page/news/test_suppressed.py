"""Suppressed notifications are listed on the page and by REST, and can be sent after all."""

import re
from dataclasses import replace

import pytest
from aiohttp import ClientSession, web
from aiohttp.test_utils import TestClient, TestServer

from connectors.access.keys import ApiKeys
from connectors.access.rates import CallRates
from connectors.access.roles import Role
from connectors.access.routes import GuardedRoute, add_guarded_routes
from connectors.api.admission import access_middleware
from connectors.api.history.suppressed import SuppressedHandlers
from connectors.requests.suppressed import SuppressedNews
from connectors.serving.sending import SENDER, Sender
from schemas.records.judgements import SendSuppressed, Suppressed
from schemas.records.subscriptions import Receiver
from tests.connectors.page.news.test_deliveries import HOOK, shown
from tests.connectors.page.session.test_guard import sent, token_of
from tests.fakes.hostile_texts import HOSTILE_TEXTS
from tests.fakes.notifications import NOTIFICATION
from tests.harness.page import ServedPage

AT = 1_700_000_000_000
FOUND = replace(
    NOTIFICATION,
    id="n2",
    subscription="s1",
    manager="default",
    receiver=Receiver(HOOK),
    title="Gods",
    verdict="suppress",
    because="It is about cookies.",
)


async def test_it_is_listed_with_the_reason_and_in_no_news(
    served: ServedPage, http: ClientSession
) -> None:
    await served.store.read_side.record([Suppressed(FOUND, AT)])
    text = await shown(http, served, "/suppressed")

    assert "Gods" in text
    assert "Suppressed: It is about cookies." in text
    assert "questions 12 of 1,000, tokens 3,400 of 1,000,000" in text
    assert "Gods" not in await shown(http, served, "/news")


async def test_it_is_sent_after_all_once_by_who_may(
    served: ServedPage, http: ClientSession
) -> None:
    await served.store.read_side.record([Suppressed(FOUND, AT)])
    token = await token_of(http, f"{served.base}/suppressed")
    answer = await sent(http, served, "/suppressed", token=token, notification="n2")

    assert (answer.status, answer.headers["Location"]) == (303, "/suppressed?sent=1")
    served.send_suppressed.assert_called_once_with(SendSuppressed(FOUND))
    await served.store.read_side.record([Suppressed(FOUND, AT + 1, sent=AT + 1)])
    text = await shown(http, served, "/suppressed?sent=1")
    assert "Sent after all" in text
    assert "Send it after all" not in text
    await sent(http, served, "/suppressed", token=token, notification="n2")
    assert served.send_suppressed.call_count == 1


@pytest.mark.parametrize("manager", ["default", "other"])
async def test_what_is_not_kept_or_anothers_cannot_be_sent(
    served: ServedPage, http: ClientSession, manager: str
) -> None:
    theirs = replace(FOUND, manager="other")
    if manager == "other":
        await served.store.read_side.record([Suppressed(theirs, AT)])
    token = await token_of(http, f"{served.base}/add")
    answer = await sent(http, served, "/suppressed", token=token, notification="n2")

    assert answer.status == 404
    served.send_suppressed.assert_not_called()


async def test_what_the_model_says_is_text(served: ServedPage, http: ClientSession) -> None:
    facts = [
        Suppressed(replace(FOUND, id=f"n{n}", because=text[:200]), AT)
        for n, text in enumerate(HOSTILE_TEXTS)
    ]
    await served.store.read_side.record(facts[:30])
    async with http.get(f"{served.base}/suppressed") as response:
        found = re.findall("Suppressed: <bdi[^>]*>(.*?)</bdi>", await response.text(), re.DOTALL)

    assert len(found) == len(facts[:30])
    assert not any("<" in each for each in found)


async def test_rest_lists_and_sends_the_same(served: ServedPage) -> None:
    await served.store.read_side.record([Suppressed(FOUND, AT, sent=AT + 5)])
    handlers = SuppressedHandlers(SuppressedNews(served.store.facts, served.send_suppressed))
    app = web.Application()
    add_guarded_routes(
        app,
        [
            GuardedRoute(Role.READ, web.get("/suppressed", handlers.listed)),
            GuardedRoute(Role.WRITE, web.post("/suppressed/{id}/send", handlers.send)),
        ],
    )
    app.middlewares.append(
        access_middleware(ApiKeys(served.keys, is_required=False), CallRates(float))
    )
    app[SENDER] = sender = Sender()
    async with TestClient(TestServer(app)) as client:
        body = await (await client.get("/suppressed")).json()
        statuses = [(await client.post(f"/suppressed/{name}/send")).status for name in ("n2", "n3")]
    sender.close()

    [item] = body["suppressed"]
    assert (item["id"], item["verdict"], item["because"]) == (
        "n2",
        "suppress",
        "It is about cookies.",
    )
    assert item["suppressedAt"] < item["sentAt"]
    assert statuses == [200, 404]
    served.send_suppressed.assert_not_called()  # it was sent before
