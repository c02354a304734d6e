"""Requests that a view's request part describes, against real HTTP servers on loopback."""

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from typing import Any

import pytest
from aiohttp import web

from connectors.http.egress import EgressGuard
from connectors.http.errors import FetchFailed
from connectors.http.fetcher import MAX_REDIRECTS, Fetcher, Politeness
from connectors.http.redirects import first_hop, following_hop
from schemas.records.answers import PageQuery, Response
from schemas.records.egress_policy import EgressPolicy
from schemas.records.page_requests import PLAIN_REQUEST, Header, PageRequest
from tests.harness.web import served

pytestmark = pytest.mark.usefixtures("each_client")

LOOPBACK = EgressGuard(EgressPolicy(["127.0.0.0/8"]))
RUDE = Politeness(obeys_robots=False)
SEARCH = PageRequest("POST", (Header("x-api-version", "2"),), '{"query": "argus"}')

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


class Site:
    """Answers with what a handler says, and notes each request with its body."""

    def __init__(self, answer: Callable[[web.Request, bytes], web.Response]) -> None:
        self.requests: list[tuple[str, str, Any, bytes]] = []
        self._answer = answer

    async def handle(self, request: web.Request) -> web.Response:
        body = await request.read()
        self.requests.append((request.method, request.path, request.headers, body))
        return self._answer(request, body)


@asynccontextmanager
async def site(
    answer: Callable[[web.Request, bytes], web.Response], ports: int = 1
) -> AsyncIterator[tuple[Site, list[str]]]:
    found = Site(answer)
    async with served(found.handle, ports) as urls:
        yield found, [f"{url}/" for url in urls]


async def got(
    url: str, request: PageRequest, etag: str | None = None, politeness: Politeness = RUDE
) -> Response:
    async with Fetcher(LOOPBACK, politeness) as fetcher:
        return await fetcher.get(PageQuery(url, etag, None, (), request))


def plain(_: web.Request, body: bytes) -> web.Response:
    return web.Response(body=body)


def to(target: str, status: int) -> Callable[[web.Request, bytes], web.Response]:
    """Redirect ``/`` to a target, and answer all else."""

    def answer(request: web.Request, body: bytes) -> web.Response:
        if request.path == "/":
            return web.Response(status=status, headers={"Location": target})
        return web.Response(body=body)

    return answer


async def test_each_language_sees_its_own_variant() -> None:
    def answer(request: web.Request, _: bytes) -> web.Response:
        text = {"de": "Riese", "fr": "géant"}.get(request.headers.get("Accept-Language", ""))
        return web.Response(text=text or "giant")

    async with site(answer) as (_, (url,)):
        bodies = [
            (await got(url, PageRequest(language=each))).body.decode() for each in ("", "de", "fr")
        ]
    assert bodies == ["giant", "Riese", "géant"]


async def test_a_search_gets_its_body_as_json_and_no_condition() -> None:
    def answer(_: web.Request, body: bytes) -> web.Response:
        return web.json_response({"found": json.loads(body)["query"]}, headers={"ETag": '"1"'})

    async with site(answer) as (seen, (url,)):
        response = await got(url, SEARCH, etag='"1"')
    assert (response.status, response.body) == (200, b'{"found": "argus"}')
    ((method, _, headers, body),) = seen.requests
    assert (method, body) == ("POST", b'{"query": "argus"}')
    assert headers["Content-Type"] == "application/json"
    assert headers["X-Api-Version"] == "2"
    assert "If-None-Match" not in headers


async def test_a_form_is_sent_as_one_and_a_chosen_content_type_is_kept() -> None:
    async with site(plain) as (seen, (url,)):
        await got(url, PageRequest("POST", body="q=argus&page=1"))
        chosen = (Header("content-type", "text/xml"),)
        await got(url, PageRequest("POST", chosen, "<q>argus</q>"))
        await got(url, PageRequest("POST"))
    types = [headers.get("Content-Type") for _, _, headers, _ in seen.requests]
    assert types[:2] == ["application/x-www-form-urlencoded", "text/xml"]
    assert [body for *_, body in seen.requests] == [b"q=argus&page=1", b"<q>argus</q>", b""]


