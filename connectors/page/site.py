"""The page: its visitors, the common values of its templates, and its routes."""

from dataclasses import dataclass
from functools import partial
from typing import Any

from aiohttp import web
from aiohttp.typedefs import Middleware

from connectors.access.routes import GuardedRoute
from connectors.display.entries import change_name
from connectors.display.reasons import shown_reason
from connectors.languages import formats
from connectors.languages.texts import msgid
from connectors.page.filters import named_receiver
from connectors.page.ports import PageAccess, PagePorts
from connectors.page.rendering import StaticFiles, Views, framed, url_parts, web_link
from connectors.page.routes import ADMIN, READ, WRITE, PageRoutes
from connectors.page.session.guard import Gate, key_of, page_middleware
from connectors.page.session.sessions import SessionCookies, Sessions
from connectors.page.watch.crawled import covered_state
from connectors.page.watch.receivers import Receivers
from connectors.serving.forwarded import TrustedProxies
from schemas.codec.times import rfc3339

MENU = (
    (READ, "/", msgid("Watches")),
    (WRITE, "/add", msgid("Add a page")),
    (READ, "/news", msgid("News")),
    (READ, "/search", msgid("Search")),
    (READ, "/deliveries", msgid("Deliveries")),
    (WRITE, "/channels", msgid("Channels")),
    (ADMIN, "/pipeline", msgid("Pipeline")),
)
"""The links in the head of each page, with their roles."""


@dataclass(frozen=True, slots=True)
class PageSite:
    """The page: its routes and the middleware for them."""

    routes: list[GuardedRoute]
    middleware: Middleware


def page_site(ports: PagePorts, access: PageAccess) -> PageSite:
    """Build the page."""
    team, proxies = access.team, TrustedProxies(access.proxies)
    policy = None if team is None else team.policy
    sessions = Sessions(access.signing_key, access.keys, access.clock, policy)
    cookies = SessionCookies(proxies, always_secure=team is not None and team.is_secure)
    gate, static = Gate(access.keys, access.rates, sessions, cookies, proxies), StaticFiles()
    receivers = Receivers(ports.subscriptions, ports.facts, access.monotonic)
    views = Views(
        partial(_common_values, gate, static),
        partial(_failing_receivers, gate, receivers),
        web_link=web_link,
        url_parts=url_parts,
        framed=framed,
        named_receiver=named_receiver,
        rfc3339=rfc3339,
        minute=formats.minute,
        second=formats.second,
        day=formats.date_of,
        number=formats.number,
        weekday=formats.weekday,
        change_name=change_name,
        covered_state=covered_state,
        shown_reason=shown_reason,
    )
    routes = PageRoutes(ports, access, gate, receivers, views, static)
    return PageSite(routes.all(), page_middleware(gate, views))


async def _failing_receivers(gate: Gate, receivers: Receivers, request: web.Request) -> int:
    """Count the failing receivers of a visitor."""
    key = key_of(request, gate)
    return await receivers.failing(key.manager) if key else 0


def _common_values(gate: Gate, static: StaticFiles, request: web.Request) -> dict[str, Any]:
    key = key_of(request, gate)
    role = READ if key is None else key.role
    return {
        "form_token": gate.sessions.form_token(gate.cookies.read(request)),
        "manager": key.manager if key is not None and gate.keys.required else None,
        "menu": [(path, name) for needed, path, name in MENU if role.allows(needed)],
        "may_write": role.allows(WRITE),
        "may_admin": role.allows(ADMIN),
        "is_open": not gate.keys.required,
        "path": request.path,
        "static": static.address,
    }
