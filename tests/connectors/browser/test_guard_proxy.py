"""The proxy that is a browser's only way out."""

import asyncio
from base64 import b64encode
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from urllib.parse import urlsplit

import pytest
from aiohttp import web

from connectors.browser import guard_proxy
from connectors.browser.guard_proxy import USER, GuardProxy
from connectors.browser.upstream import Upstream
from connectors.credentials.input_formats import parse_credentials
from connectors.credentials.login import Login
from connectors.http.egress import EgressGuard
from schemas.records.credentials import SealedCredentials
from schemas.records.egress_policy import EgressPolicy
from tests.harness.web import served


async def page(request: web.Request) -> web.Response:
    cookie = request.headers.get("Cookie", "")
    text = f"{request.method} {request.path} {(await request.text())}{cookie}"
    return web.Response(text=text * 20)


@asynccontextmanager
async def proxied(
    *,
    allowed: bool = True,
    upstream: str | None = None,
    max_bytes: int = 100_000,
    login: Login | None = None,
) -> AsyncIterator[tuple[GuardProxy, str]]:
    policy = EgressPolicy(["127.0.0.0/8"] if allowed else [])
    proxy = GuardProxy(Upstream(EgressGuard(policy, upstream), 5, login), max_bytes)
    async with served(page) as (url,), proxy.listening():
        yield proxy, url


async def asked(proxy: GuardProxy, text: str, *, password: str | None = None) -> str:
    parts = urlsplit(proxy.url)
    pair = f"{USER}:{proxy.password if password is None else password}"
    authorization = f"Proxy-Authorization: Basic {b64encode(pair.encode()).decode()}\r\n"
    reader, writer = await asyncio.open_connection(parts.hostname, parts.port)
    writer.write(text.replace("@@", authorization).encode())
    answer = await reader.read()
    writer.close()
    return answer.decode()


async def test_a_request_gets_its_answer_on_a_connection_that_closes_after_it() -> None:
    async with proxied() as (proxy, url):
        answer = await asked(proxy, f"GET {url}/one HTTP/1.1\r\nHost: a\r\n@@\r\n")
    assert answer.startswith("HTTP/1.1 200 OK")
    assert "GET /one" in answer
    assert "Connection: close" in answer


@pytest.mark.parametrize("scheme", ["https", "http"])
async def test_cookies_of_a_visit_over_https_do_not_go_out_in_plain_text(scheme: str) -> None:
    given = parse_credentials({"cookies": "127.0.0.1\tFALSE\t/\tFALSE\t0\ts\t1"})
    row = SealedCredentials("desk", "shop", "", "", 0)
    visit = Login(row, given, f"{scheme}://127.0.0.1/", lambda: 0.0)
    visit.may_connect = lambda host, port: True  # type: ignore[method-assign]  # any port
    async with proxied(login=visit) as (proxy, url):
        head = f"GET {url}/one HTTP/1.1\r\nHost: a\r\nCookie: session=renewed\r\n@@\r\n"
        answer = await asked(proxy, head)
    assert "GET /one" in answer
    assert ("session=renewed" in answer) == (scheme == "http")


async def test_a_second_request_on_a_connection_reaches_no_server() -> None:
    async with proxied() as (proxy, url):
        one = f"POST {url}/one HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n@@\r\nhi"
        answer = await asked(proxy, one + one.replace("/one", "/two"))
    assert "POST /one hi" in answer
    assert "/two" not in answer


async def test_a_tunnel_leads_to_the_server_that_it_names() -> None:
    async with proxied() as (proxy, url):
        at = url.removeprefix("http://")
        text = (
            f"CONNECT {at} HTTP/1.1\r\n@@\r\nGET /in HTTP/1.1\r\nHost: a\r\nConnection: close\r\n"
        )
        answer = await asked(proxy, text + "\r\n")
    assert "200 Connection established" in answer
    assert "GET /in" in answer


