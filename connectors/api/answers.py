"""The REST answers, one for each code."""

from collections.abc import Sequence
from typing import Any

from aiohttp import web

from schemas.records.codes import Code
from schemas.records.faults import Fault, Refusal


def answer(code: int, **more: Any) -> web.Response:
    """Return the HTTP response for a code; fields in ``more`` that are empty are left out."""
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
