"""The REST answers, one for each code."""

from typing import Any

from aiohttp import web

from schemas.codes import Code


def answer(code: int, **more: Any) -> web.Response:
    """Return the HTTP response for a code; fields in ``more`` that are empty are left out."""
    found = Code(code)
    extra = {name: value for name, value in more.items() if value}
    body = {"code": str(code), "message": found.message, **extra}
    return web.json_response(body, status=found.status)
