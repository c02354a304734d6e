"""The stream of live notifications, on a real HTTP server."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any
from unittest.mock import AsyncMock, Mock

import pytest
from aiohttp import ClientSession, ClientTimeout
from aiokafka.errors import KafkaConnectionError

from connectors.access.keys import ApiKeys, new_key, save_keys
from connectors.access.rates import CallRates
from connectors.access.roles import Role
from connectors.api.admission import access_middleware
from connectors.api.history.events import EventStreams
from connectors.api.server import serve
from connectors.kafka.listener import Listener, LiveNotification
from connectors.kafka.live import UnknownPositions
from connectors.serving import BASE
from connectors.serving.limits import MAX_PER_ADDRESS
from connectors.serving.stream_slots import MAX_STREAMS, StreamSlots
from infra.ports import any_free
from tests.fakes.live import LiveAgent
from tests.fakes.notifications import NOTIFICATION
from tests.harness.waiting import until

# The handlers that are never asked are mocks.
pytestmark = pytest.mark.filterwarnings("ignore:Bare functions")


@asynccontextmanager
async def serving(agent: Any, folder: Path) -> AsyncIterator[str]:
    """The whole server, in which only the stream has real handlers."""
    events = EventStreams(agent, StreamSlots())
    handlers: Any = AsyncMock(jobs=Mock(asking=lambda _: AsyncMock()), events=events)
    guard = access_middleware(ApiKeys(folder / "keys.json"), CallRates(lambda: 0.0))
    port = any_free()
    async with serve(handlers, [guard], "127.0.0.1", port):
        yield f"http://127.0.0.1:{port}{BASE}/events"


@pytest.fixture
def agent() -> LiveAgent:
    return LiveAgent()


@pytest.fixture
async def url(agent: LiveAgent, tmp_path: Path) -> AsyncIterator[str]:
    async with serving(agent, tmp_path) as url:
        yield url


@pytest.fixture
async def http() -> AsyncIterator[ClientSession]:
    async with ClientSession() as http:
        yield http


async def event(content: asyncio.StreamReader | Any) -> dict[str, str]:
    """The fields of the next event."""
    text = (await content.readuntil(b"\r\n\r\n")).decode()
    return dict(line.split(": ", 1) for line in text.strip().splitlines())


async def test_notifications_are_sent_as_events_after_a_first_one_with_the_offsets(
    agent: LiveAgent, url: str, http: ClientSession
) -> None:
    async with http.get(url) as response:
        assert response.content_type == "text/event-stream"
        assert await event(response.content) == {"id": "7.0", "event": "begin", "data": "{}"}
        odd = replace(NOTIFICATION, url="http://ä/\n")
        agent.listeners[0].offer(LiveNotification(odd, (8, 0), 1))
        notified = await event(response.content)
        agent.close()
        assert await response.content.read() == b""
    assert (notified["id"], notified["event"]) == ("8.0", "notification")
    assert json.loads(notified["data"])["url"] == "http://ä/\n"
    assert agent.asked == [("default", None, "")]


async def test_a_client_that_reconnects_continues_after_its_last_event(
    agent: LiveAgent, url: str, http: ClientSession
) -> None:
    async with http.get(url, headers={"Last-Event-ID": "3.12"}) as response:
        assert (await event(response.content))["id"] == "3.12"
    assert agent.asked == [("default", (3, 12), "")]


async def test_an_event_id_says_of_which_topic_its_offsets_are(
    agent: LiveAgent, url: str, http: ClientSession
) -> None:
    former, agent.topic_id = "ab" * 16, "cd" * 16
    async with http.get(url, headers={"Last-Event-ID": f"{former}.3.12"}) as response:
        assert (await event(response.content))["id"] == f"{agent.topic_id}.3.12"
    assert agent.asked == [("default", (3, 12), former)]


async def test_a_comment_is_sent_while_nothing_happens_and_a_client_that_left_is_dropped(
    agent: LiveAgent, url: str, http: ClientSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("connectors.api.history.events.HEARTBEAT_S", 0.01)
    async with http.get(url) as response:
        await event(response.content)
        assert await response.content.readuntil(b"\r\n\r\n") == b": ping\r\n\r\n"
    await until(lambda: not agent.listeners, "the listener is forgotten")


@pytest.mark.parametrize("hears", [True, False])
async def test_a_stream_ends_with_its_key(
    agent: LiveAgent,
    tmp_path: Path,
    http: ClientSession,
    monkeypatch: pytest.MonkeyPatch,
    hears: bool,
) -> None:
    monkeypatch.setattr("connectors.api.history.events.HEARTBEAT_S", 60.0 if hears else 0.01)
    secret, key = new_key(NOTIFICATION.manager, None, None, Role.READ)
    save_keys(tmp_path / "keys.json", [key])
    headers = {"Authorization": f"Bearer {secret}"}
    async with (
        serving(agent, tmp_path) as url,
        http.get(url, headers=headers, timeout=ClientTimeout(total=20)) as response,
    ):
        await event(response.content)
        save_keys(tmp_path / "keys.json", [])
        if hears:
            agent.listeners[0].offer(LiveNotification(NOTIFICATION, (8, 0), 1))
        assert b"event: notification" not in await response.content.read()


async def test_a_stream_ends_after_its_time(
    agent: LiveAgent, url: str, http: ClientSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("connectors.api.history.events.MAX_STREAM_S", 0.01)
    async with http.get(url) as response:
        await event(response.content)
        assert await response.content.read() == b""


async def test_a_server_that_stops_ends_its_streams_cleanly(
    agent: LiveAgent, tmp_path: Path, http: ClientSession
) -> None:
    async with serving(agent, tmp_path) as url:
        response = await http.get(url)
        await event(response.content)
    assert await response.content.read() == b""
    assert agent.listeners == []


@pytest.mark.parametrize(
    "last", ["x", "-1", "1.", "1.2.x", "1" * 19, "1\t2", "ab" * 16, "ab" * 15 + ".1"]
)
async def test_an_event_id_that_was_never_sent_is_refused(
    agent: LiveAgent, url: str, http: ClientSession, last: str
) -> None:
    async with http.get(url, headers={"Last-Event-ID": last}) as response:
        assert (response.status, (await response.json())["code"]) == (415, "6")
    assert agent.asked == []


@pytest.mark.parametrize(
    ("trouble", "status"), [(UnknownPositions("8 partitions"), 415), (KafkaConnectionError(), 503)]
)
async def test_an_error_at_the_start_of_a_stream_has_its_code(
    agent: LiveAgent, url: str, http: ClientSession, trouble: Exception, status: int
) -> None:
    agent.trouble = trouble
    async with http.get(url) as response:
        assert response.status == status


@pytest.mark.parametrize("limit", ["MAX_STREAMS", "MAX_STREAMS_PER_MANAGER"])
async def test_the_number_of_streams_is_limited_and_one_that_ends_admits_another(
    agent: LiveAgent, url: str, http: ClientSession, monkeypatch: pytest.MonkeyPatch, limit: str
) -> None:
    monkeypatch.setattr(f"connectors.serving.stream_slots.{limit}", 1)
    async with http.get(url) as first:
        await event(first.content)
        async with http.get(url) as second:
            assert (second.status, (await second.json())["code"]) == (429, "10")
        agent.close()
        await first.content.read()
    async with http.get(url) as third:
        assert third.status == 200


def test_all_streams_through_one_proxy_leave_half_of_its_connections_for_requests() -> None:
    assert MAX_STREAMS <= MAX_PER_ADDRESS // 2


async def test_the_streams_of_one_manager_leave_room_for_those_of_another(
    agent: LiveAgent, tmp_path: Path, http: ClientSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("connectors.serving.stream_slots.MAX_STREAMS_PER_MANAGER", 1)
    secrets = {manager: new_key(manager, None, None) for manager in ("one", "other")}
    save_keys(tmp_path / "keys.json", [key for _, key in secrets.values()])
    one, other = ({"Authorization": f"Bearer {secret}"} for secret, _ in secrets.values())
    async with serving(agent, tmp_path) as url, http.get(url, headers=one) as first:
        await event(first.content)
        async with http.get(url, headers=one) as second:
            assert second.status == 429
        async with http.get(url, headers=other) as third:
            assert third.status == 200
        agent.close()


async def test_a_broker_that_goes_away_ends_a_stream_that_has_begun(
    agent: LiveAgent, url: str, http: ClientSession
) -> None:
    async with http.get(url) as response:
        await event(response.content)
        agent.fails = True
        agent.close()
        assert await response.content.read() == b""


@pytest.mark.parametrize(
    ("limit", "most", "size", "kept"),
    [
        ("MAX_WAITING", 2, 1, 2),
        ("MAX_WAITING_BYTES", 30, 10, 3),
        ("MAX_WAITING_BYTES", 30, 31, 1),
    ],
)
async def test_a_listener_that_lags_too_far_behind_hears_what_waits_and_then_the_end(
    monkeypatch: pytest.MonkeyPatch, limit: str, most: int, size: int, kept: int
) -> None:
    monkeypatch.setattr(f"connectors.kafka.listener.{limit}", most)
    listener = Listener("default")
    for number in range(4):
        listener.offer(LiveNotification(NOTIFICATION, (number,), size))
    assert [heard.positions async for heard in listener] == [(number,) for number in range(kept)]
