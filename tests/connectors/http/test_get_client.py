"""The client for GET: which connections it opens, and which it uses again."""

import asyncio
import re
import socket
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from typing import Any

import pytest
import trustme
from aiohttp import ClientError, InvalidURL

from connectors.http import get_client
from connectors.http.egress import AddressRefused, EgressGuard
from connectors.http.errors import FetchFailed, failure_kind
from connectors.http.fetcher import Fetcher
from connectors.http.get_client import GetClient, GetConnection, trusting
from connectors.http.limits import Limits, ResponseRefused
from schemas.records.answers import PageQuery
from schemas.records.egress_policy import EgressPolicy
from tests.connectors.http.test_get_response import Line
from tests.harness.raw_site import RUDE, response
from tests.harness.waiting import TIMEOUT_S, until

GUARD = EgressGuard(EgressPolicy(["127.0.0.0/8"]))
LIMITS = Limits(connect=TIMEOUT_S, total=TIMEOUT_S)
ZEUS, FORGED = response("Zeus"), response("forged")

Reader = asyncio.StreamReader
Writer = asyncio.StreamWriter
Handler = Callable[[int, Reader, Writer], Awaitable[None]]


class Server:
    """Handles each connection by its number; ``asked`` counts their requests."""

    def __init__(self, handle: Handler) -> None:
        self.asked: list[int] = []
        self.closed: list[int] = []
        self._handle = handle
        self._tasks: set[asyncio.Task[None] | None] = set()

    @asynccontextmanager
    async def serving(self, tls: ssl.SSLContext | None = None) -> AsyncIterator[str]:
        server = await asyncio.start_server(self._connected, "127.0.0.1", 0, ssl=tls)
        async with server:
            port = server.sockets[0].getsockname()[1]
            yield f"{'https' if tls else 'http'}://127.0.0.1:{port}/"
        await asyncio.gather(*filter(None, self._tasks))

    async def _connected(self, reader: Reader, writer: Writer) -> None:
        self._tasks.add(asyncio.current_task())
        number = len(self.asked)
        self.asked.append(0)
        with suppress(asyncio.IncompleteReadError, ConnectionError):
            await self._handle(number, reader, writer)
            await reader.read()
        self.closed.append(number)
        writer.close()

    async def request(self, number: int, reader: Reader) -> None:
        await reader.readuntil(b"\r\n\r\n")
        self.asked[number] += 1


@asynccontextmanager
async def opened(limits: Limits = LIMITS, keepalive_s: float = 60.0) -> AsyncIterator[GetClient]:
    client = GetClient(GUARD, limits, "Vokter", keepalive_s)
    yield client
    await client.close()


async def page(client: GetClient, url: str, headers: Mapping[str, str] | None = None) -> bytes:
    async with client.get(url, headers or {}) as found:
        return b"".join([piece async for piece in found.content.iter_any()])


def always(*answers: bytes) -> Server:
    """Return a server that answers the requests of each connection with these bytes."""

    async def handle(number: int, reader: Reader, writer: Writer) -> None:
        for answer in answers:
            await server.request(number, reader)
            writer.write(answer)

    server = Server(handle)
    return server


async def test_a_connection_is_used_again_for_its_origin_alone() -> None:
    server, other = always(ZEUS, ZEUS), always(ZEUS)
    async with server.serving() as url, other.serving() as theirs, opened() as client:
        assert [await page(client, each) for each in (url, theirs, url)] == [b"Zeus"] * 3
        assert (server.asked, other.asked) == ([2], [1])
        await client.close()


@pytest.mark.parametrize(
    "answer",
    [
        ZEUS + FORGED,
        ZEUS + b"H",
        b"HTTP/1.1 304 Not Modified\r\nContent-Length: 99\r\n\r\n" + FORGED,
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n" + FORGED,
    ],
)
async def test_bytes_after_a_response_are_never_the_next_response(answer: bytes) -> None:
    server = always(answer, FORGED)
    async with server.serving() as url, opened() as client:
        for _ in range(3):
            assert await page(client, url) != b"forged"
        assert server.asked == [1, 1, 1]
        await client.close()


async def serve_one(listener: socket.socket, answer: bytes) -> socket.socket:
    """Accept a connection and answer its first request; returns the connection."""
    loop = asyncio.get_running_loop()
    accepted, _ = await loop.sock_accept(listener)
    await loop.sock_recv(accepted, 9_999)
    await loop.sock_sendall(accepted, answer)
    return accepted


