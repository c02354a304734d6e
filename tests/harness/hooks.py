"""Webhooks that record their notifications and answer as a test demands."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from itertools import islice
from time import time
from typing import Any
from uuid import uuid4

from aiohttp import web

from tests.harness.waiting import until
from tests.harness.web import served


@dataclass(frozen=True, slots=True)
class Post:
    """One POST as it came, the status that it was answered with, and when (epoch s)."""

    headers: Mapping[str, str]
    raw: bytes
    status: int = 204
    at: float = field(default_factory=time)

    @property
    def id(self) -> str:
        return self.headers["webhook-id"]

    @property
    def body(self) -> dict[str, Any]:
        body: dict[str, Any] = json.loads(self.raw)
        return body


def _original(body: dict[str, Any]) -> dict[str, Any]:
    """Return the first fields of a body; those of its entries are the first, too."""
    assert list(body)[:3] == ["status", "url", "diffs"]
    diffs = [dict(islice(diff.items(), 4)) for diff in body["diffs"]]
    return {"status": body["status"], "url": body["url"], "diffs": diffs}


@dataclass
class Hook:
    """A receiver; answers the ``script``'s statuses in turn, then 204, each after ``delay`` s.

    It ``echoes`` challenges, or answers them with nothing.
    """

    url: str
    posts: list[Post] = field(default_factory=list)
    script: list[int] = field(default_factory=list)
    delay: float = 0.0
    echoes: bool = True
    asked: list[str] = field(default_factory=list)

    @property
    def bodies(self) -> list[dict[str, Any]]:
        return [post.body for post in self.posts]

    async def notified(self, times: int = 1) -> list[dict[str, Any]]:
        """Wait for so many POSTs in total and return their bodies."""
        await until(lambda: len(self.posts) >= times, f"{self.url} is notified {times} times")
        return self.bodies

    def confirm(self, word: str) -> web.Response:
        """Answer one challenge."""
        self.asked.append(word)
        return web.Response(text=word if self.echoes else "")

    def answer(self, headers: Mapping[str, str], raw: bytes) -> web.Response:
        """Answer one POST."""
        status = self.status(headers["webhook-id"])
        self.posts.append(Post(headers, raw, status))
        return web.Response(status=status)

    def status(self, name: str) -> int:
        """Choose what to answer a notification, by its id."""
        return self.script.pop(0) if self.script else 204

    async def promised(self, times: int = 1) -> list[dict[str, Any]]:
        """Wait for so many POSTs, and return of each body what the original had, in its order."""
        return [_original(body) for body in await self.notified(times)]


class Hooks:
    """A server of receivers; while ``gate`` is closed, none of them answers.

    ``cut_off`` counts the requests with a sender that did not wait for the answer.
    """

    def __init__(self) -> None:
        self.base = ""
        self.gate = asyncio.Event()
        self.gate.set()
        self.held: list[web.Request] = []
        self.cut_off = 0
        self._hooks: dict[str, Hook] = {}

    def add(self, kind: Callable[[str], Hook] = Hook) -> Hook:
        """Add a receiver with a new path."""
        path = f"/hook/{uuid4().hex}"
        hook = self._hooks[path] = kind(self.base + path)
        return hook

    def all(self) -> list[Hook]:
        """All receivers."""
        return list(self._hooks.values())

    def dropped(self) -> int:
        """Count the POSTs with a sender that died before the answer."""
        return sum(_is_dropped(request) for request in self.held)

    async def answer(self, request: web.Request) -> web.Response:
        """Answer a POST once the gate is open, if anybody is still there to hear of it."""
        hook, raw = self._hooks.get(request.path), await request.read()
        self.held.append(request)
        await self.gate.wait()
        await asyncio.sleep(hook.delay if hook else 0)
        self.held.remove(request)
        if hook is None or _is_dropped(request):
            self.cut_off += 1
            return web.Response(status=404)
        if request.method == "GET":
            return hook.confirm(request.query["challenge"])
        return hook.answer(request.headers.copy(), raw)


def _is_dropped(request: web.Request) -> bool:
    return request.transport is None or request.transport.is_closing()


@asynccontextmanager
async def receivers() -> AsyncIterator[Hooks]:
    """Listen until left."""
    hooks = Hooks()
    async with served(hooks.answer) as urls:
        hooks.base = urls[0]
        yield hooks
