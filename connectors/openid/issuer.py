"""The issuer: its endpoints, where to sign in, and the claims of who has."""

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from authlib.oauth2.auth import ClientAuth
from authlib.oauth2.rfc6749.parameters import prepare_grant_uri, prepare_token_request
from authlib.oauth2.rfc7636 import create_s256_code_challenge
from authlib.oidc.core import CodeIDToken
from authlib.oidc.discovery import get_well_known_url
from joserfc import jwt
from joserfc.errors import InvalidKeyIdError, JoseError
from joserfc.jwk import KeySet, import_key
from joserfc.jws import JWSRegistry

from connectors.openid.attempts import SignInAttempt
from connectors.openid.errors import IssuerUnavailable, SignInRefused
from connectors.openid.fetching import fetch_json, is_safe

LEEWAY_S = 60
"""By how much the issuer's clock may differ."""
FRESH_S = 3600.0
"""For how long the description and the keys of an issuer are not asked for again."""
KEYS_AGAIN_S = 60.0
"""A token with an unknown key has the keys fetched again, at most so often."""
MAX_KEYS = 50
SCOPES = "openid profile email"

ALGORITHMS = ("RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512",
              "Ed25519", "EdDSA")  # fmt: skip
"""Signatures with a public key: with a shared key, or none, anybody could sign."""


@dataclass(frozen=True, slots=True)
class Endpoints:
    """The addresses of an issuer, and its ways of signing."""

    issuer: str
    authorization: str
    token: str
    keys: str
    algorithms: tuple[str, ...]
    takes_basic: bool


@dataclass(frozen=True, slots=True)
class Client:
    """This deployment as a client of the issuer; ``redirect`` is its address for browsers."""

    issuer: str
    id: str
    secret: str
    redirect: str


class Issuer:
    """Asks the issuer, and checks its answers."""

    def __init__(
        self, client: Client, clock: Callable[[], float], monotonic: Callable[[], float]
    ) -> None:
        """``clock`` returns epoch seconds, ``monotonic`` seconds. Nothing is fetched yet."""
        self.client = client
        self._clock = clock
        self._endpoints = _Remembered(self._read_endpoints, monotonic)
        self._keys = _Remembered(self._read_keys, monotonic)

    async def sign_in_url(self, attempt: SignInAttempt) -> str:
        """Return where the browser signs in; raises IssuerUnavailable."""
        endpoints = await self._endpoints.get()
        url: str = prepare_grant_uri(
            endpoints.authorization,
            client_id=self.client.id,
            response_type="code",
            redirect_uri=self.client.redirect,
            scope=SCOPES,
            state=attempt.state,
            nonce=attempt.nonce,
            code_challenge=create_s256_code_challenge(attempt.verifier),
            code_challenge_method="S256",
        )
        return url

    async def claims(self, attempt: SignInAttempt, code: str, issuer: str | None) -> dict[str, Any]:
        """Return the claims of who signed in; raises SignInRefused or IssuerUnavailable.

        ``issuer`` is the value from the browser (RFC 9207), None if there is none.
        """
        endpoints = await self._endpoints.get()
        if issuer is not None and issuer != endpoints.issuer:
            raise SignInRefused(f"The answer is from another issuer, {issuer[:200]!r}.")
        tokens = await self._tokens(endpoints, attempt, code)
        if not isinstance(tokens.get("id_token"), str):
            reason = f"{tokens.get('error')}: {tokens.get('error_description', '')}"[:200]
            raise SignInRefused(f"The issuer has not accepted the sign-in: {reason}. Begin again.")
        try:
            token = await self._decoded(tokens["id_token"], endpoints)
            options = {
                "iss": {"essential": True, "value": endpoints.issuer},
                "aud": {"essential": True, "value": self.client.id},
            }
            bound = {
                "nonce": attempt.nonce,
                "client_id": self.client.id,
                "access_token": tokens.get("access_token"),
            }
            claims = CodeIDToken(token.claims, token.header, options, bound)
            claims.validate(now=int(self._clock()), leeway=LEEWAY_S)
        except (JoseError, ValueError, TypeError) as error:
            raise SignInRefused(f"The ID token of the issuer is not valid: {error}") from error
        return dict(claims)

    async def _tokens(
        self, endpoints: Endpoints, attempt: SignInAttempt, code: str
    ) -> dict[str, Any]:
        method = "client_secret_basic" if endpoints.takes_basic else "client_secret_post"
        auth = ClientAuth(
            self.client.id, self.client.secret, method if self.client.secret else "none"
        )
        form = prepare_token_request(
            "authorization_code",
            redirect_uri=self.client.redirect,
            code=code,
            code_verifier=attempt.verifier,
        )
        headers = {"Content-Type": "application/x-www-form-urlencoded"}
        url, headers, form = auth.prepare("POST", endpoints.token, headers, form)
        return await fetch_json(url, form, headers)

    async def _decoded(self, token: str, endpoints: Endpoints) -> jwt.Token:
        registry = JWSRegistry(algorithms=endpoints.algorithms, strict_check_header=False)
        try:
            return jwt.decode(token, await self._keys.get(), registry=registry)
        except InvalidKeyIdError:  # the issuer may have changed its keys
            return jwt.decode(token, await self._keys.get(KEYS_AGAIN_S), registry=registry)

    async def _read_endpoints(self) -> Endpoints:
        issuer = self.client.issuer
        return read_endpoints(await fetch_json(get_well_known_url(issuer, external=True)), issuer)

    async def _read_keys(self) -> KeySet:
        url = (await self._endpoints.get()).keys
        given = (await fetch_json(url)).get("keys")
        if not isinstance(given, list):
            raise IssuerUnavailable(f"{url} has no keys.")
        keys = []
        for each in given[:MAX_KEYS]:
            try:
                keys.append(import_key(each))
            except (JoseError, ValueError, TypeError, KeyError):
                continue  # one of a kind that nobody here verifies with
        return KeySet(keys)


