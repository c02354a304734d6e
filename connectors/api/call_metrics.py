"""Counting of the API's calls, refused calls too."""

from collections.abc import Callable

from aiohttp import web
from aiohttp.typedefs import Handler, Middleware

from connectors.metrics.counters import ApiMetrics

UNKNOWN = "unknown"


def call_metrics_middleware(metrics: ApiMetrics, clock: Callable[[], float]) -> Middleware:
    """Return a middleware, to be the outermost; ``clock`` returns seconds."""

    @web.middleware
    async def observe(request: web.Request, handler: Handler) -> web.StreamResponse:
        begun, status = clock(), 500
        try:
            response = await handler(request)
        except web.HTTPException as error:
            status = error.status
            raise
        else:
            status = response.status
            return response
        finally:
            resource = request.match_info.route.resource
            path = UNKNOWN if resource is None else resource.canonical
            metrics.called(path, status, clock() - begun)

    return observe
