"""A server and clients that hold it up, on real sockets."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager

import pytest
from aiohttp import ClientSession, web
from structlog.testing import capture_logs

from connectors.serving import protocol
from connectors.serving.limits import MAX_PER_ADDRESS
from connectors.serving.site import served

Streams = tuple[asyncio.StreamReader, asyncio.StreamWriter]
HALF = b"GET / HTTP/1.1\r\nHost: x\r\n"


async def _hello(_: web.Request) -> web.Response:
    return web.Response(text="hello")


@asynccontextmanager
async def serving(
    handler: Callable[[web.Request], Awaitable[web.StreamResponse]] = _hello,
) -> AsyncIterator[int]:
    app = web.Application()
    app.router.add_get("/", handler)
    async with served(app, "127.0.0.1", 0) as port:
        yield port


@asynccontextmanager
async def connected(port: int, first: bytes = b"") -> AsyncIterator[Streams]:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(first)
    try:
        yield reader, writer
    finally:
        writer.transport.abort()


async def ended(reader: asyncio.StreamReader) -> bytes:
    """What was sent until the server closed the connection."""
    found = bytearray()
    try:
        while chunk := await reader.read(65_536):
            found += chunk
    except ConnectionError:
        pass
    return bytes(found)


async def test_half_open_connections_leave_room_for_requests_and_are_logged_once_a_minute(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # More than one address may have, but these come from this machine.
    monkeypatch.setattr(protocol, "max_connections", lambda: MAX_PER_ADDRESS + 50)
    with capture_logs() as logs:
        async with AsyncExitStack() as stack, serving() as port:
            many = [
                await stack.enter_async_context(connected(port, HALF))
                for _ in range(MAX_PER_ADDRESS + 100)
            ]
            async with ClientSession() as http, http.get(f"http://127.0.0.1:{port}") as response:
                assert await response.text() == "hello"
            # 50 made room for later ones, and one for the request.
            assert [await ended(reader) for reader, _ in many[:51]] == [b""] * 51
            assert not any(reader.at_eof() for reader, _ in many[51:])
    assert {line["once_a_minute"] for line in logs} == {"too many connections"}


@pytest.mark.parametrize("first", [b"", HALF, b"GET / HTTP/1.1\r\nHost: x\r\n\r\n" + HALF])
async def test_a_connection_without_a_whole_head_is_closed(
    monkeypatch: pytest.MonkeyPatch, first: bytes
) -> None:
    monkeypatch.setattr(protocol, "HEAD_TIMEOUT_S", 0.05)
    monkeypatch.setattr(protocol, "KEEPALIVE_S", 0.1)
    async with serving() as port, connected(port, first) as (reader, _):
        answer = await ended(reader)
    assert answer.count(b"HTTP/1.1 200") == first.count(b"\r\n\r\n")


async def test_sending_a_head_byte_by_byte_does_not_prolong_its_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(protocol, "HEAD_TIMEOUT_S", 0.1)

    async def trickle(writer: asyncio.StreamWriter) -> None:
        while True:
            writer.write(b"x")
            await asyncio.sleep(0.01)

    async with serving() as port, connected(port, HALF) as (reader, writer):
        trickling = asyncio.create_task(trickle(writer))
        assert await ended(reader) == b""
        trickling.cancel()


async def test_a_connection_may_be_idle_for_longer_than_a_head_may_take(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(protocol, "HEAD_TIMEOUT_S", 0.05)
    whole = HALF + b"\r\n"
    async with serving() as port, connected(port, whole) as (reader, writer):
        await reader.readuntil(b"hello")
        async with connected(port) as (other, _):
            await ended(other)  # for as long as a head may take
        writer.write(whole)
        await reader.readuntil(b"hello")


async def test_a_connection_that_stays_idle_is_closed_without_a_warning(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(protocol, "KEEPALIVE_S", 0.05)
    with capture_logs() as logs:
        async with serving() as port, connected(port, HALF + b"\r\n") as (reader, _):
            assert (await ended(reader)).endswith(b"hello")
    assert logs == []


async def test_a_client_that_does_not_read_its_answer_is_disconnected(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(protocol, "UNREAD_TIMEOUT_S", 0.05)
    written: asyncio.Future[bool] = asyncio.get_running_loop().create_future()

    async def flood(request: web.Request) -> web.StreamResponse:
        response = web.StreamResponse()
        await response.prepare(request)
        try:
            while True:
                await response.write(b"x" * 1_000_000)
        finally:
            written.set_result(True)

    with capture_logs() as logs:
        async with serving(flood) as port, connected(port, HALF + b"\r\n") as (reader, _):
            await reader.readexactly(1)
            assert await written
    assert [line["cause"] for line in logs] == ["an answer was not read"]


async def test_a_client_that_leaves_ends_the_handler_of_its_request() -> None:
    begun, ended_ = asyncio.Event(), asyncio.Event()

    async def wait(_: web.Request) -> web.Response:
        begun.set()
        try:
            await asyncio.Event().wait()
        finally:
            ended_.set()
        return web.Response()

    async with serving(wait) as port:
        async with connected(port, HALF + b"\r\n"):
            await begun.wait()
        await ended_.wait()
