"""The REST answers, by code, and the bodies of requests."""

import asyncio
from collections.abc import Sequence
from typing import Any

from aiohttp import web
from aiohttp.typedefs import Handler

from connectors.serving.protocol import BODY_TIMEOUT_S
from schemas.codec.json_requests import parse_object, readable_subscribe
from schemas.codec.json_values import InvalidRequestBody
from schemas.records.codes import Code
from schemas.records.faults import Fault, Refusal
from schemas.records.requests import Subscribe

IDEMPOTENCY_KEY = "Idempotency-Key"
"""The header with which a repeated request is recognised."""


def answer(code: int, **more: Any) -> web.Response:
    """Return the HTTP response for a code; empty fields in ``more`` are left out."""
    found = Code(code)
    extra = {name: value for name, value in more.items() if value}
    body = {"code": str(code), "message": found.message, **extra}
    return web.json_response(body, status=found.status)


def listed_faults(faults: Sequence[Fault]) -> list[dict[str, str]]:
    """Return the wrong fields of a request as answers list them."""
    return [each.as_json() for each in faults]


def refused(refusal: Refusal, retry_after: int = 0) -> web.Response:
    """Return the response for a refusal; the same may be tried after so many seconds, if not 0."""
    errors = listed_faults(refusal.faults)
    response = answer(refusal.code, detail=refusal.detail, errors=errors)
    if retry_after:
        response.headers["Retry-After"] = str(retry_after)
    return response


class CallRefused(Exception):
    """A refused call, which ``answer_refusals`` answers."""

    def __init__(self, code: int, detail: str | None = "") -> None:
        """``detail`` says why."""
        super().__init__(detail)
        self.response = answer(code, detail=detail)


@web.middleware
async def answer_refusals(request: web.Request, handler: Handler) -> web.StreamResponse:
    """Answer the calls refused by their handlers."""
    try:
        return await handler(request)
    except CallRefused as refused:
        return refused.response


async def read_subscribe(request: web.Request) -> tuple[Subscribe, tuple[Fault, ...]]:
    """Read the readable part of the subscription in a body, and the faults; raises CallRefused."""
    return readable_subscribe(await read_object(request))


async def read_object(request: web.Request) -> dict[str, Any]:
    """Read the JSON object in a body; raises CallRefused."""
    try:
        async with asyncio.timeout(BODY_TIMEOUT_S):
            body = await request.read()
        return parse_object(body)
    except TimeoutError:
        detail = f"The body took longer than {BODY_TIMEOUT_S:g} s."
        raise CallRefused(Code.TOO_SLOW, detail) from None
    except InvalidRequestBody as error:
        raise CallRefused(Code.INVALID_FORMAT, str(error)) from None
    except web.HTTPRequestEntityTooLarge as error:
        raise CallRefused(Code.INVALID_FORMAT, error.text) from None
