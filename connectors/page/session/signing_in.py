"""The pages to sign in with an API key, and to sign out."""

import re
from urllib.parse import urlencode

import structlog
from aiohttp import web

from connectors.access.rates import CallRates
from connectors.page.rendering import Views
from connectors.page.session.guard import SIGN_IN, Gate
from connectors.serving.limits import owner

log = structlog.get_logger()

FAILURES_PER_MINUTE = 10
"""Wrong keys from one address; without a trusted proxy, all who come through it are one."""
MAX_PATH = 1_500
"""Characters, so that the cookie of a sign-in has room for it."""
_OWN_PATH = re.compile(r"/(?![/\\])[!-~]*")


def own_path(path: str) -> str:
    """Return where to go after signing in, never to another site.

    >>> own_path("/watch/1?a=b"), own_path("//evil.example/"), own_path("https://evil.example/")
    ('/watch/1?a=b', '/', '/')
    """
    return path if len(path) <= MAX_PATH and _OWN_PATH.fullmatch(path) else "/"


class SignInHandlers:
    """The handlers of signing in and out."""

    def __init__(
        self, gate: Gate, failures: CallRates, views: Views, issuer: str | None = None
    ) -> None:
        """``failures`` counts wrong keys by address; ``issuer`` has the accounts of the team."""
        self._issuer = issuer
        self._gate = gate
        self._failures = failures
        self._views = views

    async def form(self, request: web.Request) -> web.Response:
        """Answer with the form; where no key is needed, there is nothing to sign in to."""
        if not self._gate.keys.required:
            raise web.HTTPSeeOther("/")
        return await self._form(request, 200, "")

    async def sign_in(self, request: web.Request) -> web.Response:
        """Begin a session with the key of the form."""
        form = await request.post()
        key = self._gate.keys.find(str(form.get("key", "")).strip())
        if key is None:
            return await self._refused(request)
        response = web.Response(
            status=303, headers={"Location": own_path(str(form.get("next", "/")))}
        )
        self._gate.sessions.end(self._gate.cookies.read(request))
        self._gate.cookies.set(request, response, self._gate.sessions.begin(key))
        return response

    async def _refused(self, request: web.Request) -> web.Response:
        """Answer a wrong key; no number of them keeps out others who share the address."""
        address = owner(self._gate.proxies.address(request)) or "this machine"
        wait = self._failures.take(address, FAILURES_PER_MINUTE)
        if wait:
            error = f"Too many wrong keys. Try again in {int(wait) + 1} seconds."
            response = await self._form(request, 429, error)
            response.headers["Retry-After"] = str(int(wait) + 1)
            return response
        log.warning("a sign-in failed", address=address, once_a_minute="sign-in")
        return await self._form(request, 403, "There is no such key. Keys begin with vk_.")

    async def sign_out(self, request: web.Request) -> web.Response:
        """End the session."""
        self._gate.sessions.end(self._gate.cookies.read(request))
        response = web.Response(status=303, headers={"Location": SIGN_IN})
        self._gate.cookies.remove(request, response)
        return response

    async def _form(self, request: web.Request, status: int, error: str) -> web.Response:
        asked = request.query.get("next") or str((await request.post()).get("next", "/"))
        target = own_path(asked)
        return await self._views.page(
            request,
            "sign-in",
            status,
            title="Sign in",
            error=error,
            next=target,
            issuer=self._issuer,
            begin=f"{SIGN_IN}/team?{urlencode({'next': target})}",
        )