class _Remembered:
    """A fetched value, until too old; simultaneous callers share a request."""

    def __init__(self, load: Callable[[], Any], monotonic: Callable[[], float]) -> None:
        self._load = load
        self._monotonic = monotonic
        self._found: Any = None
        self._at = 0.0
        self._loading: asyncio.Task[Any] | None = None

    async def get(self, fresh_s: float = FRESH_S) -> Any:
        """Return the value, loaded less than ``fresh_s`` ago."""
        if self._found is not None and self._monotonic() - self._at < fresh_s:
            return self._found
        if self._loading is None or self._loading.done():
            self._loading = asyncio.create_task(self._fetch())
        return await asyncio.shield(self._loading)

    async def _fetch(self) -> Any:
        self._found, self._at = await self._load(), self._monotonic()
        return self._found


def read_endpoints(found: Mapping[str, Any], issuer: str) -> Endpoints:
    """Read an issuer's description; raises IssuerUnavailable."""
    if str(found.get("issuer")).rstrip("/") != issuer.rstrip("/"):
        raise IssuerUnavailable(f"{issuer} says that it is {found.get('issuer')!r}.")
    names = ("authorization_endpoint", "token_endpoint", "jwks_uri")
    for name in names:
        if not is_safe(found.get(name)):
            raise IssuerUnavailable(f"{issuer} has no {name} with https: {found.get(name)!r}.")
    signs = found.get("id_token_signing_alg_values_supported") or ["RS256"]
    takes = found.get("token_endpoint_auth_methods_supported") or ["client_secret_basic"]
    algorithms = tuple(each for each in ALGORITHMS if each in signs)
    if not algorithms:
        raise IssuerUnavailable(f"{issuer} signs with none of {', '.join(ALGORITHMS)}.")
    authorization, token, keys = (found[name] for name in names)
    is_basic = "client_secret_basic" in takes
    return Endpoints(found["issuer"], authorization, token, keys, algorithms, is_basic)
