"""The stream of server-sent events as a client reads it."""

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from aiohttp import ClientSession

from tests.harness.processes import Deployment


class Stream:
    """What is heard of one document."""

    def __init__(self, content: Any, url: str) -> None:
        self._content = content
        self._url = url

    async def next(self) -> tuple[str, list[str]]:
        """The id of the next event of the document (or the first event) and its keywords."""
        while True:
            lines = (await self._content.readuntil(b"\r\n\r\n")).decode().splitlines()
            fields = dict(line.split(": ", 1) for line in lines if line)
            notified = json.loads(fields.get("data", "null"))
            if notified == {} or (notified is not None and notified["url"] == self._url):
                return fields["id"], [diff["keyword"] for diff in notified.get("diffs", ())]


@asynccontextmanager
async def listening(shared: Deployment, url: str, last: str = "") -> AsyncIterator[Stream]:
    place = f"http://127.0.0.1:{shared.settings.port}/vokter/v1/events"
    headers = {"Last-Event-ID": last} if last else {}
    async with ClientSession() as http, http.get(place, headers=headers) as response:
        assert response.status == 200
        yield Stream(response.content, url)