@pytest.mark.parametrize("password", ["", "wrong"])
async def test_nobody_without_the_password_of_the_visit_may_use_it(password: str) -> None:
    async with proxied() as (proxy, url):
        text = f"GET {url}/one HTTP/1.1\r\nHost: a\r\n@@\r\n"
        answer = await asked(proxy, text, password=password)
        assert answer.startswith("HTTP/1.1 407")
        assert (await asked(proxy, text.replace("@@", ""))).startswith("HTTP/1.1 407")


async def test_a_refused_address_is_noted_with_its_reason() -> None:
    async with proxied(allowed=False) as (proxy, url):
        at = url.removeprefix("http://")
        assert await asked(proxy, f"GET {url}/one HTTP/1.1\r\nHost: a\r\n@@\r\n") == ""
        answer = await asked(proxy, f"CONNECT {at} HTTP/1.1\r\n@@\r\n")
    assert answer.startswith("HTTP/1.1 403")
    (error,) = proxy.errors.values()
    assert "private or reserved" in str(error)
    assert proxy.refused == 2


async def test_a_visit_ends_when_its_servers_send_too_many_bytes() -> None:
    async with proxied(max_bytes=200) as (proxy, url):
        await asked(proxy, f"GET {url}/{'x' * 100} HTTP/1.1\r\nHost: a\r\n@@\r\n")
    assert proxy.exceeded.is_set()
    assert proxy.too_much == "more than 200 bytes"


async def test_a_visit_ends_when_it_opens_too_many_connections(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(guard_proxy, "MAX_REQUESTS", 2)
    async with proxied() as (proxy, url):
        text = f"GET {url}/one HTTP/1.1\r\nHost: a\r\n@@\r\n"
        answers = [await asked(proxy, text) for _ in range(3)]
    assert [bool(answer) for answer in answers] == [True, True, False]
    assert proxy.too_much == "more than 2 connections"


@pytest.mark.parametrize(
    "text",
    [
        "GET /one HTTP/1.1\r\n@@\r\n",
        "GET file:///etc/passwd HTTP/1.1\r\n@@\r\n",
        "CONNECT :80 HTTP/1.1\r\n@@\r\n",
        "CONNECT a HTTP/1.1\r\n@@\r\n",
        "nonsense\r\n\r\n",
        "POST http://a/ HTTP/1.1\r\nTransfer-Encoding: chunked\r\n@@\r\n",
        "GET http://a/ HTTP/1.1\r\n bad: folded\r\n@@\r\n",
    ],
)
async def test_what_is_no_request_to_a_proxy_closes_its_connection(text: str) -> None:
    async with proxied() as (proxy, _):
        assert await asked(proxy, text) == ""
    assert not proxy.errors


async def test_the_deployments_own_proxy_gets_every_request_with_its_password() -> None:
    seen: list[tuple[str, str | None]] = []

    async def own(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode()
        lines = head.split("\r\n")
        seen.append((lines[0], next((x for x in lines if x.startswith("Proxy-Auth")), None)))
        if lines[0].startswith("CONNECT"):
            writer.write(b"HTTP/1.1 200 OK\r\n\r\ntunnelled")
        else:
            writer.write(b"HTTP/1.1 200 OK\r\n\r\npage")
        writer.close()

    async with await asyncio.start_server(own, "127.0.0.1", 0) as server:
        port = server.sockets[0].getsockname()[1]
        async with proxied(allowed=False, upstream=f"http://a:b@127.0.0.1:{port}") as (proxy, _):
            answer = await asked(proxy, "GET http://example.org/x HTTP/1.1\r\nHost: a\r\n@@\r\n")
            assert answer.endswith("page")
            answer = await asked(proxy, "CONNECT example.org:443 HTTP/1.1\r\n@@\r\n")
            assert answer.endswith("tunnelled")
            answer = await asked(proxy, "CONNECT 10.0.0.1:443 HTTP/1.1\r\n@@\r\n")
            assert answer.startswith("HTTP/1.1 403")
    password = f"Proxy-Authorization: Basic {b64encode(b'a:b').decode()}"
    assert seen == [
        ("GET http://example.org:80/x HTTP/1.1", password),
        ("CONNECT example.org:443 HTTP/1.1", password),
    ]