@pytest.mark.parametrize("is_noticed", [True, False])
@pytest.mark.parametrize("early", [FORGED, b""])
async def test_what_waits_on_an_idle_connection_is_never_the_next_response(
    is_noticed: bool, early: bytes
) -> None:
    """The event loop has read it, or it is still in the kernel when the next request begins."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.setblocking(False)
        url = f"http://127.0.0.1:{listener.getsockname()[1]}/"
        async with opened() as client:
            serving = asyncio.create_task(serve_one(listener, ZEUS))
            assert await page(client, url) == b"Zeus"
            with await serving as first:
                first.sendall(early)
                first.shutdown(socket.SHUT_WR)
                ((kept,),) = client._idle.values()
                if is_noticed:
                    await until(kept._transport.is_closing, "the client has read it")
                serving = asyncio.create_task(serve_one(listener, response("Hera")))
                assert await page(client, url) == b"Hera"
            (await serving).close()


async def test_a_server_that_speaks_first_does_not_speak_http() -> None:
    connection, transport = GetConnection(socket.socket(), LIMITS), Line()
    connection.connection_made(transport)
    connection.data_received(FORGED)
    assert transport.is_closing()
    with pytest.raises(ResponseRefused, match="does not speak HTTP"):
        await connection.ask(b"GET / HTTP/1.1\r\n\r\n")


def cut(count: int, start: bytes = b"") -> Server:
    """Return a server whose first connection ends at its second request, after some bytes."""

    async def handle(number: int, reader: Reader, writer: Writer) -> None:
        for _ in range(1 if number < count else 9):
            await server.request(number, reader)
            writer.write(ZEUS)
        await server.request(number, reader)
        writer.write(start)
        writer.close()

    server = Server(handle)
    return server


async def test_a_request_is_repeated_if_a_kept_connection_ends_before_any_byte() -> None:
    server = cut(1)
    async with server.serving() as url, opened() as client:
        assert [await page(client, url) for _ in range(2)] == [b"Zeus"] * 2
        assert server.asked == [2, 1]


async def test_a_request_is_not_repeated_once_a_response_has_begun() -> None:
    server = cut(1, b"HTTP/1.1 200 OK\r\n")
    async with server.serving() as url, opened() as client:
        assert await page(client, url) == b"Zeus"
        with pytest.raises(ClientError):
            await page(client, url)
        assert server.asked == [2]


async def test_a_request_is_repeated_once_and_on_a_new_connection() -> None:
    async def handle(number: int, reader: Reader, writer: Writer) -> None:
        await server.request(number, reader)
        if number < 3:  # three connections are kept, all others end without a response
            await together.wait()
            writer.write(ZEUS)
            await server.request(number, reader)
        writer.close()

    together = asyncio.Event()
    server = Server(handle)
    async with server.serving() as url, opened() as client:
        first = [asyncio.create_task(page(client, url)) for _ in range(3)]
        await until(lambda: server.asked == [1, 1, 1], "three requests at a time")
        together.set()
        assert await asyncio.gather(*first) == [b"Zeus"] * 3
        with pytest.raises(ClientError):
            await page(client, url)
        assert sorted(server.asked) == [1, 1, 1, 2]


async def test_a_connection_whose_response_is_not_read_is_closed() -> None:
    endless = b"HTTP/1.1 302 Found\r\nLocation: /\r\nContent-Length: 999999\r\n\r\n"
    server = always(endless + bytes(99), ZEUS)
    async with server.serving() as url, opened() as client:
        for count in (1, 2):
            async with client.get(url, {}) as found:
                assert found.status == 302
            await until(lambda: len(server.closed) == count, "closed")  # noqa: B023
        assert server.asked == [1, 1]


async def test_a_request_that_is_cancelled_closes_its_connection() -> None:
    server = always()
    async with server.serving() as url, opened() as client:
        waiting = asyncio.create_task(page(client, url))
        await until(lambda: server.asked == [0], "connected")
        waiting.cancel()
        await until(lambda: server.closed == [0], "closed")
        with pytest.raises(asyncio.CancelledError):
            await waiting


async def test_an_idle_connection_is_closed_after_a_time() -> None:
    server = always(ZEUS)
    async with server.serving() as url, opened(keepalive_s=0.01) as client:
        assert await page(client, url) == b"Zeus"
        await until(lambda: server.closed == [0], "closed by the client")
        assert client._idle == {}
        assert client._sweeping is None


async def test_few_idle_connections_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(get_client, "_MAX_ORIGINS", 2)
    monkeypatch.setattr(get_client, "_MAX_OF_ORIGIN", 1)
    servers = [always(ZEUS) for _ in range(3)]
    async with AsyncExitStack() as stack:
        urls = [await stack.enter_async_context(each.serving()) for each in servers]
        async with opened() as client:
            for url in urls:
                assert await asyncio.gather(*(page(client, url) for _ in range(2)))
            await until(lambda: len(servers[0].closed) == 2, "closed for later origins")
            await until(lambda: len(servers[2].closed) == 1, "one of two is kept")
            assert [port for _, _, port in client._idle] == [int(u[17:-1]) for u in urls[1:]]


@pytest.mark.parametrize(
    "url",
    [
        *("http://", "http:///a", "http://[::1/", "http://a b/", "ftp://127.0.0.1/"),
        *("http://127.0.0.1:0/", "http://127.0.0.1:65558/", "http://hera:pass@127.0.0.1/"),
        *("http://127.0.0.1/a b", "http://127.0.0.1/\r\nX: y", "http://b\u00fccher.test/"),
        "http://127.0.0.1/a\n",
    ],
)
async def test_a_url_that_is_not_canonical_is_not_requested(url: str) -> None:
    async with opened() as client:
        with pytest.raises(InvalidURL):
            await page(client, url)


@pytest.mark.parametrize(
    "field", [("X", "1\r\nY: 2"), ("X", "1\nY: 2"), ("X\nY", "1"), ("X", "\0")]
)
async def test_a_header_of_two_lines_is_not_sent(field: tuple[str, str]) -> None:
    server = always(ZEUS)
    async with server.serving() as url, opened() as client:
        with pytest.raises(ValueError, match="more than one line"):
            await page(client, url, dict([field]))
    assert server.asked == []


async def test_the_address_that_was_checked_is_the_one_that_is_connected_to(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A name that leads to another address at each look-up is looked up once a connection."""
    addresses = ["127.0.0.1", "10.0.0.1"]

    def look_up(*_: Any, **__: Any) -> Any:
        found = (addresses.pop(0), port)
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", found)]

    monkeypatch.setattr(socket, "getaddrinfo", look_up)
    server = always(ZEUS, ZEUS)
    async with server.serving() as url, opened() as client:
        port = int(url[17:-1])
        for _ in range(2):
            assert await page(client, f"http://turning.test:{port}/") == b"Zeus"
        await client.close()
        with pytest.raises(AddressRefused):
            await page(client, f"http://turning.test:{port}/")
    assert server.asked == [2]


