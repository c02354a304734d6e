"""Who may call: API keys where there are some, else whoever is on this machine."""

from collections.abc import Callable
from dataclasses import dataclass
from ipaddress import ip_address

from aiohttp import web
from aiohttp.typedefs import Handler, Middleware
from yarl import URL

from connectors.api.access.keys import ApiKey, ApiKeys
from connectors.api.answers import NO_ACCESS, QUOTA, answer

MANAGER = "default"
NOBODY = ApiKey("", "", MANAGER)
"""Whoever calls without a key while none is needed."""
_KEY = web.RequestKey("key", ApiKey)


def caller(request: web.Request) -> ApiKey:
    """Give the key of a request that has been let in."""
    return request[_KEY]


def access_middleware(keys: ApiKeys, clock: Callable[[], float], *open_paths: str) -> Middleware:
    """Make the middleware that lets callers in; ``clock`` is monotonic, in seconds."""
    buckets: dict[str, _Bucket] = {}

    @web.middleware
    async def guard(request: web.Request, handler: Handler) -> web.StreamResponse:
        if request.path in open_paths:
            return await handler(request)
        key = _let_in(request, keys)
        if isinstance(key, str):
            refusal = answer(NO_ACCESS, detail=key)
            refusal.headers["WWW-Authenticate"] = "Bearer"
            return refusal
        if key.per_minute is not None:
            bucket = buckets.setdefault(key.id, _Bucket(key.per_minute, clock()))
            wait = bucket.take(key.per_minute, clock())
            if wait:
                refusal = answer(QUOTA, detail=f"{key.per_minute} requests a minute are allowed")
                refusal.headers["Retry-After"] = str(int(wait) + 1)
                return refusal
        request[_KEY] = key
        return await handler(request)

    return guard


def is_loopback(host: str) -> bool:
    """Whether a host name or address means this machine only."""
    try:
        return ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return host.lower().rstrip(".") == "localhost"


@dataclass(slots=True)
class _Bucket:
    """A token bucket: a minute's calls may come at once, then they come evenly."""

    left: float
    at: float

    def take(self, per_minute: int, now: float) -> float:
        """Take one token; gives the seconds to wait where there is none."""
        rate = per_minute / 60
        self.left = min(per_minute, self.left + (now - self.at) * rate)
        self.at = now
        if self.left < 1:
            return (1 - self.left) / rate
        self.left -= 1
        return 0.0


def _let_in(request: web.Request, keys: ApiKeys) -> ApiKey | str:
    """Give the caller's key, or why there is none."""
    if not keys.required:
        return _stray_page(request) or NOBODY
    scheme, _, secret = request.headers.get("Authorization", "").partition(" ")
    found = keys.find(secret.strip()) if scheme.lower() == "bearer" else None
    return found or "send an API key in the header Authorization: Bearer …"


def _stray_page(request: web.Request) -> str | None:
    """Without keys, any web page in a browser of this machine could call us.

    One from elsewhere tells by its Origin; one whose name was made to lead here
    (DNS rebinding) by the Host.
    """
    host, origin = request.host, request.headers.get("Origin")
    if not is_loopback(URL(f"http://{host}").host or ""):
        return "without API keys only calls to a loopback address are answered"
    if origin is not None and origin.partition("//")[2] != host:
        return f"without API keys pages of {origin!r} may not call"
    return None
