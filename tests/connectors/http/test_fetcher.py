"""The fetcher against real HTTP servers on loopback, friendly and hostile."""

import asyncio
import errno
import gzip
import random
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from typing import Any

import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer

from connectors.http.egress import EgressGuard
from connectors.http.errors import FetchFailed
from connectors.http.fetcher import MAX_REDIRECTS, Fetcher, Politeness
from connectors.http.headers import parse_max_age, parse_retry_after
from connectors.http.limits import Limits
from infra.ports import any_free
from schemas.records.answers import PageQuery, Response
from schemas.records.egress_policy import EgressPolicy

pytestmark = pytest.mark.usefixtures("each_client")

LOOPBACK = EgressGuard(EgressPolicy(["127.0.0.0/8"]))
RUDE = Politeness(obeys_robots=False)
NOW = 1_700_000_000.0

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


@asynccontextmanager
async def serving(handler: Handler) -> AsyncIterator[str]:
    """Serve every path with ``handler``; the server's URL."""
    application = web.Application()
    application.router.add_get("/{path:.*}", handler)
    async with TestServer(application) as server:
        yield str(server.make_url("/"))


@asynccontextmanager
async def answering(data: bytes) -> AsyncIterator[str]:
    """Send these bytes for any request, and keep the connection open."""

    handlers: list[asyncio.Task[None] | None] = []

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        handlers.append(asyncio.current_task())
        with suppress(ConnectionError):
            await reader.readuntil(b"\r\n\r\n")
            writer.write(data)
            await reader.read()
        writer.close()
        with suppress(ConnectionError):
            await writer.wait_closed()

    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    async with server:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/"
    await asyncio.gather(*filter(None, handlers))


def _plain(guard: EgressGuard = LOOPBACK, politeness: Politeness = RUDE, **limits: Any) -> Fetcher:
    """A fetcher that does not look for robots.txt."""
    return Fetcher(guard, politeness, clock=lambda: NOW, **limits)


async def fetched(url: str, **limits: Any) -> Response:
    async with _plain(**limits) as fetcher:
        return await fetcher.get(PageQuery(url))


