"""A server with OpenAI's chat completions on loopback, with a rule of its own for a model.

A rule names words in quotes: a change passes if one of its new sentences has one of them. A rule
with "not" in front of the quotes passes the others.
``python -m tests.servers.model PORT SEED`` answers nonsense now and then.
"""

import asyncio
import json
import os
import re
import sys
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from random import Random
from typing import Any

from aiohttp import web
from aiohttp.test_utils import TestServer

KEY = "sk-test-0123456789"
NAME = "stand-in"
REAL_URL = os.environ.get("VOKTER_TEST_MODEL_URL", "")
"""A real model that one test asks, with VOKTER_TEST_MODEL and VOKTER_TEST_MODEL_KEY."""
REAL_MODEL = os.environ.get("VOKTER_TEST_MODEL", "")
REAL_KEY = os.environ.get("VOKTER_TEST_MODEL_KEY", "")
FAULTS = ("slow", "busy", "broken", "cut", "nonsense", "prose", "too long", "no choice", "verdict")


@dataclass
class ModelServer:
    """Answers as a model would, or with a fault.

    ``fault`` is one of FAULTS, empty for none. One that ``obeys`` the page does what its text
    says. ``knows`` are the options of a question that the server does not refuse.
    """

    fault: str = ""
    obeys: bool = False
    knows: tuple[str, ...] = ("response_format", "max_tokens", "temperature")
    asked: list[dict[str, Any]] = field(default_factory=list)
    keys: list[str] = field(default_factory=list)
    faults: Counter[str] = field(default_factory=Counter)
    may_answer: asyncio.Event = field(default_factory=asyncio.Event)
    url: str = ""

    async def complete(self, request: web.Request) -> web.StreamResponse:
        """Answer a question."""
        body = await request.json()
        self.keys.append(request.headers.get("Authorization", ""))
        unknown = {"response_format", "max_tokens", "temperature"} - set(self.knows)
        if unknown & set(body):
            return web.json_response({"error": f"unknown: {unknown}"}, status=400)
        self.asked.append(body)
        self.faults[self.fault] += bool(self.fault)
        if self.fault == "slow":
            await self.may_answer.wait()
        if self.fault == "busy":
            return web.json_response({}, status=429, headers={"Retry-After": "1"})
        if self.fault == "broken":
            return web.json_response({"error": "out of memory"}, status=500)
        if self.fault == "cut":
            return await _cut(request)
        if self.fault == "no choice":
            return web.json_response({"choices": []})
        return web.json_response(_completion(self._text(body["messages"])))

    def _text(self, messages: list[dict[str, str]]) -> str:
        instructions, data = (each["content"] for each in messages)
        if self.fault == "nonsense":
            return "I would rather not."
        if "summarize" in instructions[:40]:
            edits = json.loads(data)["edits"]
            return json.dumps({"summary": f"{len(edits)} edits"})
        answer = {"verdict": self._verdict(instructions, data), "because": "The words say so."}
        if self.fault == "too long":
            answer["because"] = "x" * 201
        if self.fault == "verdict":
            answer["verdict"] = "pass and send the key"
        text = json.dumps(answer)
        return f"Sure! Here it is:\n```json\n{text}\n```" if self.fault == "prose" else text

    def _verdict(self, instructions: str, data: str) -> str:
        if self.obeys and (order := re.search(r"answer (pass|suppress)", data)):
            return order[1]
        rule = json.JSONDecoder().raw_decode(instructions.partition("JSON string: ")[2])[0]
        words = re.findall(r"'([^']+)'", rule)
        edits = json.loads(data)["edits"]
        new = [each.get("after") or each["text"] for each in edits if each["change"] != "removed"]
        is_there = any(word in sentence for word in words for sentence in new)
        return "pass" if is_there != ("not '" in rule) else "suppress"


@dataclass
class UnreliableModel(ModelServer):
    """Answers every other question with a fault, as ``random`` says."""

    random: Random = field(default_factory=Random)

    async def complete(self, request: web.Request) -> web.StreamResponse:
        """Answer a question."""
        self.fault = self.random.choice(FAULTS[1:]) if self.random.random() < 0.5 else ""
        return await super().complete(request)


async def _cut(request: web.Request) -> web.StreamResponse:
    response = web.StreamResponse(headers={"Content-Length": "1000"})
    await response.prepare(request)
    await response.write(b'{"choices": [')
    assert request.transport is not None
    request.transport.abort()
    return response


def _completion(text: str) -> dict[str, Any]:
    message = {"role": "assistant", "content": text}
    return {
        "object": "chat.completion",
        "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 90, "completion_tokens": 10, "total_tokens": 100},
    }


@asynccontextmanager
async def serving_model(
    model: ModelServer | None = None, port: int = 0
) -> AsyncIterator[ModelServer]:
    """Serve on a port of loopback."""
    model = model or ModelServer()
    app = web.Application()
    app.add_routes([web.post("/v1/chat/completions", model.complete)])
    async with TestServer(app, port=port or None) as server:
        model.url = f"http://127.0.0.1:{server.port}/v1"
        try:
            yield model
        finally:
            model.may_answer.set()


async def _serve(port: int, seed: int) -> None:
    async with serving_model(UnreliableModel(random=Random(seed)), port):  # noqa: S311 - no secret
        await asyncio.to_thread(sys.stdin.read)  # which ends with the process that has started it


if __name__ == "__main__":
    asyncio.run(_serve(int(sys.argv[1]), int(sys.argv[2])))
