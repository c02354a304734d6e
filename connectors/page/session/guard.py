"""Admission to the page: as with REST, and no other web page through a visitor's browser."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

import structlog
from aiohttp import web
from aiohttp.typedefs import Handler, Middleware
from aiohttp.web_protocol import RequestPayloadError

from connectors.access.callers import NO_KEY, RoleMissing, foreign_page, set_caller
from connectors.access.keys import ApiKey, ApiKeys
from connectors.access.rates import CallRates
from connectors.access.routes import needed_role
from connectors.display.reasons import reason_text
from connectors.languages.texts import Language, gettext, msgid, spoken, wanted_language
from connectors.page.rendering import HEADERS, PageRefused, Views
from connectors.page.session.sessions import SessionCookies, Sessions
from connectors.serving.forwarded import TrustedProxies
from connectors.serving.protocol import BODY_TIMEOUT_S
from connectors.serving.sending import SENDER
from connectors.signed_links import SIGNED_PATH
from connectors.stores.errors import StoreUnavailable
from connectors.turns import TooManyWaiting

log = structlog.get_logger()

SIGN_IN = "/sign-in"
LIVE_NEWS = "/news/live"
"""The path of the stream of news, read for as long as somebody looks at the news."""
LANGUAGE_COOKIE = "vokter_language"
TOKEN = "token"  # noqa: S105  # the name of a form's field
_UNREADABLE_FORM = (
    ValueError,
    LookupError,  # an unknown charset
    RuntimeError,  # an unknown encoding of a part
    RequestPayloadError,  # a damaged encoding of the whole
    web.HTTPRequestEntityTooLarge,
)
_FOREIGN_FORM = msgid(
    "This form was sent from another site, so nothing was done. Open Vokter's page and send "
    "the form from there."
)
_OLD_FORM = msgid(
    "This form is older than your session, so nothing was done. Go back, load the page again "
    "and send the form once more."
)


@dataclass(frozen=True, slots=True)
class Gate:
    """Admits visitors, by keys, their rates, sessions and their cookies."""

    keys: ApiKeys
    rates: CallRates
    sessions: Sessions
    cookies: SessionCookies
    proxies: TrustedProxies


def page_middleware(gate: Gate, views: Views) -> Middleware:
    """Return a middleware for all paths of the page, which answers errors with pages."""

    @web.middleware
    async def guard(request: web.Request, handler: Handler) -> web.StreamResponse:
        try:
            with spoken(language_of(request)):
                response = await _answered(request, handler, gate, views)
        except web.HTTPException as redirect:
            _protect(redirect)
            raise
        _protect(response)
        return response

    return guard


async def _answered(
    request: web.Request, handler: Handler, gate: Gate, views: Views
) -> web.StreamResponse:
    try:
        return await _admitted(request, handler, gate)
    except PageRefused as refused:
        return await views.refusal(request, refused.status, refused.reason, refused.wait)
    except web.HTTPNotFound:
        reason = gettext("There is no page '%(path)s'.", path=request.path)
        return await views.refusal(request, 404, reason)
    except web.HTTPMethodNotAllowed as error:
        methods = ", ".join(sorted(error.allowed_methods))
        reason = gettext("%(path)s allows %(methods)s alone.", path=request.path, methods=methods)
        return await views.refusal(request, 405, reason)
    except StoreUnavailable as error:
        log.warning("the store does not answer", error=str(error), once_a_minute="store")
        reason = gettext("The store does not answer. Try again later.")
        return await views.refusal(request, 503, reason)
    except web.HTTPException:
        raise
    except Exception:
        if request.transport is None or request.transport.is_closing():
            raise  # the browser has gone: the server ends its connection
        log.exception("a page failed", once_a_minute="page")
        reason = gettext("This is a fault of Vokter. Its log says more.")
        return await views.refusal(request, 500, reason)


def language_of(request: web.Request) -> Language:
    """Return the chosen language, or the best accepted by the browser."""
    chosen = request.cookies.get(LANGUAGE_COOKIE, "")
    return wanted_language(chosen, request.headers.get("Accept-Language", ""))


def _protect(response: web.StreamResponse) -> None:
    """Add headers which forbid browsers to run, frame or store an answer, redirects included."""
    for name, value in {**HEADERS, "Cache-Control": "no-store"}.items():
        response.headers.setdefault(name, value)


async def _admitted(request: web.Request, handler: Handler, gate: Gate) -> web.StreamResponse:
    if not gate.keys.required and (reason := foreign_page(request)):
        raise PageRefused(403, reason)
    if request.method == "POST":
        if _is_signed_link(request):
            await _read_form(request)
        else:
            await _check_form(request, gate)
    if needed_role(request) is None:
        return await handler(request)
    key = _admit(request, gate)
    # These have limits elsewhere, and may take long.
    if request.method == "POST" or request.path == LIVE_NEWS:
        return await handler(request)
    try:
        async with request.app[SENDER].turns.turn(key.manager):
            return await handler(request)
    except TooManyWaiting:
        reason = gettext("Too many requests of this manager wait already.")
        raise PageRefused(429, reason, 1) from None


def _is_signed_link(request: web.Request) -> bool:
    """Whether a request is for a signed link, to which mail programs POST without our form."""
    resource = request.match_info.route.resource
    return resource is not None and resource.canonical.startswith(SIGNED_PATH)


def is_still_admitted(request: web.Request, gate: Gate) -> bool:
    """Whether the session of an admitted request is still valid."""
    return key_of(request, gate) is not None


def _admit(request: web.Request, gate: Gate) -> ApiKey:
    """Note the caller, if admitted; raises the answer otherwise."""
    key = key_of(request, gate)
    if key is None:
        raise _sign_in_first(request)
    if key.per_minute is not None and (wait := gate.rates.take(key.id, key.per_minute)):
        reason = gettext("This key allows %(num)s requests a minute.", num=key.per_minute)
        raise PageRefused(429, reason, wait)
    try:
        set_caller(request, key)
    except RoleMissing as error:
        raise PageRefused(403, reason_text(str(error))) from None
    return key


def key_of(request: web.Request, gate: Gate) -> ApiKey | None:
    """Return the key of a visitor, None if signed out."""
    if not gate.keys.required:
        return NO_KEY
    return gate.sessions.find(gate.cookies.read(request))


def _sign_in_first(request: web.Request) -> Exception:
    if request.method in {"GET", "HEAD"}:
        asked = "" if request.path_qs == "/" else f"?{urlencode({'next': request.path_qs})}"
        return web.HTTPSeeOther(SIGN_IN + asked)
    reason = gettext("You are signed out, so nothing was done. Sign in and try again.")
    return PageRefused(401, reason)


async def _check_form(request: web.Request, gate: Gate) -> None:
    """Refuse a form of another site; browsers name the site of a form."""
    scheme, _, host = request.headers.get("Origin", "").partition("://")
    # By TLS, a page of this host without TLS is one that somebody on the way may have written.
    if host != request.host or (scheme != "https" and gate.proxies.is_secure(request)):
        raise PageRefused(403, gettext(_FOREIGN_FORM))
    form = await _read_form(request)
    if not gate.sessions.is_form_token(gate.cookies.read(request), str(form.get(TOKEN, ""))):
        raise PageRefused(403, gettext(_OLD_FORM))


async def _read_form(request: web.Request) -> Mapping[str, Any]:
    """Read the form of a request, which aiohttp keeps for the handler; raises PageRefused."""
    try:
        async with asyncio.timeout(BODY_TIMEOUT_S):
            return await request.post()
    except TimeoutError:
        reason = gettext(
            "The form took longer than %(seconds)s s to arrive.", seconds=f"{BODY_TIMEOUT_S:g}"
        )
        raise PageRefused(408, reason) from None
    except _UNREADABLE_FORM as error:
        reason = gettext("The form cannot be read: %(reason)s", reason=error)
        raise PageRefused(400, reason) from error
