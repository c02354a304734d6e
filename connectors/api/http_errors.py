"""Answers, as JSON like the others, to calls outside of all handlers."""

import re

import structlog
from aiohttp import web
from aiohttp.typedefs import Handler
from yarl import URL

from connectors.api.answers import answer
from connectors.stores.errors import StoreUnavailable
from schemas.records.codes import Code

log = structlog.get_logger()

HEADERS = {"Cross-Origin-Resource-Policy": "same-origin", "X-Content-Type-Options": "nosniff"}
_HOST = re.compile(r"[A-Za-z0-9._~!$&'()*+,;=%\[\]:-]+")


@web.middleware
async def http_errors(request: web.Request, handler: Handler) -> web.StreamResponse:
    """Answer calls with an invalid Host, an unknown path or method, or while the store is away."""
    hosts = request.headers.getall("Host", [])
    if len(hosts) != 1 or not is_host(hosts[0]):
        detail = f"Host: expected one host name with or without a port, not {', '.join(hosts)!r}"
        return answer(Code.INVALID_HTTP, detail=detail)
    try:
        return await handler(request)
    except web.HTTPNotFound:
        return answer(Code.UNKNOWN, detail=f"There is no path {request.path!r}.")
    except web.HTTPMethodNotAllowed as error:
        allowed = ", ".join(sorted(error.allowed_methods))
        detail = f"{request.path} allows {allowed}, not {error.method}."
        refusal = answer(Code.NO_SUCH_METHOD, detail=detail)
        refusal.headers["Allow"] = allowed
        return refusal
    except StoreUnavailable as error:
        log.warning("the store does not answer", error=str(error), once_a_minute="store")
        return answer(Code.NO_ANSWER, detail="The store does not answer.")


async def add_headers(_: web.Request, response: web.StreamResponse) -> None:
    """Forbid browsers to take an answer for a page, or to show the answer in a foreign page."""
    response.headers.update(HEADERS)


def no_http(reason: str) -> web.Response:
    """Answer an unparsable call, which no middleware sees."""
    refusal = answer(Code.INVALID_HTTP, detail=reason)
    refusal.headers.update(HEADERS)
    return refusal


def is_host(text: str) -> bool:
    """Decide whether a text is a host with or without a port (RFC 9110, section 7.2).

    >>> is_host("localhost:9000"), is_host("[::1]"), is_host("a/b"), is_host("a:99999")
    (True, True, False, False)
    """
    if not _HOST.fullmatch(text):
        return False
    try:
        url = URL(f"http://{text}/")
    except ValueError:
        return False
    return bool(url.host) and url.user is None