async def test_a_connection_that_the_server_closed_meanwhile_does_not_fail_the_fetch() -> None:
    asked: list[int] = []

    async def once(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        number = len(asked)
        asked.append(0)
        with suppress(asyncio.IncompleteReadError, ConnectionError):
            while await reader.readuntil(b"\r\n\r\n"):
                asked[number] += 1
                if asked[number] == 2:
                    break
                writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nZeus")
        writer.close()

    async with await asyncio.start_server(once, "127.0.0.1", 0) as server, _plain() as fetcher:
        url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/"
        assert [(await fetcher.get(PageQuery(url))).body for _ in range(2)] == [b"Zeus"] * 2
    assert asked[:2] == [2, 1], "asked on the old connection first, then on a new one"


async def test_a_page_is_returned_with_its_content_type_and_validators() -> None:
    async def page(_: web.Request) -> web.Response:
        headers = {"ETag": '"1"', "Last-Modified": "Tue, 14 Nov 2023 22:13:20 GMT"}
        return web.Response(text="Zeus", headers=headers)

    async with serving(page) as url:
        assert await fetched(url) == Response(
            200,
            b"Zeus",
            "text/plain; charset=utf-8",
            '"1"',
            "Tue, 14 Nov 2023 22:13:20 GMT",
            url=url,
        )


async def test_validators_make_the_request_conditional() -> None:
    async def page(request: web.Request) -> web.Response:
        asked = (request.headers["If-None-Match"], request.headers["If-Modified-Since"])
        return web.Response(status=304 if asked == ('"1"', "yesterday") else 500)

    async with serving(page) as url, _plain() as fetcher:
        assert (await fetcher.get(PageQuery(url, '"1"', "yesterday"))).status == 304


async def test_a_compressed_page_is_decompressed() -> None:
    async def page(_: web.Request) -> web.Response:
        return web.Response(body=gzip.compress(b"Hera"), headers={"Content-Encoding": "gzip"})

    async with serving(page) as url:
        assert (await fetched(url)).body == b"Hera"


async def test_the_request_has_our_user_agent_and_contact_and_no_cookie() -> None:
    seen: list[web.Request] = []

    async def page(request: web.Request) -> web.Response:
        seen.append(request)
        return web.Response(headers={"Set-Cookie": "a=b"})

    async with (
        serving(page) as url,
        _plain(politeness=Politeness("https://me.test", False)) as fetcher,
    ):
        await fetcher.get(PageQuery(url))
        await fetcher.get(PageQuery(url))
    assert seen[1].headers["User-Agent"].startswith("Vokter")
    assert seen[1].headers["User-Agent"].endswith("(+https://me.test)")
    assert "Cookie" not in seen[1].headers


@pytest.mark.parametrize("status", [404, 410, 500])
async def test_an_error_status_is_a_response(status: int) -> None:
    async def page(_: web.Request) -> web.Response:
        return web.Response(status=status, text="sorry")

    async with serving(page) as url:
        assert (await fetched(url)).status == status


async def test_an_error_status_that_is_asked_for_is_a_response_with_a_body() -> None:
    async def gone(request: web.Request) -> web.Response:
        return web.Response(status=404, text="no such page")

    async with serving(gone) as url, _plain() as fetcher:
        assert (await fetcher.get(PageQuery(url))).body == b""
        assert (await fetcher.get(PageQuery(url, statuses={410}))).body == b""
        found = await fetcher.get(PageQuery(url, statuses={404, 410}))
    assert (found.status, found.body) == (404, b"no such page")


async def test_retry_after_is_returned_in_seconds_from_now() -> None:
    async def page(_: web.Request) -> web.Response:
        headers = {"Retry-After": "Tue, 14 Nov 2023 22:14:20 GMT"}
        return web.Response(status=503, headers=headers)

    async with serving(page) as url:
        assert (await fetched(url)).retry_after == 60


@pytest.mark.parametrize(
    ("header", "seconds"),
    [
        (None, None),
        ("120", 120),
        (" 7 ", 7),
        ("9" * 5000, 86_400),
        ("Tue, 14 Nov 2023 22:13:50 GMT", 30),
        ("Tue, 14 Nov 2023 22:13:50", 30),
        ("Mon, 13 Nov 2023 22:13:20 GMT", 0),
        ("-5", None),
        ("²", None),
        ("soon", None),
        ("", None),
        ("Tue, 14 Nov 99999 22:13:50 GMT", None),
    ],
)
async def test_retry_after_is_seconds_or_a_date(header: str | None, seconds: int | None) -> None:
    assert parse_retry_after(header, NOW) == seconds


@pytest.mark.parametrize(
    ("header", "seconds"),
    [
        (None, None),
        ("max-age=60", 60),
        ('public, Max-Age = "60", must-revalidate', 60),
        ("max-age=" + "9" * 5000, 86_400),
        ("s-maxage=60", None),
        ("max-age=-5", None),
        ("max-age", None),
        ("no-store", None),
    ],
)
def test_max_age_is_seconds_and_a_day_at_most(header: str | None, seconds: int | None) -> None:
    assert parse_max_age(header) == seconds


async def test_the_max_age_of_a_page_is_returned_if_it_is_to_be_obeyed() -> None:
    async def page(_: web.Request) -> web.Response:
        return web.Response(headers={"Cache-Control": "max-age=60"})

    async with serving(page) as url:
        assert (await fetched(url)).max_age is None
        assert (await fetched(url, politeness=Politeness(None, False, True))).max_age == 60


@pytest.mark.parametrize(("hops", "arrives"), [(MAX_REDIRECTS, True), (MAX_REDIRECTS + 1, False)])
async def test_five_redirects_are_followed_and_no_more(hops: int, arrives: bool) -> None:
    async def page(request: web.Request) -> web.Response:
        left = int(request.path.strip("/"))
        if left:
            raise web.HTTPFound(f"/{left - 1}")
        return web.Response(text="here")

    async with serving(page) as url:
        if arrives:
            assert (await fetched(f"{url}{hops}")).body == b"here"
        else:
            with pytest.raises(FetchFailed, match="too many redirects"):
                await fetched(f"{url}{hops}")


async def test_a_redirect_to_a_private_address_is_refused() -> None:
    async def page(request: web.Request) -> web.Response:
        raise web.HTTPFound(f"http://127.0.0.2:{request.url.port}/")

    async with serving(page) as url, _plain(EgressGuard(EgressPolicy(["127.0.0.1"]))) as fetcher:
        with pytest.raises(FetchFailed, match=r"address 127\.0\.0\.2 is private"):
            await fetcher.get(PageQuery(url))


async def test_a_redirect_to_a_file_is_refused() -> None:
    async def page(_: web.Request) -> web.Response:
        raise web.HTTPFound("file:///etc/passwd")

    async with serving(page) as url:
        with pytest.raises(FetchFailed, match="redirected to an invalid URL"):
            await fetched(url)


async def test_nothing_connects_to_a_private_address() -> None:
    connections: list[object] = []

    async def page(request: web.Request) -> web.Response:
        connections.append(request)
        return web.Response()

    async with serving(page) as url, _plain(EgressGuard(EgressPolicy())) as fetcher:
        for host in ("127.0.0.1", "localhost", "[::ffff:127.0.0.1]", "2130706433"):
            with pytest.raises(FetchFailed, match=r"private or reserved|invalid URL"):
                await fetcher.get(PageQuery(url.replace("127.0.0.1", host)))
    assert connections == []


async def test_a_body_larger_than_the_limit_is_refused() -> None:
    async def page(request: web.Request) -> web.Response:
        return web.Response(body=b"x" * (1001 if request.path == "/large" else 1000))

    async with serving(page) as url:
        assert len((await fetched(url, limits=Limits(body=1000))).body) == 1000
        with pytest.raises(FetchFailed, match="larger than 1000 bytes"):
            await fetched(f"{url}large", limits=Limits(body=1000))


async def test_the_limit_counts_decoded_bytes() -> None:
    async def bomb(_: web.Request) -> web.Response:
        body = gzip.compress(bytes(50_000_000))
        return web.Response(body=body, headers={"Content-Encoding": "gzip"})

    async with serving(bomb) as url:
        with pytest.raises(FetchFailed, match="larger than 10000000 bytes"):
            await fetched(url)


@pytest.mark.parametrize("answer", [b"", b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nshort"])
async def test_a_server_that_stops_sending_is_a_failure(answer: bytes) -> None:
    async with answering(answer) as url:
        with pytest.raises(FetchFailed, match="timed out"):
            await fetched(url, limits=Limits(total=0.2))


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        (b"HTTP/1.1 200 OK\r\nA: " + b"x" * 100_000 + b"\r\n\r\n", "bytes"),
        (b"HTTP/1.1 200 OK\r\n" + b"A: b\r\n" * 10_000 + b"\r\n", "header"),
        (b"hello\r\n\r\n", "HTTP"),
        (b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 4\r\n\r\nn\x00pe", "gzip"),
    ],
)
async def test_a_server_that_misbehaves_is_a_failure_with_a_reason(answer: bytes, why: str) -> None:
    async with answering(answer) as url:
        with pytest.raises(FetchFailed, match=f"(?i){why}") as raised:
            await fetched(url)
    assert len(str(raised.value)) <= 200


async def test_headers_that_are_not_ascii_are_dropped() -> None:
    head = (
        b'HTTP/1.1 200 OK\r\nETag: "\xff"\r\nContent-Type: text/\xc3\xa9\r\nContent-Length: 0\r\n'
    )
    async with answering(head + b"\r\n") as url:
        assert await fetched(url) == Response(200, url=url)


@pytest.mark.parametrize(
    ("url", "why"),
    [
        ("http://nothing.invalid/", "look-up failed"),
        ("http://" + "a" * 64 + ".test/", "invalid URL|look-up failed"),
        ("http://", "invalid URL"),
    ],
)
async def test_an_invalid_host_is_a_failure(url: str, why: str) -> None:
    with pytest.raises(FetchFailed, match=why):
        await fetched(url)


async def test_a_refused_connection_is_a_failure() -> None:
    with pytest.raises(FetchFailed, match=r"^Connection refused$"):
        await fetched(f"http://127.0.0.1:{any_free()}/")


async def test_running_out_of_file_descriptors_is_not_the_documents_failure() -> None:
    class Exhausted(EgressGuard):
        def check(self, address: str, port: int, name: str | None = None) -> None:
            raise OSError(errno.EMFILE, f"too many open files: {address}")

    async with _plain(Exhausted(EgressPolicy(["127.0.0.1"]))) as fetcher:
        with pytest.raises(OSError, match="too many open files"):
            await fetcher.get(PageQuery("http://127.0.0.1:1024/"))


@pytest.mark.parametrize("seed", range(3))
async def test_a_large_body_in_chunks_of_any_size_arrives_complete_and_so_does_the_next(
    seed: int,
) -> None:
    chance = random.Random(seed)  # noqa: S311 - to be repeated, not to be secret
    body = chance.randbytes(2_000_000)

    async def answer(request: web.Request) -> web.StreamResponse:
        response = web.StreamResponse()
        response.enable_chunked_encoding()
        await response.prepare(request)
        at = 0
        while at < len(body):
            size = chance.choice((50, 5_000, 400_000))
            await response.write(body[at : at + size])
            at += size
        await response.write_eof()
        return response

    async with serving(answer) as url, _plain() as client:
        for _ in range(2):
            assert (await client.get(PageQuery(url))).body == body
