"""The REST answers, by code, and the bodies of requests."""

import asyncio
from collections.abc import Sequence
from typing import Any

from aiohttp import web

from connectors.serving.protocol import BODY_TIMEOUT_S
from schemas.codec.json_requests import parse_object, readable_request
from schemas.codec.json_values import InvalidRequestBody
from schemas.records.codes import Code
from schemas.records.faults import Fault, Refusal
from schemas.records.requests import ClientRequest

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


async def command_in(
    request: web.Request, action: str
) -> tuple[ClientRequest, tuple[Fault, ...]] | web.Response:
    """Read the readable part of the request in a body, and the faults.

    For a body without a request, the answer is returned.
    """
    body = await read_object(request)
    return body if isinstance(body, web.Response) else readable_request(action, body)


async def read_object(request: web.Request) -> dict[str, Any] | web.Response:
    """Read the JSON object in a body, or return the refusal."""
    try:
        async with asyncio.timeout(BODY_TIMEOUT_S):
            body = await request.read()
        return parse_object(body)
    except TimeoutError:
        return answer(Code.TOO_SLOW, detail=f"The body took longer than {BODY_TIMEOUT_S:g} s.")
    except InvalidRequestBody as error:
        return answer(Code.INVALID_FORMAT, detail=str(error))
    except web.HTTPRequestEntityTooLarge as error:
        return answer(Code.INVALID_FORMAT, detail=error.text)
