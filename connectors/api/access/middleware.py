"""Access to the API: with an API key or, while there are none, from this machine only."""

from ipaddress import ip_address

from aiohttp import web
from aiohttp.typedefs import Handler, Middleware
from yarl import URL

from connectors.api.access.keys import ApiKey, ApiKeys
from connectors.api.access.rates import CallRates
from connectors.api.answers import answer
from schemas.codes import Code

DEFAULT_MANAGER = "default"
NO_KEY = ApiKey("", "", DEFAULT_MANAGER)
"""Stands for the key of a caller who needs none."""
_KEY = web.RequestKey("key", ApiKey)


def caller(request: web.Request) -> ApiKey:
    """Return the key of a request that the middleware has admitted."""
    return request[_KEY]


def set_caller(request: web.Request, key: ApiKey) -> None:
    """Note with which key a request is admitted."""
    request[_KEY] = key


def access_middleware(keys: ApiKeys, rates: CallRates, *open_paths: str) -> Middleware:
    """Return a middleware that admits callers, everybody to ``open_paths``.

    ``rates`` counts the calls of each key.
    """

    @web.middleware
    async def guard(request: web.Request, handler: Handler) -> web.StreamResponse:
        if request.path in open_paths:
            return await handler(request)
        key = _admit(request, keys)
        if isinstance(key, str):
            refusal = answer(Code.NO_ACCESS, detail=key)
            refusal.headers["WWW-Authenticate"] = "Bearer"
            return refusal
        if key.per_minute is not None and (wait := rates.take(key.id, key.per_minute)):
            detail = f"This key allows {key.per_minute} requests a minute."
            refusal = answer(Code.QUOTA, detail=detail)
            refusal.headers["Retry-After"] = str(int(wait) + 1)
            return refusal
        set_caller(request, key)
        return await handler(request)

    return guard


def is_loopback(host: str) -> bool:
    """Whether a host name or address is this machine's loopback.

    >>> is_loopback("[::1]"), is_loopback("192.168.1.2")
    (True, False)
    """
    try:
        return ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return host.lower().rstrip(".") == "localhost"


def _admit(request: web.Request, keys: ApiKeys) -> ApiKey | str:
    """Return the caller's key, or why the call is refused."""
    if not keys.required:
        return foreign_page(request) or NO_KEY
    scheme, _, secret = request.headers.get("Authorization", "").partition(" ")
    found = keys.find(secret.strip()) if scheme.lower() == "bearer" else None
    return found or "Send an API key in the header Authorization: Bearer …"


def foreign_page(request: web.Request) -> str | None:
    """Return why a call from a browser is refused, None if it is not.

    Without keys, any web page in a browser on this machine could call the API. A page from
    another site has another Origin; one with a name that was made to lead here (DNS rebinding)
    has another Host.
    """
    host, origin = request.host, request.headers.get("Origin")
    if not is_loopback(URL(f"http://{host}").host or ""):
        return (
            f"Without API keys the API answers only on loopback, not on {host!r}: call "
            "127.0.0.1, or create a key with 'vokter keys add MANAGER'."
        )
    if origin is not None and origin.partition("//")[2] != host:
        return f"Without API keys web pages of {origin!r} may not call the API."
    return None
