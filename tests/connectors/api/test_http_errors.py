"""Calls that no handler sees to the end, on a real HTTP server."""

import asyncio
import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any
from unittest.mock import AsyncMock, Mock

import pytest
from aiohttp import ClientSession
from structlog.testing import capture_logs

from connectors.access.keys import ApiKeys
from connectors.access.rates import CallRates
from connectors.api import answers
from connectors.api.admission import access_middleware
from connectors.api.http_errors import http_errors, is_host
from connectors.api.jobs import RequestHandlers
from connectors.api.listing import ListingHandlers
from connectors.api.server import serve
from connectors.reads.next_checks import NextChecks
from connectors.requests.outcomes import ClientRequests
from connectors.serving import BASE
from connectors.stores.errors import StoreUnavailable
from infra.ports import any_free
from schemas.records.faults import refusal_by

# The handlers that are never asked are mocks.
pytestmark = pytest.mark.filterwarnings("ignore:Bare functions")


@pytest.fixture
async def port(tmp_path: Path) -> AsyncIterator[int]:
    """The whole server, with a register that refuses to be asked and a store that is away."""
    port = any_free()
    register, subscriptions = AsyncMock(), AsyncMock()
    register.ask.side_effect = AssertionError
    subscriptions.page.side_effect = StoreUnavailable("sqlite: locked")
    requests = ClientRequests(
        register, AsyncMock(), b"k" * 32, AsyncMock(), lambda _, unread: refusal_by(unread)
    )
    handlers: Any = AsyncMock(
        jobs=RequestHandlers(requests, subscriptions),
        listing=ListingHandlers(subscriptions, NextChecks(Mock(), Mock(), Mock())),
        events=Mock(),
    )
    guard = access_middleware(ApiKeys(tmp_path / "keys.json"), CallRates(lambda: 0.0))
    async with serve(handlers, [http_errors, guard], "127.0.0.1", port):
        yield port


@pytest.mark.parametrize(("method", "path", "status", "code", "detail"), [
    ("GET", "/", 404, "11", "There is no path '/'."),
    ("GET", f"{BASE}/subscription", 404, "11", f"There is no path '{BASE}/subscription'."),
    ("GET", f"{BASE}/subscribe", 405, "13", f"{BASE}/subscribe allows POST, not GET."),
    ("POST", f"{BASE}/feed", 405, "13", f"{BASE}/feed allows GET, HEAD, not POST."),
    ("GET", f"{BASE}/subscriptions", 503, "9", "The store does not answer."),
])  # fmt: skip
async def test_a_call_that_no_handler_answers_has_an_answer_like_the_others(
    port: int, method: str, path: str, status: int, code: str, detail: str
) -> None:
    url = f"http://127.0.0.1:{port}{path}"
    async with ClientSession() as http, http.request(method, url) as response:
        body = await response.json()
    assert (response.status, body["code"], body["detail"]) == (status, code, detail)
    assert response.headers["X-Content-Type-Options"] == "nosniff"
    assert ("Allow" in response.headers) == (status == 405)


@pytest.mark.parametrize("hosts", [
    [""], ["["], ["a b"], ["127.0.0.1:x"], ["127.0.0.1:99999"], ["user@localhost"],
    ["localhost/x"], ["localhost?x"], ["localhost#x"], [":9000"], ["hôte"],
])  # fmt: skip
async def test_a_call_without_one_valid_host_is_refused(port: int, hosts: list[str]) -> None:
    lines = ["GET / HTTP/1.1", *(f"Host: {host}" for host in hosts), "Connection: close", "", ""]
    with capture_logs() as logs:
        answer = await _exchange(port, "\r\n".join(lines).encode())
    assert answer.startswith(b"HTTP/1.1 400 ")
    assert b'"code": "14"' in answer
    assert logs == []


def _cancel(header: bytes, body: bytes) -> bytes:
    return b"POST /vokter/v1/cancel HTTP/1.1\r\nHost: localhost\r\n%b\r\n\r\n%b" % (header, body)


@pytest.mark.parametrize("sent", [
    b"nonsense\r\n\r\n",
    b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n",
    b"GET / HTTP/1.1\r\nHost: localhost\r\nno colon\r\n\r\n",
    b"GET /" + b"x" * 100_000 + b" HTTP/1.1\r\nHost: localhost\r\n\r\n",
    _cancel(b"Content-Encoding: gzip\r\nContent-Length: 4", b"text"),
    _cancel(b"Transfer-Encoding: chunked", b"text"),
])  # fmt: skip
async def test_a_call_that_is_no_http_has_an_answer_like_the_others(
    port: int, sent: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    with capture_logs() as logs:
        answer = await _exchange(port, sent)
    head, _, body = answer.partition(b"\r\n\r\n")
    assert head.startswith((b"HTTP/1.0 400 ", b"HTTP/1.1 400 "))
    assert b"Content-Type: application/json" in head
    assert b"X-Content-Type-Options: nosniff" in head
    found = json.loads(body)
    assert (found["code"], found["message"]) == ("14", "The HTTP request is invalid.")
    assert 0 < len(found["detail"]) < 500
    assert not caplog.records, "no traceback for what anybody may send"
    assert {line.get("once_a_minute") for line in logs} == {"a request is no HTTP"}


async def test_a_body_that_nobody_reads_and_nobody_can_decode_leaves_no_traceback(
    port: int, caplog: pytest.LogCaptureFixture
) -> None:
    gzip = b"Content-Encoding: gzip\r\nContent-Length: 4"
    with capture_logs() as logs:
        answer = await _exchange(port, _cancel(gzip, b"text").replace(b"/cancel", b"/nowhere"))
    assert answer.startswith(b"HTTP/1.1 404 ")
    assert not caplog.records
    assert {line.get("once_a_minute") for line in logs} == {"a request is no HTTP"}


async def _exchange(port: int, sent: bytes) -> bytes:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(sent)
    answer = await reader.read()
    writer.close()
    return answer


async def test_a_body_that_does_not_arrive_in_time_is_refused(
    port: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(answers, "BODY_TIMEOUT_S", 0.05)
    head = f"POST {BASE}/cancel HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n"
    answer = await _exchange(port, f"{head}Connection: close\r\n\r\n{{".encode())
    assert answer.startswith(b"HTTP/1.1 408 ")
    assert b'"code": "12"' in answer


@pytest.mark.parametrize(("field", "detail"), [
    ("ignorecase", "ignorecase: there is no such field; did you mean ignoreCase?"),
    ("intervall", "intervall: there is no such field; did you mean interval?"),
])  # fmt: skip
async def test_an_unknown_field_is_refused_with_the_nearest_known_one(
    port: int, field: str, detail: str
) -> None:
    body = {"documentUrl": "https://example.org/", "session": "me", "keywords": ["a"], field: 1}
    url = f"http://127.0.0.1:{port}{BASE}/subscribe"
    async with ClientSession() as http, http.post(url, json=body) as response:
        found = await response.json()
    assert (response.status, found["code"], found["detail"]) == (415, "6", detail)


def test_hosts_of_every_kind_are_valid() -> None:
    assert all(map(is_host, ["localhost", "127.0.0.1:9000", "[::1]:9000", "xn--hte-fla.example"]))
