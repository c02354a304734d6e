"""The egress guard, with sockets and names of this machine."""

import asyncio
import socket
import threading
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from connectors.http.egress import AddressRefused, EgressGuard
from connectors.http.errors import FetchFailed
from connectors.http.fetcher import Fetcher, Politeness
from connectors.http.limits import Limits
from connectors.webhook import WebhookSender
from infra.ports import any_free
from schemas.records.answers import PageQuery
from schemas.records.egress_policy import EgressPolicy
from schemas.records.urls import canonical
from tests.fakes.notifications import NOTIFICATION
from tests.harness.waiting import TIMEOUT_S

pytestmark = pytest.mark.usefixtures("each_client")

SPELLINGS = Path(__file__).with_name("loopback_spellings.txt").read_text("utf-8").split()
V6_LOOPBACK = {"[::1]", "[0:0:0:0:0:0:0:1]"}
RUDE = Politeness(obeys_robots=False)
WHY = r"private or reserved|(?i:invalid URL)|look-up failed"
INFO = tuple[Any, ...]


@asynccontextmanager
async def canary() -> AsyncIterator[tuple[int, list[object]]]:
    """Listen on loopback; yields the port and the peers that connected."""
    came: list[object] = []

    async def take(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        came.append(writer.get_extra_info("peername"))
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 204 No Content\r\n\r\n")
        await writer.drain()
        writer.close()

    server = await asyncio.start_server(take, "127.0.0.1", 0)
    async with server:
        yield server.sockets[0].getsockname()[1], came


@pytest.fixture
def names(monkeypatch: pytest.MonkeyPatch) -> dict[str, list[list[str]]]:
    """Names, each with the addresses of successive look-ups; the last repeats."""
    known: dict[str, list[list[str]]] = {}
    plain: Callable[..., list[INFO]] = socket.getaddrinfo

    def look_up(host: str, port: int, *args: Any, **more: Any) -> list[INFO]:
        answers = known.get(host)
        if answers is None:
            return plain(host, port, *args, **more)
        addresses = answers.pop(0) if len(answers) > 1 else answers[0]
        kind = socket.SOCK_STREAM
        return [(socket.AF_INET, kind, 6, "", (address, port)) for address in addresses]

    monkeypatch.setattr(socket, "getaddrinfo", look_up)
    return known


def test_no_socket_is_opened_for_a_refused_address() -> None:
    info = (socket.AF_INET, socket.SOCK_STREAM, 6, "", ("127.0.0.1", 8080))
    with pytest.raises(AddressRefused):
        EgressGuard(EgressPolicy()).open_socket(info)
    EgressGuard(EgressPolicy(["127.0.0.0/8"])).open_socket(info).close()


def test_there_are_at_least_20_spellings_of_loopback() -> None:
    assert len(set(SPELLINGS)) >= 20


@pytest.mark.parametrize("spelling", SPELLINGS)
async def test_no_spelling_of_loopback_is_connected_to(spelling: str) -> None:
    async with canary() as (port, came), Fetcher(EgressGuard(EgressPolicy())) as fetcher:
        url = f"http://{spelling}:{port}/"
        for each in {url, canonical(url) or url}:
            with pytest.raises(FetchFailed, match=WHY):
                await fetcher.get(PageQuery(each))
        assert came == []


@pytest.mark.parametrize("spelling", [each for each in SPELLINGS if each not in V6_LOOPBACK])
async def test_no_redirect_to_a_spelling_of_loopback_is_followed(spelling: str) -> None:
    async with canary() as (port, came), redirecting(f"http://{spelling}:{port}/") as url:
        async with Fetcher(EgressGuard(EgressPolicy(["::1"]))) as fetcher:
            with pytest.raises(FetchFailed, match=WHY):
                await fetcher.get(PageQuery(url))
        assert came == []


async def test_a_name_with_one_private_address_is_refused(
    names: dict[str, list[list[str]]],
) -> None:
    names["mixed.test"] = [["127.0.0.1", "10.0.0.1"]]
    async with (
        canary() as (port, came),
        Fetcher(EgressGuard(EgressPolicy(["127.0.0.1"]))) as fetcher,
    ):
        with pytest.raises(FetchFailed, match=r"address mixed\.test is private"):
            await fetcher.get(PageQuery(f"http://mixed.test:{port}/"))
        assert came == []


async def test_a_name_that_turns_private_is_refused_from_then_on(
    names: dict[str, list[list[str]]],
) -> None:
    names["turning.test"] = [["127.0.0.1"], ["169.254.169.254"]]
    guard = EgressGuard(EgressPolicy(["127.0.0.1"]))
    async with canary() as (port, came):
        url = f"http://turning.test:{port}/"
        async with Fetcher(guard, RUDE) as fetcher:
            assert (await fetcher.get(PageQuery(url))).status == 204
        async with Fetcher(guard, RUDE) as fetcher:
            with pytest.raises(FetchFailed, match=r"address turning\.test is private"):
                await fetcher.get(PageQuery(url))
        assert len(came) == 1


@pytest.mark.parametrize(
    ("policy", "reason"),
    [
        (EgressPolicy(), "address internal.test is private or reserved: not allowed"),
        (EgressPolicy(["127.0.0.0/8"]), "Connection refused"),
    ],
)
@pytest.mark.parametrize("addresses", [["127.0.0.9"], ["127.0.0.9", "127.0.0.8"]])
async def test_a_reason_shows_the_name_that_the_client_gave_and_never_its_address(
    monkeypatch: pytest.MonkeyPatch, policy: EgressPolicy, reason: str, addresses: list[str]
) -> None:
    plain, port = socket.getaddrinfo, any_free()

    def look_up(host: str, *args: Any, **more: Any) -> list[INFO]:
        return [found for each in addresses for found in plain(each, *args, **more)]

    monkeypatch.setattr(socket, "getaddrinfo", look_up)
    url = f"http://internal.test:{port}/"
    async with (
        Fetcher(EgressGuard(policy), RUDE) as fetcher,
        WebhookSender(EgressGuard(policy), b"key") as webhook,
    ):
        with pytest.raises(FetchFailed) as failed:
            await fetcher.get(PageQuery(url))
        assert str(failed.value) == reason
        assert (await webhook.post(url, NOTIFICATION)).reason == reason


async def test_look_ups_that_hang_do_not_block_others(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    hanging, plain = threading.Event(), socket.getaddrinfo

    def look_up(host: str, *args: Any, **more: Any) -> list[INFO]:
        if host.endswith(".hangs"):
            hanging.wait()
        return plain("127.0.0.1", *args, **more)

    monkeypatch.setattr(socket, "getaddrinfo", look_up)
    guard, patient = (
        EgressGuard(EgressPolicy(["127.0.0.1"])),
        Limits(connect=TIMEOUT_S, total=TIMEOUT_S),
    )
    async with canary() as (port, _), Fetcher(guard, RUDE, patient) as fetcher:
        urls = [f"http://n{number}.hangs:{port}/" for number in range(200)]
        hostile = [asyncio.create_task(fetcher.get(PageQuery(url))) for url in urls]
        assert (await fetcher.get(PageQuery(f"http://quick.test:{port}/"))).status == 204
        assert not any(task.done() for task in hostile)
        hanging.set()
        assert {answer.status for answer in await asyncio.gather(*hostile)} == {204}


async def test_a_webhook_is_refused_every_address_that_a_fetch_is() -> None:
    async with (
        canary() as (port, came),
        WebhookSender(EgressGuard(EgressPolicy()), b"key") as webhook,
    ):
        for host in ("127.0.0.1", "localhost", "[::ffff:127.0.0.1]"):
            answer = await webhook.post(f"http://{host}:{port}/", NOTIFICATION)
            assert "private or reserved" in answer.reason
        assert came == []


async def test_the_deployments_own_port_is_refused_on_an_allowed_network() -> None:
    async with canary() as (port, came):
        policy = EgressPolicy(["127.0.0.0/8"], own=[port])
        async with Fetcher(EgressGuard(policy)) as fetcher:
            with pytest.raises(FetchFailed, match="own"):
                await fetcher.get(PageQuery(f"http://127.0.0.1:{port}/"))
        assert came == []


async def test_all_requests_go_through_the_proxy_of_the_settings_and_no_other(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: list[bytes] = []

    async def proxy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        asked.append((await reader.readuntil(b"\r\n\r\n")).split(b"\r\n")[0])
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi")
        await writer.drain()
        writer.close()

    server = await asyncio.start_server(proxy, "127.0.0.1", 0)
    place = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    async with server:
        async with Fetcher(EgressGuard(EgressPolicy(), place), RUDE) as fetcher:
            assert (await fetcher.get(PageQuery("http://document.test/a"))).body == b"hi"
            with pytest.raises(FetchFailed, match="private or reserved"):
                await fetcher.get(PageQuery("http://127.0.0.1/a"))
        monkeypatch.setenv("HTTP_PROXY", place)
        async with Fetcher(EgressGuard(EgressPolicy())) as fetcher:
            with pytest.raises(FetchFailed, match="look-up failed"):
                await fetcher.get(PageQuery("http://document.test/a"))
    assert asked == [b"GET http://document.test/a HTTP/1.1"]


@asynccontextmanager
async def redirecting(target: str) -> AsyncIterator[str]:
    """Serve one page, on ::1, that leads elsewhere."""

    async def take(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        head = b"HTTP/1.1 302 Found\r\nContent-Length: 0\r\nLocation: %s\r\n\r\n"
        writer.write(head % target.encode())
        await writer.drain()
        writer.close()

    server = await asyncio.start_server(take, "::1", 0)
    async with server:
        yield f"http://[::1]:{server.sockets[0].getsockname()[1]}/"