@pytest.fixture
def authority(monkeypatch: pytest.MonkeyPatch) -> Iterator[trustme.CA]:
    """An authority that the client trusts."""
    found, default = trustme.CA(), ssl.create_default_context

    def context() -> ssl.SSLContext:
        made = default()
        found.configure_trust(made)
        return made

    monkeypatch.setattr(ssl, "create_default_context", context)
    trusting.cache_clear()
    yield found
    trusting.cache_clear()


async def served_by(certificate: trustme.LeafCert, name: str) -> bytes | str:
    """Return what is fetched from a server with a certificate, or why it is refused."""
    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    certificate.configure_cert(tls)
    async with always(ZEUS).serving(tls) as url, Fetcher(GUARD, RUDE, LIMITS) as fetcher:
        try:
            return (await fetcher.get(PageQuery(url.replace("127.0.0.1", name)))).body
        except FetchFailed as error:
            return f"{failure_kind(error)}: {error}"


async def test_a_certificate_must_be_of_the_name_that_is_requested(authority: trustme.CA) -> None:
    own, other = (authority.issue_cert(name) for name in ("localhost", "example.org"))
    assert await served_by(own, "localhost") == b"Zeus"
    assert re.match("page: .*Hostname mismatch", str(await served_by(other, "localhost")))
    assert await served_by(authority.issue_cert("127.0.0.1"), "127.0.0.1") == b"Zeus"
    assert re.match("page: .*IP address mismatch", str(await served_by(own, "127.0.0.1")))


@pytest.mark.usefixtures("each_client")
async def test_a_certificate_of_an_unknown_authority_is_refused() -> None:
    reason = await served_by(trustme.CA().issue_cert("localhost"), "localhost")
    assert re.match("page: .*CERTIFICATE_VERIFY_FAILED", str(reason))


@pytest.mark.usefixtures("each_client")
async def test_a_server_without_tls_is_a_failure_of_the_page() -> None:
    async def handle(_: int, __: Reader, writer: Writer) -> None:
        writer.write(ZEUS)

    async with Server(handle).serving() as url, Fetcher(GUARD, RUDE, LIMITS) as fetcher:
        with pytest.raises(FetchFailed, match="SSL") as failed:
            await fetcher.get(PageQuery(url.replace("http:", "https:")))
    assert failure_kind(failed.value) == "page"
