"""Vokter as an assistant uses it: the SDK's own client, over HTTP and over a command's streams."""

import asyncio
import inspect
import json
import re
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import httpx2
import pytest
from aiohttp import web
from mcp import Client, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.exceptions import MCPError
from mcp.shared.subscriptions import ResourceUpdated
from mcp.types import CallToolResult, TextContent, TextResourceContents

from connectors.access.keys import new_key, save_keys
from connectors.access.roles import Role
from connectors.api.description import description
from connectors.mcp import server as server_module
from connectors.mcp import serving, tools
from connectors.mcp.server import UNTRUSTED
from connectors.mcp.serving import McpHandler
from connectors.mcp.sizes import MAX_ANSWER, bounded
from connectors.mcp.tools import TOOLS
from tests.connectors.api.test_openapi import NAME, PAGE, running_api
from tests.harness.web import served

READING = {tool.name for tool in TOOLS if not tool.writes}
MODES = ("auto", "legacy")
"""The protocol without a handshake, and the one with it."""


@pytest.fixture(scope="module")
def api(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with running_api(tmp_path_factory.mktemp("mcp")) as base:
        yield base


@pytest.fixture(params=["http", "stdio"])
def server(request: pytest.FixtureRequest, api: str) -> str | StdioServerParameters:
    if request.param == "http":
        return f"{api}/mcp"
    line = ["-m", "vokter", "mcp", "--api", api]
    return StdioServerParameters(command=sys.executable, args=line)


def said(result: CallToolResult) -> Any:
    """The JSON that a tool answered, after the note that it is no instruction."""
    note, answer = result.content
    assert isinstance(note, TextContent)
    assert isinstance(answer, TextContent)
    assert (result.is_error or False, note.text) == (False, UNTRUSTED)
    return json.loads(answer.text)


def refused(result: CallToolResult) -> str:
    assert result.is_error
    (reason,) = result.content
    assert isinstance(reason, TextContent)
    return reason.text


async def test_every_tool_is_there_by_both_transports(server: str | StdioServerParameters) -> None:
    async with Client(server) as client:
        tools = (await client.list_tools()).tools
    assert [tool.name for tool in tools] == [tool.name for tool in TOOLS]
    assert all(len(tool.description or "") < 300 for tool in tools)


@pytest.mark.parametrize("mode", MODES)
async def test_what_was_notified_can_be_asked_for(api: str, mode: str) -> None:
    async with Client(f"{api}/mcp", mode=mode) as client:
        listed = said(await client.call_tool("list_watches", {}))
        news = said(await client.call_tool("news", {"text": "greek"}))
        since = said(await client.call_tool("news", {"since": "2026-01-01"}))
    assert [each["id"] for each in listed["watches"]] == [NAME]
    assert [each["changes"][0]["keyword"] for each in news["news"]] == ["greek"]
    assert since == {"news": [], "next": None}


async def test_a_page_is_tried_watched_edited_and_no_longer_watched(api: str) -> None:
    url = "https://example.org/heroes"
    async with Client(f"{api}/mcp") as client:
        tried = said(await client.call_tool("try_page", {"url": url, "words": ["achilles"]}))
        made = said(await client.call_tool("watch", {"url": url, "words": ["achilles"]}))
        changed = {"watch": made["id"], "words": ["hector"], "options": {"tags": ["troy"]}}
        said(await client.call_tool("edit_watch", changed))
        found = said(await client.call_tool("list_watches", {"tag": "troy"}))["watches"]
        said(await client.call_tool("stop", {"watch": made["id"]}))
        left = said(await client.call_tool("list_watches", {"tag": "troy"}))["watches"]
        said(await client.call_tool("pause", {"watch": made["id"], "paused": False}))
        back = said(await client.call_tool("list_watches", {"tag": "troy"}))["watches"]
    assert tried["matches"][0]["keyword"] == "achilles"
    assert [(each["keywords"], each["session"]) for each in found] == [(["hector"], "assistant")]
    assert [(each["state"], bool(each.get("undoUntil"))) for each in left] == [("stopped", True)]
    assert [(each["state"], each["id"]) for each in back] == [("active", made["id"])]


async def test_the_history_of_a_watch_is_compared_and_searched(api: str) -> None:
    async with Client(f"{api}/mcp") as client:
        compared = said(await client.call_tool("compare", {"watch": NAME}))
        found = said(await client.call_tool("search_history", {"watch": NAME, "word": "argus"}))
        change = said(await client.call_tool("change", {"news": "n"}))
        seen = said(await client.call_tool("search_changes", {"words": "GREEK"}))
        series = said(await client.call_tool("series", {"watch": NAME}))
    assert compared["differences"]
    assert [each["word"] for each in found["occurrences"]] == ["Argus"]
    assert [each["change"] for each in seen["found"]] == ["c"]
    assert change["statement"]["notification"]["id"] == "n"
    assert series["numbers"] == []


async def test_what_was_suppressed_is_listed_and_sent_after_all(api: str) -> None:
    async with Client(f"{api}/mcp") as client:
        (found,) = said(await client.call_tool("suppressed", {}))["suppressed"]
        sent = said(await client.call_tool("send_suppressed", {"suppressed": found["id"]}))
        unknown = await client.call_tool("send_suppressed", {"suppressed": "../key"})
    assert (found["id"], found["because"]) == ("k", "It is about giants.")
    assert found["changes"][0]["keyword"] == "greek"
    assert sent["code"] == "0"
    assert refused(unknown)


PATH = re.compile(
    r'(?:rest\.get|rest\.post|context\)\.get|_of_watch)\(\s*(?:rest,\s*)?f?"([a-z-]+)'
)
WITHOUT_TOOL = {
    *("rotate", "credentials", "key", "evidence-key"),  # secrets
    *("events", "deliveries", "feed", "numbers/metrics", "openapi.json", "health", "mcp"),
    *("test", "backfill", "bulk", "rename", "words", "picture", "documents", "snapshots"),
}


def test_whatever_a_person_does_by_rest_an_assistant_can_do() -> None:
    source = inspect.getsource(tools) + inspect.getsource(server_module)
    asked = set(PATH.findall(source)) | {"pause", "resume"}
    paths = {path.strip("/").partition("/{")[0] for path in description()["paths"]}
    assert asked | WITHOUT_TOOL == paths
    assert not (asked - {"key"}) & WITHOUT_TOOL


async def test_wrong_arguments_are_refused_with_their_names(api: str) -> None:
    async with Client(f"{api}/mcp") as client:
        assert "'url' is a required" in refused(await client.call_tool("watch", {}))
        wrong = await client.call_tool("watch", {"url": "ftp://example.org/"})
        assert "documentUrl" in refused(wrong) or "URL" in refused(wrong)
        nobody = await client.call_tool("stop", {"watch": "../health"})
        assert refused(nobody)
        with pytest.raises(MCPError, match="no tool 'burn'"):
            await client.call_tool("burn", {})


async def test_a_read_key_sees_no_tool_that_writes_and_cannot_use_one(tmp_path: Path) -> None:
    secret, key = new_key("default", None, None, Role.READ)
    save_keys(tmp_path / "keys.json", [key])
    with running_api(tmp_path) as base:
        http = _with_key(secret)
        async with (
            http,
            Client(streamable_http_client(f"{base}/mcp", http_client=http)) as client,
        ):
            assert {tool.name for tool in (await client.list_tools()).tools} == READING
            answer = await client.call_tool("watch", {"url": "https://example.org/"})
            assert "role" in refused(answer)


def _with_key(secret: str) -> Any:
    return httpx2.AsyncClient(headers={"Authorization": f"Bearer {secret}"}, follow_redirects=True)


async def test_the_texts_and_changes_of_watches_are_resources(api: str) -> None:
    async with Client(f"{api}/mcp") as client:
        resources = (await client.list_resources()).resources
        mine = [each.uri for each in resources if NAME in each.uri]
        (text,) = (await client.read_resource(mine[0])).contents
        (changes,) = (await client.read_resource(mine[1])).contents
        with pytest.raises(MCPError, match="no resource"):
            await client.read_resource("vokter://watches/x/secrets")
    assert mine == [f"vokter://watches/{NAME}/text", f"vokter://watches/{NAME}/changes"]
    assert isinstance(text, TextResourceContents)
    assert isinstance(changes, TextResourceContents)
    assert "Argus" in json.loads(text.text)["read"]["text"]
    assert json.loads(changes.text)["note"] == UNTRUSTED


async def test_news_of_a_watch_are_updates_of_its_resources(api: str) -> None:
    uri = "vokter://watches/s/changes"  # the subscription of the notifications that stream
    async with (
        Client(f"{api}/mcp") as client,
        client.listen(resource_subscriptions=[uri]) as updates,
    ):
        update = await anext(aiter(updates))
    assert isinstance(update, ResourceUpdated)
    assert update.uri == uri


@asynccontextmanager
async def serving_events(status: int) -> AsyncIterator[str]:
    """Serve an API whose stream of events is refused or ends at once; yields the URL of its MCP."""

    async def handle(request: web.Request) -> web.StreamResponse:
        if request.path == "/mcp":
            return await handlers[0].handle(request)
        refused = {"message": "Too many streams."}
        return web.json_response(refused, status=status) if status != 200 else web.Response()

    handlers: list[McpHandler] = []
    async with served(handle) as (base,):
        handlers.append(McpHandler(base))
        yield f"{base}/mcp"
        await handlers[0].close()


async def test_a_stream_that_the_api_refuses_is_refused() -> None:
    async with serving_events(429) as url, Client(url) as client:
        with pytest.raises(MCPError, match="Too many streams"):
            async with client.listen(resource_subscriptions=["vokter://watches/s/text"]):
                pytest.fail("nothing would ever come")


async def test_a_stream_ends_with_that_of_the_api() -> None:
    watched = ["vokter://watches/s/text"]
    async with (
        asyncio.timeout(20),
        serving_events(200) as url,
        Client(url) as client,
        client.listen(resource_subscriptions=watched) as updates,
    ):
        assert [each async for each in updates] == []


async def test_a_server_that_could_not_start_is_started_by_the_next_request(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    starts = Mock(side_effect=[OSError("too many open files"), ImportError("mcp")])
    monkeypatch.setattr(serving, "_session_manager", starts)
    handler = McpHandler("http://127.0.0.1:1")
    with pytest.raises(OSError, match="too many open files"):
        await handler.handle(Mock())
    assert (await handler.handle(Mock())).status == 405


async def test_the_prompt_names_the_page_and_the_interest(api: str) -> None:
    async with Client(f"{api}/mcp") as client:
        given = {"url": PAGE, "interest": "new giants"}
        (message,) = (await client.get_prompt("watch_this", given)).messages
    assert isinstance(message.content, TextContent)
    assert f"Watch {PAGE} for me: new giants." in message.content.text


@pytest.mark.parametrize("letters", ["x", "ä", "\x00", "\N{ROCKET}"])
def test_an_answer_is_never_larger_than_its_bound(letters: str) -> None:
    news = [{"text": letters * 5_000, "diffs": [letters * 500] * 50} for _ in range(100)]
    assert len(bounded({"news": news}).encode()) <= MAX_ANSWER
    assert json.loads(bounded({"news": news}))
