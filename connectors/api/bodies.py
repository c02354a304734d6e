"""What is in the body of a call: a JSON object, most often a request."""

import asyncio
from typing import Any

from aiohttp import web

from connectors.api.answers import answer
from connectors.serving.protocol import BODY_TIMEOUT_S
from schemas.codec.json_requests import parse_object, readable_request
from schemas.codec.json_values import InvalidRequestBody
from schemas.records.codes import Code
from schemas.records.faults import Fault
from schemas.records.requests import ClientRequest


async def command_in(
    request: web.Request, action: str
) -> tuple[ClientRequest, tuple[Fault, ...]] | web.Response:
    """Read what can be read of the request in a body, and what cannot.

    What is no body of a request gets the answer that is returned.
    """
    body = await read_object(request)
    return body if isinstance(body, web.Response) else readable_request(action, body)


async def read_object(request: web.Request) -> dict[str, Any] | web.Response:
    """Read the JSON object in a body, or return the answer that refuses it."""
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
