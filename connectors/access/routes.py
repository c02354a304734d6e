"""The role of each route."""

from collections.abc import Iterable
from dataclasses import dataclass

from aiohttp import web

from connectors.access.roles import Role


@dataclass(frozen=True, slots=True)
class GuardedRoute:
    """A route with its role; without a role the route is for everybody, keys or not."""

    role: Role | None
    route: web.RouteDef


RouteRoles = dict[tuple[str, str], Role | None]
"""The role of each route by its method and path."""
_ROLES: web.AppKey[RouteRoles] = web.AppKey("roles", dict)


def add_guarded_routes(app: web.Application, routes: Iterable[GuardedRoute]) -> None:
    """Add routes to an application, and note the role of each."""
    roles = app[_ROLES] = {}
    for guarded in routes:
        guarded.route.register(app.router)
        roles[guarded.route.method, guarded.route.path] = guarded.role


def needed_role(request: web.Request) -> Role | None:
    """Return the role needed for a request, None if for everybody.

    The look-up uses the route of the request's handler, for any spelling of the path. Paths without
    a route need the least role: their absence is no secret.
    """
    route = request.match_info.route
    if route.resource is None:
        return Role.READ
    method = "GET" if route.method == "HEAD" else route.method
    return request.app[_ROLES][method, route.resource.canonical]
