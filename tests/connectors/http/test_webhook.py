"""The webhook sender against real receivers on loopback."""

import asyncio
import json
import re
import socket
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from itertools import repeat
from typing import Any, NoReturn

import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer

from connectors.http.egress import EgressGuard
from connectors.webhook import MAX_ANSWER, TOTAL_TIMEOUT_S, WebhookSender
from schemas.codec.body import body
from schemas.codec.signing import signatures
from schemas.records.answers import WebhookResponse
from schemas.records.delivery_times import Held
from schemas.records.egress_policy import EgressPolicy
from schemas.records.field_types import MAX_ANSWER_START
from schemas.records.notifications import Notification
from tests.fakes.notifications import NOTIFICATION
from tests.harness.hostile import QUICK, Hostile

pytestmark = pytest.mark.usefixtures("each_client")

LOOPBACK = EgressGuard(EgressPolicy(["127.0.0.0/8"]))
KEY = b"k" * 32


@asynccontextmanager
async def receiving(
    handler: Callable[[web.Request], Awaitable[web.StreamResponse]],
) -> AsyncIterator[str]:
    """Receive requests on every path; the receiver's URL."""
    application = web.Application()
    application.router.add_route("*", "/{path:.*}", handler)
    async with TestServer(application) as server:
        yield str(server.make_url("/"))


async def posted(url: str, notification: Notification = NOTIFICATION) -> WebhookResponse:
    async with WebhookSender(LOOPBACK, KEY, clock=lambda: 1_700_000_000.9) as webhook:
        return await webhook.post(url, notification)


async def test_a_notification_is_one_post_of_its_body_with_its_id_and_time() -> None:
    seen: list[tuple[web.Request, bytes]] = []

    async def take(request: web.Request) -> web.Response:
        seen.append((request, await request.read()))
        return web.Response(status=204)

    async with receiving(take) as url:
        answer = await posted(f"{url}hook?a=b%20c")
    [(request, content)] = seen
    assert answer == WebhookResponse(204)
    assert answer.delivered
    assert request.raw_path == "/hook?a=b%20c"
    assert content == body(NOTIFICATION)
    assert request.headers["Content-Type"] == "application/json"
    assert request.headers["webhook-id"] == "5eed"
    assert request.headers["webhook-timestamp"] == "1700000000"
    assert request.headers["webhook-signature"] == signatures(
        KEY, NOTIFICATION, 1_700_000_000, content
    )
    assert "vokter-truncated" not in request.headers
    assert "vokter-test" not in request.headers


@pytest.mark.parametrize("mark", ["truncated", "test"])
async def test_a_truncated_notification_and_a_test_say_so(mark: str) -> None:
    async def take(request: web.Request) -> web.Response:
        return web.Response(status=200 if request.headers[f"vokter-{mark}"] == "true" else 400)

    async with receiving(take) as url:
        marked: Any = {mark: True}
        assert (await posted(url, replace(NOTIFICATION, **marked))).delivered


@pytest.mark.parametrize("status", [300, 304, 400, 410, 500])
async def test_a_response_that_is_not_2xx_is_not_a_delivery(status: int) -> None:
    async def refuse(_: web.Request) -> web.Response:
        return web.Response(status=status, headers={"Retry-After": "30"})

    async with receiving(refuse) as url:
        answer = await posted(url)
    assert answer == WebhookResponse(status, f"answered {status}", 30)
    assert not answer.delivered