async def test_chosen_headers_replace_our_own_and_come_once_each() -> None:
    chosen = (Header("accept", "application/json"), Header("x-a", "1"))
    request = PageRequest(headers=chosen, user_agent="Mozilla/5.0", language="de, en;q=0.5")
    async with site(plain) as (seen, (url,)):
        await got(url, request, etag='"1"')
    ((_, _, headers, _),) = seen.requests
    expected = {
        "Accept": "application/json",
        "Accept-Language": "de, en;q=0.5",
        "If-None-Match": '"1"',
        "User-Agent": "Mozilla/5.0",
        "X-A": "1",
    }
    assert {name: headers.getall(name) for name in expected} == {
        name: [value] for name, value in expected.items()
    }


@pytest.mark.parametrize(
    ("status", "method"), [(301, "GET"), (302, "GET"), (303, "GET"), (307, "POST"), (308, "POST")]
)
async def test_a_post_is_redirected_as_the_status_says(status: int, method: str) -> None:
    async with site(to("/found", status)) as (seen, (url,)):
        await got(url, SEARCH)
    assert [each[:2] for each in seen.requests] == [("POST", "/"), (method, "/found")]
    _, _, headers, body = seen.requests[1]
    is_post = method == "POST"
    assert body == (SEARCH.body.encode() if is_post else b"")
    assert ("Content-Type" in headers) == is_post
    assert headers["X-Api-Version"] == "2", "the origin is the same"


async def test_another_origin_gets_no_header_that_was_chosen_for_the_first() -> None:
    chosen = (Header("accept", "text/html"), Header("x-api-key", "mine"), Header("referer", "x"))
    request = PageRequest(headers=chosen, language="de", user_agent="Mozilla/5.0")
    targets: list[str] = []

    def answer(request: web.Request, body: bytes) -> web.Response:
        target = {"/": 1, "/away": 0}.get(request.path)
        if target is None:
            return web.Response(text="argus")
        path = "away" if request.path == "/" else "back"
        return web.Response(status=302, headers={"Location": f"{targets[target]}{path}"})

    async with site(answer, ports=2) as (seen, urls):
        targets += urls
        assert (await got(urls[0], request)).body == b"argus"
    first, *others = (headers for _, _, headers, _ in seen.requests)
    assert (first["X-Api-Key"], first["Referer"]) == ("mine", "x")
    for headers in others:  # the last of them is the first origin again
        assert not {"X-Api-Key", "Referer"} & set(headers)
        assert headers["Accept"] == "text/html"
        assert headers["Accept-Language"] == "de"
        assert headers["User-Agent"] == "Mozilla/5.0"
    assert len(others) == 2


@pytest.mark.parametrize("status", [307, 308])
async def test_a_post_goes_to_no_other_origin(status: int) -> None:
    async with site(plain) as (theirs, (target,)), site(to(target, status)) as (_, (url,)):
        with pytest.raises(FetchFailed, match=rf"redirected by {status} to http://127\.0\.0"):
            await got(url, SEARCH)
    assert theirs.requests == []


async def test_a_get_from_another_origin_after_a_post_has_neither_body_nor_headers() -> None:
    async with (
        site(plain) as (theirs, (target,)),
        site(to(f"{target}found", 303)) as (_, (url,)),
    ):
        await got(url, SEARCH)
    ((method, path, headers, body),) = theirs.requests
    assert (method, path, body) == ("GET", "/found", b"")
    assert not {"X-Api-Version", "Content-Type"} & set(headers)


async def test_a_loop_of_redirects_ends() -> None:
    def answer(_: web.Request, __: bytes) -> web.Response:
        return web.Response(status=307, headers={"Location": "/"})

    async with site(answer) as (seen, (url,)):
        with pytest.raises(FetchFailed, match="too many redirects"):
            await got(url, SEARCH)
    assert len(seen.requests) == 1 + MAX_REDIRECTS


def test_https_and_http_are_two_origins() -> None:
    hop = first_hop("http://page.test/", PageRequest(headers=(Header("x-api-key", "mine"),)))
    assert following_hop(hop, 301, "https://page.test/").headers == {}
    assert following_hop(hop, 301, "http://page.test:80/b").headers == {"X-Api-Key": "mine"}


