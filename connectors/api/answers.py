"""The REST answers, one for each code."""

from collections.abc import Callable, Sequence
from typing import Any

from aiohttp import web

from schemas.records.codes import Code
from schemas.records.faults import Fault, Refusal
from schemas.records.requests import ClientRequest

RefusalOf = Callable[[ClientRequest, Sequence[Fault]], Refusal | None]
"""Returns why a request is refused, with all that is wrong with it; None if it is valid.

The faults that are known already are among those of the refusal."""


def answer(code: int, **more: Any) -> web.Response:
    """Return the HTTP response for a code; fields in ``more`` that are empty are left out."""
    found = Code(code)
    extra = {name: value for name, value in more.items() if value}
    body = {"code": str(code), "message": found.message, **extra}
    return web.json_response(body, status=found.status)


def listed_faults(faults: Sequence[Fault]) -> list[dict[str, str]]:
    """Return the wrong fields of a request as answers list them."""
    return [each.as_json() for each in faults]