@pytest.mark.parametrize(
    ("body", "start"),
    [
        (b"no such hook", "no such hook"),
        ("ä".encode() * 200, "ä" * (MAX_ANSWER_START // 2)),
        (b"x" + "ä".encode() * 200, "x" + "ä" * (MAX_ANSWER_START // 2 - 1)),
        (b"\xff\x00<script>", "\ufffd\x00<script>"),
        (b"x" * 10_000_000, "x" * MAX_ANSWER_START),
        (b"", ""),
    ],
)
async def test_the_start_of_a_refusal_is_kept(body: bytes, start: str) -> None:
    async def refuse(_: web.Request) -> web.Response:
        return web.Response(status=500, body=body)

    async with receiving(refuse) as url:
        assert await posted(url) == WebhookResponse(500, "answered 500", None, start)


async def test_a_refusal_whose_body_never_ends_is_not_waited_for_long() -> None:
    ended = asyncio.Event()

    async def drip(request: web.Request) -> web.StreamResponse:
        response = web.StreamResponse(status=500)
        await response.prepare(request)
        await response.write(b"wait")
        await ended.wait()
        return response

    async with (
        receiving(drip) as url,
        WebhookSender(LOOPBACK, KEY, answer_timeout=0.1) as webhook,
    ):
        assert await webhook.post(url, NOTIFICATION) == WebhookResponse(
            500, "answered 500", None, "wait"
        )
        ended.set()


async def test_an_acceptance_is_not_held_up_by_its_body() -> None:
    ended = asyncio.Event()

    async def hang(request: web.Request) -> web.StreamResponse:
        response = web.StreamResponse(headers={"Content-Length": "9"})
        await response.prepare(request)
        await ended.wait()
        return response

    # With these timeouts, anything that waited for the body would fail the test.
    async with (
        receiving(hang) as url,
        WebhookSender(LOOPBACK, KEY, timeout=60, answer_timeout=60) as webhook,
    ):
        assert await webhook.post(url, NOTIFICATION) == WebhookResponse(200)
        ended.set()


async def test_notifications_share_a_connection_and_none_is_sent_twice() -> None:
    connections, ended = 0, 0

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal connections, ended
        connections += 1
        for number in range(3):
            head = await reader.readuntil(b"\r\n\r\n")
            await reader.readexactly(int(head.lower().split(b"content-length: ")[1].split()[0]))
            if number < 2:
                writer.write(b"HTTP/1.1 204 No Content\r\n\r\n")
        ended += 1  # without a response
        writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/"
    async with server, WebhookSender(LOOPBACK, KEY) as webhook:
        assert [(await webhook.post(url, NOTIFICATION)).status for _ in range(3)] == [
            204,
            204,
            None,
        ]
    assert (connections, ended) == (1, 1)


@pytest.mark.parametrize("name", ["an endless header", "an endless status line", "two lengths"])
async def test_a_head_that_exceeds_a_limit_is_a_failure_with_its_reason(name: str) -> None:
    answer, why = QUICK[name]
    async with Hostile(answer).serving() as url:
        failed = await posted(url)
    assert failed.status is None
    assert re.search(why, failed.reason)


async def test_a_redirect_is_not_followed() -> None:
    paths: list[str] = []

    async def redirect(request: web.Request) -> web.Response:
        paths.append(request.path)
        raise web.HTTPTemporaryRedirect("/elsewhere")

    async with receiving(redirect) as url:
        assert await posted(url) == WebhookResponse(
            307, "answered 307", None, "307: Temporary Redirect"
        )
    assert paths == ["/"]


async def test_a_timeout_is_returned_with_a_reason() -> None:
    done = asyncio.Event()

    async def wait(_: web.Request) -> web.Response:
        await done.wait()
        return web.Response()

    async with receiving(wait) as url, WebhookSender(LOOPBACK, KEY, timeout=0.2) as webhook:
        assert await webhook.post(url, NOTIFICATION) == WebhookResponse(None, "timed out")
        done.set()


async def test_an_endless_response_counts_as_delivered_and_is_not_read() -> None:
    sent = 0
    ended = asyncio.Event()

    async def pour(request: web.Request) -> NoReturn:
        nonlocal sent
        response = web.StreamResponse()
        await response.prepare(request)
        try:
            while True:
                await response.write(bytes(MAX_ANSWER))
                sent += MAX_ANSWER
        finally:
            ended.set()

    async with receiving(pour) as url:
        assert (await posted(url)).delivered
        await ended.wait()
    assert sent < 1000 * MAX_ANSWER


async def test_a_private_receiver_is_refused_and_sees_nothing() -> None:
    seen: list[object] = []

    async def take(request: web.Request) -> web.Response:
        seen.append(request)
        return web.Response()

    async with receiving(take) as url, WebhookSender(EgressGuard(EgressPolicy()), KEY) as webhook:
        answer = await webhook.post(url, NOTIFICATION)
    assert answer.status is None
    assert "127.0.0.1 is private or reserved" in answer.reason
    assert seen == []


async def ask(webhook: WebhookSender, url: str) -> str:
    return await webhook.challenge(url, (await webhook.look_up(url, 0)).address)


async def test_a_challenge_goes_to_the_address_that_was_looked_up_with_the_name_of_its_host() -> (
    None
):
    seen: list[str] = []

    async def echo(request: web.Request) -> web.Response:
        seen.append(request.headers["Host"])
        return web.Response(text=request.query["challenge"])

    async with receiving(echo) as url, WebhookSender(LOOPBACK, KEY) as webhook:
        port = url.rsplit(":", 1)[1]
        assert await webhook.challenge(f"http://elsewhere.test:{port}", "127.0.0.1") == ""
        assert (await webhook.look_up(url, 5)).address == "127.0.0.1"
        assert (await webhook.look_up("http://nothing.invalid/", 0)).reason
    assert seen == [f"elsewhere.test:{port.strip('/')}"]


@pytest.mark.parametrize(
    ("error", "is_unanswered"),
    [
        (socket.gaierror(socket.EAI_AGAIN, "no answer"), True),
        (TimeoutError(), True),
        (socket.gaierror(socket.EAI_NONAME, "no name"), False),
    ],
)
async def test_a_look_up_without_an_answer_is_told_from_a_name_that_there_is_not(
    monkeypatch: pytest.MonkeyPatch, error: OSError, is_unanswered: bool
) -> None:
    def fail(*_: Any, **__: Any) -> NoReturn:
        raise error

    monkeypatch.setattr(socket, "getaddrinfo", fail)
    async with WebhookSender(LOOPBACK, KEY) as webhook:
        found = await webhook.look_up("http://name.test/", 0)
    assert found.reason
    assert found.is_unanswered is is_unanswered


async def challenged(url: str, seconds: float = TOTAL_TIMEOUT_S) -> str:
    async with WebhookSender(LOOPBACK, KEY, word=lambda: "w-1", timeout=seconds) as webhook:
        return await ask(webhook, url)


@pytest.mark.parametrize("query", ["", "?a=b%20c"])
async def test_a_challenge_is_a_get_with_a_word_to_echo(query: str) -> None:
    seen: list[str] = []

    async def echo(request: web.Request) -> web.Response:
        seen.append(f"{request.method} {request.raw_path}")
        return web.Response(text=f"\n {request.query['challenge']}\r\n")

    async with receiving(echo) as url:
        assert await challenged(f"{url}hook{query}") == ""
    assert seen == [f"GET /hook{query or '?'}{'&' if query else ''}challenge=w-1"]


async def test_every_challenge_has_a_new_word() -> None:
    seen: list[str] = []

    async def echo(request: web.Request) -> web.Response:
        seen.append(request.query["challenge"])
        return web.Response(text=seen[-1])

    async with receiving(echo) as url, WebhookSender(LOOPBACK, KEY) as webhook:
        assert [await ask(webhook, url) for _ in range(2)] == ["", ""]
    assert len(set(seen)) == 2
    assert all(len(word) >= 32 for word in seen)


@pytest.mark.parametrize(
    ("status", "text", "reason"),
    [
        (200, "", "did not answer with the challenge"),
        (200, "w-1 w-1", "did not answer with the challenge"),
        (200, "W-1", "did not answer with the challenge"),
        (200, "w-1" + " " * MAX_ANSWER, "answered more than 65536 bytes to the challenge"),
        (404, "w-1", "answered 404 to the challenge"),
        (302, "w-1", "answered 302 to the challenge"),
    ],
)
async def test_a_response_that_does_not_echo_the_word_is_a_refusal(
    status: int, text: str, reason: str
) -> None:
    async def answer(_: web.Request) -> web.Response:
        return web.Response(status=status, text=text, headers={"Location": "/?challenge=w-1"})

    async with receiving(answer) as url:
        assert await challenged(url) == reason


async def test_a_challenge_ends_in_time_however_slowly_the_response_arrives() -> None:
    async def drip(request: web.Request) -> NoReturn:
        response = web.StreamResponse()
        await response.prepare(request)
        while True:
            await response.write(b" ")
            await asyncio.sleep(0.05)

    async with receiving(drip) as url:
        assert await challenged(url, seconds=0.2) == "timed out"


async def test_a_reason_does_not_reveal_the_challenge_word() -> None:
    server = Hostile(lambda: iter([b"HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n"]))
    async with server.serving() as url:
        reason = await challenged(url)
    assert "Invalid" in reason
    assert "w-1" not in reason


async def test_a_private_receiver_is_not_challenged() -> None:
    async with WebhookSender(EgressGuard(EgressPolicy()), KEY) as webhook:
        found = await webhook.look_up("http://127.0.0.1:8080/", 0)
        assert "127.0.0.1 is private" in found.reason
        reason = await webhook.challenge("http://public.test:8080/", "127.0.0.1")
        assert "127.0.0.1 is private" in reason


@pytest.mark.parametrize("asks", [False, True])
async def test_endless_interim_responses_are_cut_off(asks: bool) -> None:
    server = Hostile(lambda: repeat(b"HTTP/1.1 100 Continue\r\n\r\n" * 100))
    async with server.serving() as url, WebhookSender(LOOPBACK, KEY) as webhook:
        if asks:
            reason = await ask(webhook, url)
        else:
            reason = (await webhook.post(url, NOTIFICATION)).reason
    assert reason == "headers larger than 65536 bytes"


async def test_what_waited_together_is_one_post_with_an_id_of_all_and_one_signature() -> None:
    seen: list[tuple[web.Request, bytes]] = []
    held = Held(0, 1_000, "its hours are 8-18 (UTC)")
    some = [replace(NOTIFICATION, id=each, held=held, rotation=3) for each in ("a", "b")]

    async def take(request: web.Request) -> web.Response:
        seen.append((request, await request.read()))
        return web.Response(status=204)

    async def sent(*notifications: Notification) -> None:
        async with WebhookSender(LOOPBACK, KEY, clock=lambda: 1_700_000_000.9) as webhook:
            assert (await webhook.send("m", f"{url}hook", notifications, True)).delivered

    async with receiving(take) as url:
        await sent(*some)
        await sent(*some)
        await sent(some[0])
    (first, content), (again, _), (alone, single) = seen
    shown = json.loads(content)
    assert (shown["status"], shown["subscription"]) == ("digest", NOTIFICATION.subscription)
    assert [each["id"] for each in shown["notifications"]] == ["a", "b"]
    assert shown["notifications"][0]["held"]["reason"] == held.reason
    assert first.headers["webhook-id"] == again.headers["webhook-id"] not in {"a", "b"}
    signed = replace(some[1], id=first.headers["webhook-id"])
    signature = signatures(KEY, signed, 1_700_000_000, content)
    assert first.headers["webhook-signature"] == signature
    assert (alone.headers["webhook-id"], single) == ("a", body(some[0]))
