"""Send answers of any size: rendered in threads, in chunks, while the client reads."""

import asyncio
import json
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from functools import partial
from typing import Any, TypeVar

from aiohttp import web

from connectors.turns import Turns

T = TypeVar("T")

THREADS = 2
PIECE = 64 * 1024
"""Characters of a text rendered without a pause."""
CHUNK = 256 * 1024
"""Bytes rendered ahead of the client."""
SEND_TIMEOUT_S = 60.0
MAX_ANSWERS = 16
"""Answers from the store prepared and sent at a time."""
MAX_ANSWERS_PER_MANAGER = 4
MAX_WAITING_PER_MANAGER = 100


class Sender:
    """The threads in which answers are rendered, and the order of turns."""

    def __init__(self) -> None:
        """Start no thread yet."""
        self.turns = Turns(MAX_ANSWERS, MAX_ANSWERS_PER_MANAGER, MAX_WAITING_PER_MANAGER)
        self._threads = ThreadPoolExecutor(THREADS, "render")

    async def render(self, work: Callable[[], T]) -> T:
        """Run blocking work in a thread, in the context of the caller."""
        loop, run = asyncio.get_running_loop(), copy_context().run
        return await loop.run_in_executor(self._threads, run, work)

    def close(self) -> None:
        """Drop waiting work."""
        self._threads.shutdown(wait=False, cancel_futures=True)


SENDER = web.AppKey("sender", Sender)


async def send_json(request: web.Request, value: dict[str, Any]) -> web.StreamResponse:
    """Send an object; iterators among its values become lists."""
    return await send(request, _chunks(json_pieces(value)), "application/json")


async def send(
    request: web.Request, chunks: Iterator[bytes], content_type: str, **headers: str
) -> web.StreamResponse:
    """Send chunks taken singly by a thread, each after the client has read the last."""
    next_chunk = partial(request.app[SENDER].render, partial(next, chunks, b""))
    chunk = await next_chunk()
    is_text = not content_type.startswith("image/")
    headers["Content-Type"] = f"{content_type}; charset=utf-8" if is_text else content_type
    if len(chunk) < CHUNK:
        return web.Response(body=chunk, headers=headers)
    response = web.StreamResponse(headers=headers)
    await response.prepare(request)
    try:
        async with asyncio.timeout(SEND_TIMEOUT_S):
            while chunk and request.method != "HEAD":
                await response.write(chunk)
                chunk = await next_chunk()
    except TimeoutError:
        if request.transport is not None:
            request.transport.abort()  # a slow reader would keep others waiting
    return response


def json_pieces(value: Any) -> Iterator[str]:
    """Yield a value as JSON, in pieces quick to render.

    >>> "".join(json_pieces({"words": iter(["a", 1])}))
    '{"words": ["a", 1]}'
    """
    if isinstance(value, dict):
        yield "{"
        for number, (name, item) in enumerate(value.items()):
            yield f"{', ' if number else ''}{json.dumps(name)}: "
            yield from json_pieces(item)
        yield "}"
    elif isinstance(value, Iterator):
        yield "["
        for number, item in enumerate(value):
            yield ", " if number else ""
            yield from json_pieces(item)
        yield "]"
    elif isinstance(value, str):
        yield '"'
        for start in range(0, len(value), PIECE):
            yield json.dumps(value[start : start + PIECE])[1:-1]
        yield '"'
    else:
        yield json.dumps(value)


def chunks_of(body: bytes) -> Iterator[bytes]:
    """Yield a body in chunks."""
    return (body[start : start + CHUNK] for start in range(0, len(body), CHUNK))


def _chunks(pieces: Iterator[str]) -> Iterator[bytes]:
    found, size = list[str](), 0
    for piece in pieces:
        found.append(piece)
        size += len(piece)
        if size >= CHUNK:
            yield "".join(found).encode("ascii")
            found, size = [], 0
    if size:
        yield "".join(found).encode("ascii")
