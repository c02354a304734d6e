"""A client of language models: any server with OpenAI's chat completions."""

import asyncio
import json
from time import time
from typing import Any, Self

from aiohttp import ClientResponse, ClientTimeout
from yarl import URL

from connectors.http.egress import EgressGuard
from connectors.http.errors import NETWORK_ERRORS, failure_reason
from connectors.http.headers import parse_retry_after
from connectors.http.session import guarded_session
from schemas.records.answers import ModelQuery, ModelReply

MAX_ANSWER = 256 * 1024
"""Bytes of an answer."""
MAX_TOKENS = 800
"""The most tokens of an answer."""
KEEPALIVE_S = 15.0
PAUSE_S = 2.0
"""The pause before another request to a busy server, without a wish of the server."""
CHARACTERS_OF_A_TOKEN = 4
"""About as many, where a server does not count."""
BUSY = (429, 503)
REFUSED = (400, 404, 415, 422)
"""Statuses of a server for an unknown option, also for an unknown model."""


class ModelClient:
    """Asks a model; an async context manager.

    >>> url = "http://127.0.0.1:11434/v1"
    >>> async with ModelClient(guard, url, "llama3") as model:  # doctest: +SKIP
    ...     reply = await model.ask(query)
    """

    def __init__(
        self,
        guard: EgressGuard,
        url: str,
        name: str,
        *,
        key: str = "",
        timeout_s: float = 20.0,
        at_once: int = 4,
    ) -> None:
        """Ask for the model ``name`` at a base ``url``, with a ``key`` if needed."""
        self._guard = guard
        self._url = URL(url.rstrip("/") + "/chat/completions")
        self._name = name
        self._headers = {"Authorization": f"Bearer {key}"} if key else {}
        self._timeout_s = timeout_s
        self._turns = asyncio.Semaphore(at_once)
        self._form = 0
        """The first of ``_forms`` not refused by the server."""

    async def __aenter__(self) -> Self:
        self._session = guarded_session(
            self._guard, ClientTimeout(total=None), None, keepalive=KEEPALIVE_S
        )
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._session.close()

    async def ask(self, query: ModelQuery) -> ModelReply:
        """Ask a question in its turn, all within the timeout; an error is returned."""
        is_asked = False
        try:
            async with asyncio.timeout(self._timeout_s), self._turns:
                is_asked = True
                return await self._asked(query)
        except TimeoutError:
            # Without a turn, other questions were slow: the model may answer the next.
            limit = f"{self._timeout_s:g} s (VOKTER_MODEL_TIMEOUT)"
            if is_asked:
                reason = f"the model gave no answer within {limit}"
            else:
                reason = f"the model had other questions within {limit}"
            return ModelReply("", 0, reason, is_away=is_asked)
        except NETWORK_ERRORS as error:
            reason = f"the model cannot be reached: {failure_reason(error)}"
            return ModelReply("", 0, reason, is_away=True)

    async def _asked(self, query: ModelQuery) -> ModelReply:
        forms, form = _forms(self._name, query), self._form
        while True:
            body = forms[form]
            async with self._session.post(
                self._url, json=body, headers=self._headers, allow_redirects=False
            ) as response:
                status, content = response.status, await _bounded(response)
                pause = parse_retry_after(response.headers.get("Retry-After"), time())
            if status in REFUSED and form < len(forms) - 1:
                form += 1
            elif status in BUSY:
                await asyncio.sleep(pause or PAUSE_S)  # until the time is over
            elif status != 200:
                return ModelReply("", 0, f"the model answered with HTTP {status}", is_away=True)
            else:
                self._form = form
                return _reply(body, content)


def _forms(name: str, query: ModelQuery) -> list[dict[str, Any]]:
    """Return the body of a question, in forms with ever less for the server to know."""
    schema = json.loads(query.schema)
    plain = {
        "model": name,
        "messages": [
            {"role": "system", "content": query.instructions},
            {"role": "user", "content": query.data},
        ],
    }
    bounded = {**plain, "temperature": 0, "max_tokens": MAX_TOKENS}
    structure = {"name": query.name, "strict": True, "schema": schema}
    structured = {"response_format": {"type": "json_schema", "json_schema": structure}}
    return [{**bounded, **structured}, {**plain, **structured}, bounded, plain]


def _reply(body: dict[str, Any], content: bytes) -> ModelReply:
    try:
        found = json.loads(content)
        text = found["choices"][0]["message"]["content"]
    except (ValueError, LookupError, TypeError, RecursionError):
        text = found = None
    if not isinstance(text, str):
        return ModelReply("", 0, "the answer of the model's server is no chat completion")
    usage = found.get("usage")
    total = usage.get("total_tokens") if isinstance(usage, dict) else None
    if isinstance(total, int) and not isinstance(total, bool) and 0 < total < 2**31:
        return ModelReply(text, total)
    asked = sum(len(each["content"]) for each in body["messages"])
    return ModelReply(text, (asked + len(text)) // CHARACTERS_OF_A_TOKEN)


async def _bounded(response: ClientResponse) -> bytes:
    """Read an answer; raises ValueError for a too large answer."""
    found = bytearray()
    async for chunk in response.content.iter_any():
        found += chunk
        if len(found) > MAX_ANSWER:
            raise ValueError(f"the answer has more than {MAX_ANSWER} bytes")
    return bytes(found)