async def test_a_post_is_sent_once_and_on_a_connection_of_its_own() -> None:
    """The server closes each connection at its second request: a GET is repeated on a new one."""
    asked: list[list[bytes]] = []

    async def once(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        own: list[bytes] = []
        asked.append(own)
        with suppress(asyncio.IncompleteReadError, ConnectionError):
            while len(own) < 2:
                own.append((await reader.readuntil(b"\r\n\r\n")).split(b" ")[0])
                if len(own) == 1:
                    writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nZeus")
        writer.close()

    async with await asyncio.start_server(once, "127.0.0.1", 0) as server:
        url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/"
        async with Fetcher(LOOPBACK, RUDE) as fetcher:
            for request in (PLAIN_REQUEST, PageRequest("POST"), PageRequest("POST")):
                assert (await fetcher.get(PageQuery(url, request=request))).body == b"Zeus"
    assert asked == [[b"GET"], [b"POST"], [b"POST"]]


async def test_a_post_that_the_server_cuts_off_is_not_repeated() -> None:
    asked: list[bytes] = []

    async def cut(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        asked.append(await reader.readuntil(b"\r\n\r\n"))
        writer.close()

    async with await asyncio.start_server(cut, "127.0.0.1", 0) as server:
        url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/"
        with pytest.raises(FetchFailed):
            await got(url, SEARCH)
    assert len(asked) == 1


@pytest.mark.parametrize("value", ["1\r\nX-Evil: 1", "1\nX-Evil: 1", "1\rX-Evil: 1", "1\0"])
async def test_a_value_that_would_be_a_second_header_is_not_sent(value: str) -> None:
    async with site(plain) as (seen, (url,)):
        for request in (PageRequest(headers=(Header("x-a", value),)), PageRequest(language=value)):
            with pytest.raises(FetchFailed):
                await got(url, request)
    assert seen.requests == []


async def test_our_own_name_decides_the_rules_of_robots_txt() -> None:
    def answer(request: web.Request, _: bytes) -> web.Response:
        rules = "User-agent: vokter\nDisallow: /private\n\nUser-agent: friend\nDisallow:\n"
        return web.Response(text=rules if request.path == "/robots.txt" else "argus")

    async with site(answer) as (seen, (url,)):
        request = PageRequest(user_agent="friend", headers=(Header("x-api-key", "mine"),))
        with pytest.raises(FetchFailed, match=r"robots\.txt does not allow it"):
            await got(f"{url}private", request, politeness=Politeness())
    ((_, path, headers, _),) = seen.requests
    assert path == "/robots.txt"
    assert headers["User-Agent"].startswith("Vokter")
    assert "X-Api-Key" not in headers


async def test_a_named_proxy_makes_the_requests_that_name_it_and_robots_txt_too() -> None:
    def through(request: web.Request, _: bytes) -> web.Response:
        return web.Response(text="" if request.path == "/robots.txt" else "from the proxy")

    async with site(plain) as (direct, (url,)), site(through) as (proxy, (address,)):
        guard = EgressGuard(EgressPolicy(["127.0.0.0/8"]), address)
        async with Fetcher(LOOPBACK, Politeness(), proxies={"eu": guard}) as fetcher:
            found = await fetcher.get(PageQuery(url, request=PageRequest(proxy="eu")))
            assert found.body == b"from the proxy"
            assert direct.requests == []
            assert (await fetcher.get(PageQuery(url))).body == b""
            with pytest.raises(FetchFailed, match="no proxy 'us'; VOKTER_PROXIES names eu"):
                await fetcher.get(PageQuery(url, request=PageRequest(proxy="us")))
    assert [path for _, path, _, _ in proxy.requests] == ["/robots.txt", "/"]
    assert [path for _, path, _, _ in direct.requests] == ["/robots.txt", "/"]


async def test_a_named_proxy_is_no_way_around_the_egress_policy() -> None:
    async with site(plain) as (proxy, (address,)):
        guard = EgressGuard(EgressPolicy(), address)
        async with Fetcher(EgressGuard(EgressPolicy()), RUDE, proxies={"eu": guard}) as fetcher:
            for url in ("http://127.0.0.1/", "http://169.254.169.254/", "http://page.test:22/"):
                with pytest.raises(FetchFailed):
                    await fetcher.get(PageQuery(url, request=PageRequest(proxy="eu")))
    assert proxy.requests == []
