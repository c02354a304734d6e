"""A small OpenID provider on loopback, which does what it should or, on request, does not."""

import base64
import secrets
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from functools import cache
from typing import Any
from urllib.parse import urlencode

from aiohttp import web
from aiohttp.test_utils import TestServer
from authlib.oauth2.rfc7636 import create_s256_code_challenge
from joserfc import jwt
from joserfc.jwk import OctKey, RSAKey

CLIENT_ID, CLIENT_SECRET = "vokter", "s3cret of the client"  # a test's


@cache
def new_key(kid: int) -> RSAKey:
    """Return the key with a name, the same to all providers: to make one takes long."""
    return RSAKey.generate_key(2048, {"kid": str(kid)})


@dataclass
class Provider:
    """Signs everybody in at once, as the account whose ``claims`` it has.

    ``spoil`` changes the claims of the next tokens, ``header`` their header; ``answer`` is sent
    in place of an endpoint's, by its path.
    """

    redirect: str
    now: Callable[[], float]
    base: str = ""
    claims: dict[str, Any] = field(default_factory=lambda: {"sub": "u1", "groups": ["staff"]})
    spoil: dict[str, Any] = field(default_factory=dict)
    header: dict[str, Any] = field(default_factory=dict)
    answer: dict[str, bytes] = field(default_factory=dict)
    description: dict[str, Any] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)
    key: RSAKey = field(default_factory=lambda: new_key(1))
    signing_key: Any = None
    _codes: dict[str, dict[str, str]] = field(default_factory=dict)

    def rotate(self) -> None:
        """Replace the key."""
        self.key = new_key(int(self.key.kid or "") + 1)

    async def describe(self, _: web.Request) -> web.Response:
        """Answer with the addresses."""
        return web.json_response({
            "issuer": self.base,
            "authorization_endpoint": f"{self.base}/authorize",
            "token_endpoint": f"{self.base}/token",
            "jwks_uri": f"{self.base}/keys",
            "id_token_signing_alg_values_supported": ["RS256", "HS256", "none"],
            **self.description,
        })  # fmt: skip

    async def keys(self, _: web.Request) -> web.Response:
        """Answer with the public key, and one of a kind that nobody knows."""
        known = self.key.as_dict(private=False)
        return web.json_response({"keys": [{"kty": "X", "kid": "x"}, known]})

    async def authorize(self, request: web.Request) -> web.Response:
        """Send the browser back with a code."""
        query = dict(request.query)
        if (query["client_id"], query["redirect_uri"]) != (CLIENT_ID, self.redirect):
            return web.Response(status=400, text="unknown client")
        code = secrets.token_urlsafe(8)
        self._codes[code] = query
        answer = urlencode({"code": code, "state": query["state"], "iss": self.base})
        return web.Response(status=302, headers={"Location": f"{self.redirect}?{answer}"})

    async def token(self, request: web.Request) -> web.Response:
        """Answer a code, once and to who has its verifier."""
        form = await request.post()
        basic = base64.b64encode(f"{CLIENT_ID}:{CLIENT_SECRET}".encode()).decode()
        asked = self._codes.pop(str(form["code"]), None)
        verifier = str(form["code_verifier"])
        if (
            request.headers.get("Authorization") != f"Basic {basic}"
            or asked is None
            or asked["code_challenge"] != create_s256_code_challenge(verifier)
            or form["redirect_uri"] != self.redirect
        ):
            return web.json_response({"error": "invalid_grant"}, status=400)
        return web.json_response({"access_token": "a", "id_token": self._signed(asked["nonce"])})

    def _signed(self, nonce: str) -> str:
        now = int(self.now())
        header = {"alg": "RS256", "kid": self.key.kid, **self.header}
        claims = {
            "iss": self.base,
            "aud": CLIENT_ID,
            "iat": now,
            "exp": now + 300,
            "nonce": nonce,
            **self.claims,
            **self.spoil,
        }
        key = self.signing_key or self.key
        if header["alg"] == "none":
            key = OctKey.import_key("x" * 32)
        return jwt.encode(header, claims, key, algorithms=["RS256", "HS256", "none"])


@asynccontextmanager
async def serving_provider(redirect: str, now: Callable[[], float]) -> AsyncIterator[Provider]:
    """Serve on a port of loopback."""
    provider = Provider(redirect, now)

    @web.middleware
    async def note(request: web.Request, handler: Any) -> web.StreamResponse:
        provider.asked.append(request.path)
        if request.path in provider.answer:
            return web.Response(body=provider.answer[request.path])
        response: web.StreamResponse = await handler(request)
        return response

    app = web.Application(middlewares=[note])
    app.add_routes([
        web.get("/.well-known/openid-configuration", provider.describe),
        web.get("/authorize", provider.authorize),
        web.post("/token", provider.token),
        web.get("/keys", provider.keys),
    ])  # fmt: skip
    async with TestServer(app) as server:
        provider.base = f"http://127.0.0.1:{server.port}"
        yield provider
