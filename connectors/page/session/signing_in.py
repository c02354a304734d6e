"""Pages to sign in, with an API key or with the issuer of a team, and to sign out."""

import re
from dataclasses import dataclass
from hashlib import sha256
from urllib.parse import urlencode

import structlog
from aiohttp import web
from yarl import URL

from connectors.access.rates import CallRates
from connectors.display.reasons import shown_reason
from connectors.languages.texts import gettext, ngettext
from connectors.openid.attempts import LIFETIME_S, SignInAttempts
from connectors.openid.errors import IssuerUnavailable, SignInRefused
from connectors.openid.issuer import Issuer
from connectors.openid.members import IssuerUser, MemberRules, member_of
from connectors.page.rendering import PageRefused, Views
from connectors.page.session.guard import SIGN_IN, Gate
from connectors.page.session.sessions import MEMBER_LIFETIME_S
from connectors.serving.limits import owner
from connectors.turns import TooManyWaiting, Turns

log = structlog.get_logger()

FAILURES_PER_MINUTE = 10
"""Wrong keys from an address; without a trusted proxy, all its users share an address."""
MAX_PATH = 1_500
"""Characters, so the cookie of a sign-in has room for the path."""
_OWN_PATH = re.compile(r"/(?![/\\])[!-~]*")

BEGIN = "/sign-in/team"
RETURN = "/sign-in/return"
COOKIE = "vokter_sign_in"
MAX_SIGN_INS, MAX_PER_ADDRESS = 8, 4
"""The most sign-ins in wait for the issuer, in all and of an address."""


@dataclass(frozen=True, slots=True)
class Team:
    """The sign-in of a team: its issuer, its rules, and the sign-ins under way."""

    issuer: Issuer
    rules: MemberRules
    attempts: SignInAttempts

    @property
    def name(self) -> str:
        """The issuer's host, for people."""
        return URL(self.issuer.client.issuer).host or ""

    @property
    def is_secure(self) -> bool:
        """Whether browsers reach the page by TLS."""
        return self.issuer.client.redirect.startswith("https:")

    @property
    def policy(self) -> str:
        """The basis of sessions: its change ends all sessions of the team."""
        client = self.issuer.client
        return sha256(repr((client.issuer, client.id, self.rules)).encode()).hexdigest()


class TeamHandlers:
    """The handlers of signing in with an account."""

    def __init__(self, team: Team, gate: Gate, views: Views) -> None:
        """Begin sessions at the ``gate`` for members of the team."""
        self._team = team
        self._gate = gate
        self._views = views
        self._turns = Turns(MAX_SIGN_INS, MAX_PER_ADDRESS, MAX_PER_ADDRESS)
        self._cookie = f"__Host-{COOKIE}" if team.is_secure else COOKIE

    async def begin(self, request: web.Request) -> web.Response:
        """Send the browser to the issuer."""
        cookie, attempt = self._team.attempts.begin(own_path(request.query.get("next", "/")))
        try:
            url = await self._team.issuer.sign_in_url(attempt)
        except IssuerUnavailable as error:
            raise _unavailable(error) from error
        response = web.Response(status=303, headers={"Location": url})
        # Lax, because the issuer sends the browser back: a strict cookie would not come along.
        response.set_cookie(
            self._cookie,
            cookie,
            max_age=LIFETIME_S,
            httponly=True,
            samesite="Lax",
            secure=self._team.is_secure,
        )
        return response

    async def finish(self, request: web.Request) -> web.Response:
        """Begin a session for who comes back from the issuer."""
        try:
            async with self._turns.turn(self._gate.proxies.address(request)):
                member, target = await self._member(request)
        except TooManyWaiting:
            reason = gettext("Too many sign-ins wait for the issuer. Try again.")
            raise PageRefused(429, reason, 5) from None
        except SignInRefused as error:
            log.warning("a sign-in failed", reason=str(error), once_a_minute="sign-in")
            raise PageRefused(403, shown_reason(str(error))) from error
        except IssuerUnavailable as error:
            raise _unavailable(error) from error
        # A page, not a redirect: browsers would take that for the issuer's, and send no cookie.
        title = gettext("Signed in")
        response = await self._views.page(request, "signed-in", title=title, target=target)
        self._gate.sessions.end(self._gate.cookies.read(request))
        session = self._gate.sessions.begin_for(member)
        self._gate.cookies.set(request, response, session, MEMBER_LIFETIME_S)
        response.del_cookie(self._cookie, httponly=True, secure=self._team.is_secure)
        return response

    async def _member(self, request: web.Request) -> tuple[IssuerUser, str]:
        query = request.query
        cookie = request.cookies.get(self._cookie, "")
        attempt = self._team.attempts.finish(cookie, query.get("state", ""))
        if "code" not in query:
            reason = f"{query.get('error', 'no code')} {query.get('error_description', '')}"[:200]
            raise SignInRefused(
                gettext(
                    "The issuer has not signed you in: %(reason)s. Begin again.",
                    reason=reason.strip(),
                )
            )
        claims = await self._team.issuer.claims(attempt, query["code"], query.get("iss"))
        return member_of(claims, self._team.rules), attempt.target


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
            error = ngettext(
                "Too many wrong keys. Try again in %(num)s second.",
                "Too many wrong keys. Try again in %(num)s seconds.",
                int(wait) + 1,
            )
            response = await self._form(request, 429, error)
            response.headers["Retry-After"] = str(int(wait) + 1)
            return response
        log.warning("a sign-in failed", address=address, once_a_minute="sign-in")
        return await self._form(request, 403, gettext("There is no such key. Keys begin with vk_."))

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
            title=gettext("Sign in"),
            error=error,
            next=target,
            issuer=self._issuer,
            without_keys=self._gate.keys.are_removed,
            begin=f"{SIGN_IN}/team?{urlencode({'next': target})}",
        )


def _unavailable(error: IssuerUnavailable) -> PageRefused:
    log.warning("the issuer does not answer", error=str(error), once_a_minute="issuer")
    reason = gettext(
        "Nobody can sign in with an account now: %(reason)s Try again later.", reason=error
    )
    return PageRefused(503, reason)
