"""Calls with an API key; while there are no keys, those from this machine only."""

from aiohttp import web
from aiohttp.typedefs import Handler, Middleware

from connectors.access.callers import NO_KEY, RoleMissing, caller, foreign_page, set_caller
from connectors.access.keys import ApiKey, ApiKeys
from connectors.access.rates import CallRates
from connectors.access.routes import needed_role
from connectors.api.answers import answer
from schemas.records.codes import Code

_KEYS = web.RequestKey("keys", ApiKeys)


def access_middleware(keys: ApiKeys, rates: CallRates) -> Middleware:
    """Return a middleware which admits callers to the routes of their role.

    ``rates`` counts the calls of each key.
    """

    @web.middleware
    async def guard(request: web.Request, handler: Handler) -> web.StreamResponse:
        key = _admit(request, keys)
        if needed_role(request) is None:
            if isinstance(key, ApiKey):
                set_caller(request, key)
            return await handler(request)
        if isinstance(key, str):
            refusal = answer(Code.NO_ACCESS, detail=key)
            refusal.headers["WWW-Authenticate"] = "Bearer"
            return refusal
        if key.per_minute is not None and (wait := rates.take(key.id, key.per_minute)):
            detail = f"This key allows {key.per_minute} requests a minute."
            refusal = answer(Code.QUOTA, detail=detail)
            refusal.headers["Retry-After"] = str(int(wait) + 1)
            return refusal
        try:
            set_caller(request, key)
        except RoleMissing as error:
            return answer(Code.NO_ROLE, detail=str(error))
        request[_KEYS] = keys
        return await handler(request)

    return guard


def _admit(request: web.Request, keys: ApiKeys) -> ApiKey | str:
    """Return the caller's key, or why the call is refused."""
    if not keys.required:
        return foreign_page(request) or NO_KEY
    scheme, _, secret = request.headers.get("Authorization", "").partition(" ")
    found = keys.find(secret.strip()) if scheme.lower() == "bearer" else None
    return found or "Send an API key in the header Authorization: Bearer …"


def is_still_caller(request: web.Request) -> bool:
    """Whether the key of an admitted request is still valid."""
    return _admit(request, request[_KEYS]) == caller(request)
