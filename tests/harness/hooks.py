"""Webhooks that keep what they are told and answer as a test wants it."""

import json
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from itertools import count
from typing import Any

from aiohttp import web

from tests.harness.waiting import until
from tests.harness.web import served


@dataclass(frozen=True, slots=True)
class Post:
    """One POST as it came."""

    headers: Mapping[str, str]
    raw: bytes

    @property
    def id(self) -> str:
        return self.headers["webhook-id"]

    @property
    def body(self) -> dict[str, Any]:
        body: dict[str, Any] = json.loads(self.raw)
        return body


@dataclass
class Hook:
    """A receiver; answers the ``script``'s statuses in turn, then 204."""

    url: str
    posts: list[Post] = field(default_factory=list)
    script: list[int] = field(default_factory=list)

    @property
    def bodies(self) -> list[dict[str, Any]]:
        return [post.body for post in self.posts]

    async def told(self, times: int = 1) -> list[dict[str, Any]]:
        """Wait for so many POSTs in all and give their bodies."""
        await until(lambda: len(self.posts) >= times, f"{self.url} is told {times} times")
        return self.bodies

    async def answer(self, request: web.Request) -> web.Response:
        self.posts.append(Post(request.headers.copy(), await request.read()))
        return web.Response(status=self.script.pop(0) if self.script else 204)


class Hooks:
    """A server of receivers."""

    def __init__(self) -> None:
        self.base = ""
        self._hooks: dict[str, Hook] = {}
        self._numbers = count(1)

    def add(self) -> Hook:
        """Open a receiver of its own path."""
        path = f"/hook/{next(self._numbers)}"
        hook = self._hooks[path] = Hook(self.base + path)
        return hook

    async def answer(self, request: web.Request) -> web.Response:
        hook = self._hooks.get(request.path)
        return await hook.answer(request) if hook else web.Response(status=404)


@asynccontextmanager
async def receivers() -> AsyncIterator[Hooks]:
    """Listen until left."""
    hooks = Hooks()
    async with served(hooks.answer) as urls:
        hooks.base = urls[0]
        yield hooks
